import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../../adapters/postgres/ledger/group-commit.js';
import type {
  BatchBounds,
  FlushMode,
  GroupCommitOptions,
  Verdict,
} from '../../../adapters/postgres/ledger/group-commit-options.js';

/** Waits two turns: one in which a flush may end, and one at whose end the next flush begins. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await nextTurn();
}

/** A queue whose requests all belong to one part. */
const queueOf = <Request, Result>(most: number, flush: GroupCommitOptions<Request, Result>['flush']) =>
  new GroupCommit<Request, Result>({ flush, partitionOf: () => 'one', bounds: { most } });

test('flushes an idle queue at the end of the turn, then batches later requests in order, up to the limit', async () => {
  const flushed: (readonly number[])[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commits = queueOf<number, number>(3, async (batch) => {
    flushed.push(batch);
    if (flushed.length === 1) await held;
    return batch.map((value) => ({ value }));
  });
  const first = commits.submit(0);
  await nextTurn();
  expect(flushed).toEqual([[0]]);
  const others = [1, 2, 3, 4, 5].map((value) => commits.submit(value));
  release();
  expect(await Promise.all([first, ...others])).toEqual([0, 1, 2, 3, 4, 5]);
  expect(flushed).toEqual([[0], [1, 2, 3], [4, 5]]);
});

test('flushes all requests of one turn together, whatever triggered them', async () => {
  const flushed: (readonly number[])[] = [];
  const commits = queueOf<number, number>(3, async (batch) => {
    flushed.push(batch);
    return batch.map((value) => ({ value }));
  });
  const first = commits.submit(1);
  for (let promise = 0; promise < 5; promise += 1) await null;
  const second = commits.submit(2);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(flushed).toEqual([[1, 2]]);
});

test('puts requests to be retried first in the next flush', async () => {
  const flushed: (readonly string[])[] = [];
  const commits = queueOf<string, string>(2, async (batch) => {
    flushed.push(batch);
    return batch.map((value) => (value === 'retry' && flushed.length < 3 ? 'retry' : { value }));
  });
  await Promise.all(['retry', 'a', 'b', 'c'].map((value) => commits.submit(value)));
  expect(flushed).toEqual([
    ['retry', 'a'],
    ['retry', 'b'],
    ['retry', 'c'],
  ]);
});

test('fails only the requests of a failed flush', async () => {
  let flushes = 0;
  const commits = queueOf<number, number>(1, async (batch) => {
    flushes++;
    if (flushes === 1) throw new Error('lost');
    return batch.map((value) => (value === 2 ? { error: new Error('wrong') } : { value }));
  });
  const settled = await Promise.allSettled([1, 2, 3].map((value) => commits.submit(value)));
  expect(settled.map((one) => one.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('answers every request once, with its own answer, whatever the verdicts', async () => {
  const verdicts = fc.array(fc.constantFrom('value', 'error', 'retry'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(verdicts, fc.integer({ min: 1, max: 7 }), async (kinds, most) => {
      const tries = new Map<number, number>();
      const verdictOf = (index: number): Verdict<number> => {
        tries.set(index, (tries.get(index) ?? 0) + 1);
        if (kinds[index] === 'error') return { error: index };
        return kinds[index] === 'retry' && tries.get(index) === 1 ? 'retry' : { value: index };
      };
      const commits = queueOf<number, number>(most, async (batch) => batch.map(verdictOf));
      const settled = await Promise.allSettled(kinds.map((_, index) => commits.submit(index)));
      const answers = settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
      expect(answers).toEqual(kinds.map((_, index) => index));
    }),
  );
});

describe('requests of several parts', () => {
  /** Flushes that end when the test says so. */
  function open({
    isPlain,
    ...bounds
  }: Partial<BatchBounds> & Pick<GroupCommitOptions<string, string>, 'isPlain'> = {}) {
    const flushed: { batch: string; mode: FlushMode; end: (verdict?: Verdict<string>) => void }[] = [];
    const commits = new GroupCommit<string, string>({
      flush: (batch, mode) =>
        new Promise((resolve) => {
          const end = (verdict?: Verdict<string>) => resolve(batch.map((value) => verdict ?? { value }));
          flushed.push({ batch: batch.join(' '), mode, end });
        }),
      partitionOf: (request) => request[0] ?? '',
      dismissal: (request) => (gone.has(request) ? new Error(`${request} has left`) : undefined),
      refusal: (seconds) => new Error(`try again in ${seconds} s`),
      bounds,
      ...(isPlain && { isPlain }),
    });
    const gone = new Set<string>();
    const submit = (...requests: string[]) => {
      const all = requests.map((request) => commits.submit(request));
      for (const one of all) one.catch(() => {});
      return all;
    };
    const batches = () => flushed.map(({ batch, mode }) => `${mode}: ${batch}`);
    return { flushed, batches, submit, gone };
  }

  test('do not wait for each other, and those of one part are never in two flushes at a time', async () => {
    const { batches, submit, flushed } = open();
    void submit('a1');
    await turns();
    void submit('a2', 'b1');
    await turns();
    void submit('c1');
    await turns();
    expect(batches()).toEqual(['skipLocked: a1', 'skipLocked: b1']);
    flushed[1]?.end();
    await turns();
    expect(batches().slice(2)).toEqual(['skipLocked: c1']);
    flushed[0]?.end();
    await turns();
    expect(batches().slice(3)).toEqual(['skipLocked: a2']);
  });

  test('go into plain flushes while they are simple, one at a time, or two if many wait', async () => {
    const { batches, submit, flushed } = open({ isPlain: (request) => !request.endsWith('!') });
    void submit('a1', 'b1!', 'c1');
    await turns();
    expect(batches()).toEqual(['plain: a1 c1', 'skipLocked: b1!']);
    void submit('d1', 'a2', 'a3!', 'a4');
    flushed[1]?.end();
    await turns();
    expect(batches()).toHaveLength(2);
    void submit(...Array.from({ length: 200 }, (_, nth) => `e${nth}`));
    await turns();
    expect(batches()[2]).toMatch(/^plain: d1 e0 e1 /);
    for (const { end } of flushed) end();
    await turns();
    expect(batches().slice(3)).toEqual(['skipLocked: a2 a3! a4']);
  });

  test('share a flush evenly, and the remaining room goes to parts with more requests', async () => {
    const { batches, submit, flushed } = open({ most: 4, flights: 1 });
    void submit('x');
    await turns();
    void submit('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1');
    flushed[0]?.end();
    await turns();
    expect(batches()[1]).toBe('skipLocked: a1 b1 c1 a2');
  });

  test('wait if their part has a locked row, while other parts continue', async () => {
    const { batches, submit, flushed } = open();
    const [a1] = submit('a1', 'b1');
    await turns();
    flushed[0]?.end('locked');
    await turns();
    expect(batches().slice(1)).toEqual(['waitForLock: a1', 'waitForLock: b1']);
    const [a2] = submit('a2', 'c1');
    await turns();
    expect(batches().slice(3)).toEqual(['skipLocked: c1']);
    flushed[1]?.end();
    await turns();
    expect(await a1).toBe('a1');
    expect(batches().slice(4)).toEqual(['skipLocked: a2']);
    flushed[4]?.end();
    expect(await a2).toBe('a2');
  });

  test('of many locked parts leave a place free for a part whose lock may be brief', async () => {
    const { submit, flushed } = open();
    const stubborn = submit('a1', 'b1', 'c1', 'd1');
    let isOver = false;
    const answering = (async () => {
      for (let nth = 0; !isOver; ) {
        const flush = flushed[nth];
        if (flush === undefined) {
          await turns();
          continue;
        }
        flush.end(flush.mode === 'waitForLock' && flush.batch.includes('z') ? undefined : 'locked');
        nth += 1;
      }
    })();
    await sleep(100);
    const [newcomer] = submit('z1');
    expect(await newcomer).toBe('z1');
    isOver = true;
    await answering;
    expect(stubborn).toHaveLength(4);
  });

  test('from a flush that took too long are tried one by one, so that only the one at fault waits', async () => {
    const { batches, submit, flushed } = open();
    void submit('a1', 'b1', 'c1');
    await turns();
    flushed[0]?.end('isolate');
    await turns();
    flushed[1]?.end();
    flushed[2]?.end('locked');
    await expect.poll(() => flushed.length).toBeGreaterThanOrEqual(5);
    expect(new Set(batches().slice(1))).toEqual(new Set(['waitForLock: a1', 'waitForLock: b1', 'waitForLock: c1']));
  });

  test('are rejected if they are abandoned before they are flushed', async () => {
    const { submit, gone, batches } = open();
    void submit('a1');
    await turns();
    const [left] = submit('a2');
    gone.add('a2');
    await expect(left).rejects.toThrow('a2 has left');
    expect(batches()).toEqual(['skipLocked: a1']);
  });

  test('are refused only from parts with more than an even share when full, with when to retry', async () => {
    const { submit } = open({ maxOfPartition: 3, maxWaiting: 6, flights: 1 });
    void submit('x1');
    await turns();
    const settled = await settledNow(submit('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'));
    expect(settled).toEqual([null, null, null, 'try again in 1 s', null, null, 'try again in 1 s', null]);
  });

  /** The error messages of the promises that have failed by now. */
  const settledNow = async (promises: readonly Promise<string>[]): Promise<(string | null)[]> => {
    const states: (string | null)[] = promises.map(() => null);
    for (const [nth, promise] of promises.entries()) {
      promise.catch((error: Error) => {
        states[nth] = error.message;
      });
    }
    await turns();
    return states;
  };
});
