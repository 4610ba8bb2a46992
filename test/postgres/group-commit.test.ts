import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GroupCommit, type Verdict } from '../../adapters/postgres/group-commit.js';

test('an idle queue flushes at once; what arrives meanwhile goes together, in order, at most so many', async () => {
  const flushed: (readonly number[])[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commits = new GroupCommit<number, number>(async (batch) => {
    flushed.push(batch);
    if (flushed.length === 1) await held;
    return batch.map((value) => ({ value }));
  }, 3);
  const first = commits.submit(0);
  await Promise.resolve();
  expect(flushed).toEqual([[0]]);
  const others = [1, 2, 3, 4, 5].map((value) => commits.submit(value));
  release();
  expect(await Promise.all([first, ...others])).toEqual([0, 1, 2, 3, 4, 5]);
  expect(flushed).toEqual([[0], [1, 2, 3], [4, 5]]);
});

test('what belongs into the next flush comes first in it', async () => {
  const flushed: (readonly string[])[] = [];
  const commits = new GroupCommit<string, string>(async (batch) => {
    flushed.push(batch);
    return batch.map((value) => (value === 'again' && flushed.length < 3 ? 'again' : { value }));
  }, 2);
  await Promise.all(['again', 'a', 'b', 'c'].map((value) => commits.submit(value)));
  expect(flushed).toEqual([
    ['again', 'a'],
    ['again', 'b'],
    ['again', 'c'],
  ]);
});

test('a failed flush fails its own requests only', async () => {
  let flushes = 0;
  const commits = new GroupCommit<number, number>(async (batch) => {
    flushes++;
    if (flushes === 1) throw new Error('lost');
    return batch.map((value) => (value === 2 ? { error: new Error('wrong') } : { value }));
  }, 1);
  const settled = await Promise.allSettled([1, 2, 3].map((value) => commits.submit(value)));
  expect(settled.map((one) => one.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('every request is answered once, with its own answer, whatever the verdicts', async () => {
  const verdicts = fc.array(fc.constantFrom('value', 'error', 'again'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(verdicts, fc.integer({ min: 1, max: 7 }), async (kinds, most) => {
      const tries = new Map<number, number>();
      const verdictOf = (index: number): Verdict<number> => {
        tries.set(index, (tries.get(index) ?? 0) + 1);
        if (kinds[index] === 'error') return { error: index };
        return kinds[index] === 'again' && tries.get(index) === 1 ? 'again' : { value: index };
      };
      const commits = new GroupCommit<number, number>(async (batch) => batch.map(verdictOf), most);
      const settled = await Promise.allSettled(kinds.map((_, index) => commits.submit(index)));
      const answers = settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
      expect(answers).toEqual(kinds.map((_, index) => index));
    }),
  );
});
