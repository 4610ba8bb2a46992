import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSequencer } from '../../../src/metering/meter.js';

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('paid fields', () => {
  it('run one at a time in document order, however they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e'], { minLength: 1 }), async (arriving) => {
        const ranks = new Map(['a', 'b', 'c', 'd', 'e'].map((path, rank) => [path, rank]));
        const sequencer = new FieldSequencer(ranks);
        const ran: string[] = [];
        let running = 0;
        const work = (path: string) => async () => {
          running += 1;
          expect(running).toBe(1);
          await nextTick();
          ran.push(path);
          running -= 1;
          return path;
        };
        const results = await Promise.all(arriving.map((path) => sequencer.take(path, work(path))));
        expect(results).toEqual(arriving);
        expect(ran).toEqual([...arriving].sort());
      }),
    );
  });

  it('let a field that comes while another runs wait for it, and go before those after it', async () => {
    const sequencer = new FieldSequencer(new Map([...'abcd'].map((path, rank) => [path, rank])));
    const ran: string[] = [];
    const inner: Promise<unknown>[] = [];
    const outer = [
      sequencer.take('a', async () => {
        ran.push('a begins');
        inner.push(sequencer.take('b', async () => void ran.push('b')));
        await nextTick();
        ran.push('a ends');
      }),
      sequencer.take('d', async () => void ran.push('d')),
      sequencer.take('c', async () => void ran.push('c')),
    ];
    await Promise.all(outer);
    await Promise.all(inner);
    expect(ran).toEqual(['a begins', 'a ends', 'b', 'c', 'd']);
  });

  it('run fields without a rank first, in the order in which they came', async () => {
    const sequencer = new FieldSequencer(new Map([['known', 1]]));
    const ran: string[] = [];
    const take = (path: string, as = path) => sequencer.take(path, async () => void ran.push(as));
    await Promise.all([take('known'), take('new', 'first'), take('new', 'second')]);
    expect(ran).toEqual(['first', 'second', 'known']);
  });

  it('continue after one that fails or throws at once', async () => {
    const sequencer = new FieldSequencer(new Map([...'abc'].map((path, rank) => [path, rank])));
    const failing = sequencer.take('a', async () => {
      throw new Error('a failed');
    });
    const throwing = sequencer.take('b', () => {
      throw new Error('b threw');
    });
    await expect(failing).rejects.toThrow('a failed');
    await expect(throwing).rejects.toThrow('b threw');
    expect(await sequencer.take('c', async () => 'c')).toBe('c');
    // And once more, after a while in which nothing waited.
    await nextTick();
    await nextTick();
    expect(await sequencer.take('a', async () => 'again')).toBe('again');
  });
});
