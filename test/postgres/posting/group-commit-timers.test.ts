import { describe, expect, test } from 'vitest';
import { openFlushes } from './open-flushes.js';

describe('a timer', () => {
  test('is set once for all requests of a turn, and once for all waiting requests', async () => {
    const { submit, timers } = openFlushes();
    await submit('a1', 'b1', 'c1');
    expect(timers.turns).toBe(1);
    await submit('a2');
    expect(timers.turns).toBe(2);
    expect(timers.set).toEqual([1]);
  });

  test('does not fire again when nothing waits', async () => {
    const { submit, run, nth, timers } = openFlushes();
    await submit('a1');
    await nth(0).end();
    await run(1_000);
    expect(timers.rung).toEqual([1]);
  });

  test('fires earlier when another lock is due for a retry sooner', async () => {
    const { submit, run, nth, begun, timers } = openFlushes({ bounds: { waits: 0 } });
    await submit('x1');
    await run(50);
    await submit('a1');
    await nth(1).end('locked');
    await run(100);
    expect(begun(2)).toEqual(['skipLocked: a1']);
    expect(nth(2).atMs).toBe(55);
    expect(timers.rung).toEqual([1, 55, 101]);
  });

  test('is not set for a locked part that is due but waits for a flush to end', async () => {
    const { submit, run, nth, begun, timers } = openFlushes({ bounds: { waits: 0, flights: 1 } });
    await submit('a1');
    await submit('b1');
    await nth(0).end('locked');
    await run(250);
    expect(timers.rung).toEqual([1, 5, 101, 201]);
    await nth(1).end();
    expect(begun(2)).toEqual(['skipLocked: a1']);
  });
});

test('checks waiting requests ten times a second, however often a locked part is retried', async () => {
  const looks: [atMs: number, request: string, waitedMs: number][] = [];
  const dismissal = (request: string, waitedMs: number) => void looks.push([now(), request, waitedMs]);
  const { submit, run, now, nth } = openFlushes({ bounds: { waits: 0 }, dismissal });
  await submit('x1');
  await submit('a1');
  await run(30);
  await submit('x2');
  await nth(1).end('locked');
  for (const [tries, ms] of [5, 10, 20, 40, 80, 100, 100].entries()) {
    await run(ms);
    await nth(tries + 2).end('locked');
  }
  const ofOther = looks.filter(([, request]) => request === 'x2');
  expect(ofOther).toEqual([
    [101, 'x2', 71],
    [201, 'x2', 171],
    [301, 'x2', 271],
  ]);
});
