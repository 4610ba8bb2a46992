import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../../adapters/postgres/ledger/group-commit-options.js';
import { openFlushes } from './open-flushes.js';

const LETTERS = ['a', 'b', 'c', 'd'];

/** Nobody waits for a lock: locked parts are only retried. */
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
      expect(begun(tries + 1)).toEqual(['skip: a1']);
      await nth(tries + 1).end('locked');
    }
  });

  test('is retried beside others only if it was in no flush that took too long, by any of its requests', async () => {
    const retriesAfter = async (...verdicts: Verdict<string>[]) => {
      const { submit, run, nth, begun } = openFlushes({ bounds: RETRIED });
      await submit('a1', 'a2', 'a3');
      await nth(0).end(...verdicts);
      await run(50);
      return begun(1);
    };
    expect(await retriesAfter('locked')).toEqual(['skip: a1']);
    expect(await retriesAfter('again', 'again', 'locked')).toEqual(['skip: a1']);
    expect(await retriesAfter({ value: 'done' }, 'locked', { value: 'done' })).toEqual(['skip: a2']);
    expect(await retriesAfter('apart')).toEqual([]);
    expect(await retriesAfter('apart', 'locked', 'locked')).toEqual([]);
    expect(await retriesAfter('locked', 'locked', 'apart')).toEqual([]);
    expect(await retriesAfter('locked', 'apart', 'again')).toEqual([]);
  });

  test('is not formed when its requests only need another try: they join the next shared flush', async () => {
    const { submit, nth, begun } = openFlushes({ bounds: { flights: 1 } });
    await submit('a1', 'a2', 'b1');
    await nth(0).end('again');
    expect(begun(1)).toEqual(['skip: a1 a2 b1']);
  });

  test('is never retried in a plain flush', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: RETRIED, isPlain: (request) => !request.endsWith('!') });
    await submit('a1!');
    await nth(0).end('locked');
    await run(4);
    expect(begun(1)).toEqual([]);
    await submit('b1');
    await run(1);
    expect(begun(1)).toEqual(['plain: b1', 'skip: a1!']);
  });

  test('shares the flush in which it is retried: at most so many do', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: { ...RETRIED, most: 2 } });
    await submit('a1', 'b1', 'c1');
    expect(begun()).toEqual(['skip: a1 b1', 'skip: c1']);
    await nth(0).end('locked');
    await nth(1).end('locked');
    await run(5);
    expect(begun(2)).toEqual(['skip: a1 b1', 'skip: c1']);
  });

  test('is one of at most a hundred in the flush in which it is retried', async () => {
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
  test('happens in so many flushes at a time', async () => {
    const { submit, nth, begun } = openFlushes();
    await submit('a1', 'b1', 'c1', 'd1');
    await nth(0).end('locked');
    expect(begun(1)).toEqual(['wait: a1', 'wait: b1']);
    await nth(1).end();
    expect(begun(3)).toEqual(['wait: c1']);
  });

  test('takes turns where a lock was met more than once: one at a time, when it is due, beside shared flushes', async () => {
    const { submit, run, nth, begun } = openFlushes();
    await submit('a1', 'b1', 'c1');
    await submit('x1');
    await nth(0).end('apart');
    await nth(2).end('locked');
    await nth(3).end('locked');
    await run(9);
    expect(begun(1)).toEqual(['skip: x1', 'wait: a1', 'wait: b1', 'wait: c1']);
    await run(1);
    expect(begun(5)).toEqual(['wait: a1']);
    // The place that is free now is for those whose lock may be brief.
    await nth(4).end();
    await run(100);
    expect(begun(6)).toEqual([]);
    await submit('z1');
    await nth(6).end('locked');
    expect(begun(6)).toEqual(['skip: z1', 'wait: z1']);
    await nth(7).end();
    expect(begun(8)).toEqual([]);
    await nth(5).end('locked');
    expect(begun(8)).toEqual(['wait: b1']);
    await run(100);
    await nth(8).end();
    expect(begun(9)).toEqual(['wait: a1']);
  });

  test('leaves one place free for brief locks, unless there is only one', async () => {
    const waitingOf = async (waits: number) => {
      const { submit, run, nth, begun } = openFlushes({ bounds: { waits } });
      await submit(...LETTERS);
      await nth(0).end('apart');
      for (const [index] of LETTERS.entries()) await nth(index + 1).end('locked');
      expect(begun(5)).toEqual([]);
      await run(10);
      return begun(5);
    };
    expect(await waitingOf(1)).toEqual(['wait: a']);
    expect(await waitingOf(2)).toEqual(['wait: a']);
    expect(await waitingOf(3)).toEqual(['wait: a', 'wait: b']);
  });
});
