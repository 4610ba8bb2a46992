import { describe, expect, it } from 'vitest';
import { Waiters } from '../../../../src/read/waiters.js';
import { callContextOf, failureOf, pause, testPool } from '../../../kit/pool.js';

const numbered = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('reads that wait for the pace', () => {
  it('travel together: 300 waiting profiles are three calls of a hundred (8.1.7)', async () => {
    const { user, calls } = testPool({ perSecond: 20 });
    await user('first');
    await Promise.all(numbered(300).map((handle) => user(handle)));
    expect(calls.map(({ of }) => of.length)).toEqual([1, 100, 100, 100]);
  });

  it('keep the pace: no more calls in any time than the pace has places for', async () => {
    const { search, calls } = testPool({ perSecond: 50 });
    await Promise.all(numbered(30).map((query) => search(query)));
    for (const [first, from] of calls.entries()) {
      for (const [later, to] of calls.slice(first).entries()) {
        // A place may be used as late as a timer is, and the next one in time.
        expect(later - 1).toBeLessThanOrEqual(((to.atMs - from.atMs + 200) * 50) / 1000);
      }
    }
  });

  it('take turns: an account with 500 queued searches delays another’s one by a few calls (L7)', async () => {
    const { search, calls } = testPool({ perSecond: 200 });
    const heavy = numbered(500).map((query) => search(query, 'heavy').catch(() => undefined));
    await pause(50);
    const before = calls.length;
    await search('mine', 'light');
    const mine = calls.findIndex(({ of }) => of[0] === 'mine');
    expect(mine - before).toBeLessThanOrEqual(4);
    await Promise.all(heavy);
  });

  it('take the turn of every account that waits for them, including later ones (L7, M7)', async () => {
    const { pool, search, calls } = testPool({ perSecond: 50 });
    const heavy = numbered(20).map((query) => search(query, 'heavy'));
    const waiters = new Waiters(callContextOf('heavy'));
    const last = pool.page({ kind: 'search', subject: 'last', product: 'Latest' }, null, waiters);
    waiters.join(callContextOf('light'));
    await last;
    expect(calls.findIndex(({ of }) => of[0] === 'last')).toBeLessThan(6);
    await Promise.all(heavy);
  });

  it('are dropped when every caller has left', async () => {
    const { pool, search, calls } = testPool({ perSecond: 20 });
    const others = [search('a'), search('b')];
    const callContext = callContextOf();
    const waiters = new Waiters(callContext);
    const left = failureOf(pool.page({ kind: 'search', subject: 'left' }, null, waiters));
    waiters.leave(callContext);
    expect(await left).toMatchObject(['upstream_error', expect.any(Number)]);
    await Promise.all(others);
    await search('c');
    expect(calls.map(({ of }) => of[0])).toEqual(['a', 'b', 'c']);
  });

  it('are refused at once if the queue is too long for the deadline, with a true Retry-After (8.1.7, S2)', async () => {
    const { search, calls } = testPool({ perSecond: 10, deadlineMs: 1050 });
    const queued = numbered(11).map((query) => search(query));
    const startedAt = performance.now();
    const [code, retryAfter] = (await failureOf(search('late'))) as [string, number];
    expect([code, retryAfter]).toEqual(['upstream_rate_limited', 1]);
    expect(performance.now() - startedAt).toBeLessThan(500);
    await Promise.all(queued);
    expect(await failureOf(search('late'))).toBe('answered');
    expect(calls).toHaveLength(12);
  });

  it('are not refused if they fit into a call that goes in time, however many wait', async () => {
    const { user, calls } = testPool({ perSecond: 5, deadlineMs: 3000 });
    const all = numbered(300).map((handle, n) => user(handle, `account${n}`));
    await Promise.all(all);
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  it('report each stretch of waiting once, however many wait at the same time', async () => {
    const { pool } = testPool({ perSecond: 10 });
    const callContext = callContextOf();
    const read = (query: string) => pool.page({ kind: 'search', subject: query }, null, new Waiters(callContext));
    await Promise.all(numbered(4).map(read));
    expect(callContext.upstream.calls).toBe(4);
    expect(callContext.upstream.waitMs).toBeGreaterThanOrEqual(250);
    expect(callContext.upstream.waitMs).toBeLessThan(1500);
    expect(pool.health().families.slow).toMatchObject({ upstreamCalls: 4, waiting: 0 });
  });
});

describe('a read that many accounts wait for', () => {
  it('takes one place in the queue, so no other read is refused because of it (8.1.7)', async () => {
    const { pool, search, calls } = testPool({ perSecond: 2, deadlineMs: 10_000 });
    const busy = search('busy');
    const waiters = new Waiters(callContextOf('a0'));
    const popular = pool.page({ kind: 'search', subject: 'popular' }, null, waiters);
    for (let n = 1; n < 200; n += 1) waiters.join(callContextOf(`a${n}`));
    expect(pool.health().families.slow.waitMs).toBeLessThan(3000);
    expect(await failureOf(search('mine', 'somebody'))).toBe('answered');
    await Promise.all([busy, popular]);
    expect(calls).toHaveLength(3);
  });
});
