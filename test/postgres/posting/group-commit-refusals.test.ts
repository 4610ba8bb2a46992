import { describe, expect, test } from 'vitest';
import { GroupCommit } from '../../../adapters/postgres/ledger/group-commit.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { openFlushes } from './open-flushes.js';

describe('a request is refused', () => {
  test('with a default error if none is given', async () => {
    const time = new VirtualTime();
    const commits = new GroupCommit<string, string>({
      flush: async () => [],
      partitionOf: () => 'one',
      bounds: { maxOfPartition: 1 },
      time: { monotonic: time, timers: time },
    });
    void commits.submit('a1');
    await expect(commits.submit('a2')).rejects.toThrow('too many wait for a flush');
  });

  test('if its part has been locked for over a second and has as many requests as a locked part may have', async () => {
    const { submit, run, nth, answers } = openFlushes({ bounds: { maxOfLocked: 2 } });
    await submit('a1');
    await nth(0).end('locked');
    await run(1_000);
    await submit('a2', 'a3', 'a4');
    await run(1);
    await submit('a5');
    expect(answers).toEqual({ a5: 'try again in 2 s' });
  });

  test('not while fewer than that are waiting, however long its part has been locked', async () => {
    const { submit, run, nth, answers } = openFlushes({ bounds: { maxOfLocked: 2 } });
    await submit('a1');
    await nth(0).end('locked');
    await run(2_000);
    await submit('a2', 'a3');
    expect(answers).toEqual({});
    await submit('a4');
    expect(answers).toEqual({ a4: 'try again in 2 s' });
  });

  test('not if its part is not locked, up to the limit of a part', async () => {
    const { submit, run, answers } = openFlushes({ bounds: { maxOfLocked: 1 } });
    await submit('a1');
    await run(2_000);
    await submit('a2', 'a3', 'a4');
    expect(answers).toEqual({});
  });

  test('not while all parts together have room, however large the share of its part', async () => {
    const { submit, answers } = openFlushes({ bounds: { maxWaiting: 6 } });
    await submit('b1');
    await submit('a1');
    await submit('a2', 'a3', 'a4', 'a5', 'a6');
    expect(answers).toEqual({ a6: 'try again in 1 s' });
  });
});

describe('there is room again', () => {
  test('after as long as the lock has lasted so far', async () => {
    const { submit, run, nth, answers } = openFlushes({ bounds: { maxOfPartition: 1 } });
    await submit('a1');
    await run(1_000);
    await nth(0).end('locked');
    await submit('a2');
    await run(3_500);
    await submit('a3');
    await run(60_000);
    await submit('a4');
    expect(answers).toEqual({ a3: 'try again in 5 s', a4: 'try again in 30 s' });
  });

  test('after the time that flushes for the waiting requests take, judged by the last flush', async () => {
    const { submit, run, nth, answers } = openFlushes({ bounds: { most: 2, maxOfPartition: 4 } });
    await submit('a1', 'a2', 'a3', 'a4');
    await run(1_700);
    await nth(0).end();
    await submit('a5', 'a6', 'a7', 'a8', 'a9');
    expect(answers).toEqual({ a1: 'a1', a2: 'a2', a9: 'try again in 4 s' });
  });

  test('when requests have been answered', async () => {
    const { submit, nth, answers } = openFlushes({ bounds: { maxWaiting: 4 } });
    await submit('a1', 'a2', 'a3', 'a4');
    await nth(0).end();
    await submit('b1', 'c1', 'c2', 'c3');
    expect(answers).toEqual({ a1: 'a1', a2: 'a2', a3: 'a3', a4: 'a4' });
  });

  test('when requests are abandoned, which are then not flushed', async () => {
    const gone = new Set<string>();
    const dismissal = (request: string) => (gone.has(request) ? new Error('has left') : undefined);
    const { submit, run, nth, begun, answers } = openFlushes({ bounds: { maxWaiting: 6, flights: 1 }, dismissal });
    await submit('a1');
    await submit('a2', 'a3', 'a4', 'a5', 'a6');
    for (const request of ['a2', 'a4', 'a5', 'a6']) gone.add(request);
    const dismissed = { a2: 'has left', a4: 'has left', a5: 'has left', a6: 'has left' };
    await run(1);
    expect(answers).toEqual(dismissed);
    await submit('c1', 'b1', 'b2', 'b3');
    expect(answers).toEqual(dismissed);
    await nth(0).end();
    expect(begun(1)).toEqual(['skipLocked: c1 b1 b2 b3 a3']);
  });

  test('for a part’s even share among the parts that have requests now', async () => {
    const { submit, nth, answers } = openFlushes({ bounds: { maxWaiting: 4, flights: 1 } });
    await submit('a', 'b', 'c', 'd');
    await nth(0).end();
    await submit('x1');
    await submit('y1', 'y2', 'z1');
    await submit('z2', 'y3');
    expect(answers).toMatchObject({ a: 'a', d: 'd', y3: 'try again in 1 s' });
    expect(answers).not.toHaveProperty('z2');
  });
});
