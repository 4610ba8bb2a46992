import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../adapters/postgres/ledger/group-commit-options.js';
import { openFlushes } from './open-flushes.js';

const LETTERS = ['a', 'b', 'c', 'd'];

/** No flush waits for a lock, so locked parts are only retried. */
const RETRIED = { waits: 0 };

describe('a part with a locked row', () => {
  test('is retried beside others with its first request only, later each time', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: RETRIED });
    await submit('a1', 'a2');
    await nth(0).end('locked');
    for (const [tries, ms] of [5, 10, 20, 40, 80, 100, 100].entries()) {
      await run(ms - 1);
      expect(begun(tries + 1)).toEqual([]);
      await run(1);
      expect(begun(tries + 1)).toEqual(['skipLocked: a1']);
      await nth(tries + 1).end('locked');
    }
  });

  test('is retried beside others only if none of its requests was in a flush that took too long', async () => {
    const retriesAfter = async (...verdicts: Verdict<string>[]) => {
      const { submit, run, nth, begun } = openFlushes({ bounds: RETRIED });
      await submit('a1', 'a2', 'a3');
      await nth(0).end(...verdicts);
      await run(50);
      return begun(1);
    };
    expect(await retriesAfter('locked')).toEqual(['skipLocked: a1']);
    expect(await retriesAfter('retry', 'retry', 'locked')).toEqual(['skipLocked: a1']);
    expect(await retriesAfter({ value: 'done' }, 'locked', { value: 'done' })).toEqual(['skipLocked: a2']);
    expect(await retriesAfter('isolate')).toEqual([]);
    expect(await retriesAfter('isolate', 'locked', 'locked')).toEqual([]);
    expect(await retriesAfter('locked', 'locked', 'isolate')).toEqual([]);
    expect(await retriesAfter('locked', 'isolate', 'retry')).toEqual([]);
  });

  test('does not wait apart if its requests only need another try: they join the next shared flush', async () => {
    const { submit, nth, begun } = openFlushes({ bounds: { flights: 1 } });
    await submit('a1', 'a2', 'b1');
    await nth(0).end('retry');
    expect(begun(1)).toEqual(['skipLocked: a1 a2 b1']);
  });

  test('is never retried in a plain flush', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: RETRIED, isPlain: (request) => !request.endsWith('!') });
    await submit('a1!');
    await nth(0).end('locked');
    await run(4);
    expect(begun(1)).toEqual([]);
    await submit('b1');
    await run(1);
    expect(begun(1)).toEqual(['plain: b1', 'skipLocked: a1!']);
  });

  test('shares the flush in which it is retried, up to the size of a flush', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: { ...RETRIED, most: 2 } });
    await submit('a1', 'b1', 'c1');
    expect(begun()).toEqual(['skipLocked: a1 b1', 'skipLocked: c1']);
    await nth(0).end('locked');
    await nth(1).end('locked');
    await run(5);
    expect(begun(2)).toEqual(['skipLocked: a1 b1', 'skipLocked: c1']);
  });

  test('is retried with at most 99 others in one flush', async () => {
    const partOf = (nth: number) => String.fromCharCode(0x4e00 + nth);
    const { submit, run, nth, begun } = openFlushes({ bounds: { ...RETRIED, flights: 1 } });
    await submit(...Array.from({ length: 101 }, (_, nth) => partOf(nth)));
    await nth(0).end('locked');
    await run(5);
    await nth(1).end('locked');
    expect(begun(1).map((what) => what.split(' ').length - 1)).toEqual([100, 1]);
  });
});

describe('waiting for a lock', () => {
  test('happens in a limited number of flushes at a time', async () => {
    const { submit, nth, begun } = openFlushes();
    await submit('a1', 'b1', 'c1', 'd1');
    await nth(0).end('locked');
    expect(begun(1)).toEqual(['waitForLock: a1', 'waitForLock: b1']);
    await nth(1).end();
    expect(begun(3)).toEqual(['waitForLock: c1']);
  });

  test('takes turns for locks met more than once: one at a time, when due, beside shared flushes', async () => {
    const { submit, run, nth, begun } = openFlushes();
    await submit('a1', 'b1', 'c1');
    await submit('x1');
    await nth(0).end('isolate');
    await nth(2).end('locked');
    await nth(3).end('locked');
    await run(9);
    expect(begun(1)).toEqual(['skipLocked: x1', 'waitForLock: a1', 'waitForLock: b1', 'waitForLock: c1']);
    await run(1);
    expect(begun(5)).toEqual(['waitForLock: a1']);
    // The free place is kept for parts whose lock may be brief.
    await nth(4).end();
    await run(100);
    expect(begun(6)).toEqual([]);
    await submit('z1');
    await nth(6).end('locked');
    expect(begun(6)).toEqual(['skipLocked: z1', 'waitForLock: z1']);
    await nth(7).end();
    expect(begun(8)).toEqual([]);
    await nth(5).end('locked');
    expect(begun(8)).toEqual(['waitForLock: b1']);
    await run(100);
    await nth(8).end();
    expect(begun(9)).toEqual(['waitForLock: a1']);
  });

  test('leaves one place free for brief locks, unless there is only one', async () => {
    const waitingOf = async (waits: number) => {
      const { submit, run, nth, begun } = openFlushes({ bounds: { waits } });
      await submit(...LETTERS);
      await nth(0).end('isolate');
      for (const [index] of LETTERS.entries()) await nth(index + 1).end('locked');
      expect(begun(5)).toEqual([]);
      await run(10);
      return begun(5);
    };
    expect(await waitingOf(1)).toEqual(['waitForLock: a']);
    expect(await waitingOf(2)).toEqual(['waitForLock: a']);
    expect(await waitingOf(3)).toEqual(['waitForLock: a', 'waitForLock: b']);
  });
});
