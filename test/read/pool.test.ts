import { describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../src/core/errors.js';
import { Party } from '../../src/read/party.js';
import { errandOf, failureOf, pause, testPool } from '../support/pool.js';

const numbered = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('what waits for the pace', () => {
  it('travels together: 300 profiles that wait are three calls of a hundred (8.1.7)', async () => {
    const { user, calls } = testPool({ perSecond: 20 });
    await user('first');
    await Promise.all(numbered(300).map((handle) => user(handle)));
    expect(calls.map(({ of }) => of.length)).toEqual([1, 100, 100, 100]);
  });

  it('goes at the pace: no more calls in any time than the pace has places for', async () => {
    const { search, calls } = testPool({ perSecond: 50 });
    await Promise.all(numbered(30).map((query) => search(query)));
    for (const [first, from] of calls.entries()) {
      for (const [later, to] of calls.slice(first).entries()) {
        // A place may be used late by what a timer is late, and the next one in time.
        expect(later - 1).toBeLessThanOrEqual(((to.atMs - from.atMs + 200) * 50) / 1000);
      }
    }
  });

  it('is shared out by turns: an account with 500 searches in the queue delays another’s one by a few calls (L7)', async () => {
    const { search, calls } = testPool({ perSecond: 200 });
    const heavy = numbered(500).map((query) => search(query, 'heavy').catch(() => undefined));
    await pause(50);
    const before = calls.length;
    await search('mine', 'light');
    const mine = calls.findIndex(({ of }) => of[0] === 'mine');
    expect(mine - before).toBeLessThanOrEqual(4);
    await Promise.all(heavy);
  });

  it('is on the turn of everyone who waits for it, also of who came later (L7, M7)', async () => {
    const { pool, search, calls } = testPool({ perSecond: 50 });
    const heavy = numbered(20).map((query) => search(query, 'heavy'));
    const party = new Party(errandOf('heavy'));
    const last = pool.page({ kind: 'search', subject: 'last', product: 'Latest' }, null, party);
    party.join(errandOf('light'));
    await last;
    expect(calls.findIndex(({ of }) => of[0] === 'last')).toBeLessThan(6);
    await Promise.all(heavy);
  });

  it('is not read once nobody waits for it any more', async () => {
    const { pool, search, calls } = testPool({ perSecond: 20 });
    const others = [search('a'), search('b')];
    const errand = errandOf();
    const party = new Party(errand);
    const left = failureOf(pool.page({ kind: 'search', subject: 'left' }, null, party));
    party.leave(errand);
    expect(await left).toMatchObject(['upstream_error', expect.any(Number)]);
    await Promise.all(others);
    await search('c');
    expect(calls.map(({ of }) => of[0])).toEqual(['a', 'b', 'c']);
  });

  it('a queue too long for the deadline refuses at once, with a Retry-After after which it would be read (8.1.7, S2)', async () => {
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

  it('profiles that fit into a call that goes in time are not refused, however many wait', async () => {
    const { user, calls } = testPool({ perSecond: 5, deadlineMs: 3000 });
    const all = numbered(300).map((handle, n) => user(handle, `account${n}`));
    await Promise.all(all);
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  it('tells of its waiting: each stretch of time once, however many reads wait side by side', async () => {
    const { pool } = testPool({ perSecond: 10 });
    const errand = errandOf();
    const read = (query: string) => pool.page({ kind: 'search', subject: query }, null, new Party(errand));
    await Promise.all(numbered(4).map(read));
    expect(errand.upstream.calls).toBe(4);
    expect(errand.upstream.waitMs).toBeGreaterThanOrEqual(250);
    expect(errand.upstream.waitMs).toBeLessThan(1500);
    expect(pool.health().families.slow).toMatchObject({ upstreamCalls: 4, waiting: 0 });
  });
});

describe('a read that many accounts wait for', () => {
  it('is one call in the queue: nobody else is refused for it (8.1.7)', async () => {
    const { pool, search, calls } = testPool({ perSecond: 2, deadlineMs: 10_000 });
    const busy = search('busy');
    const party = new Party(errandOf('a0'));
    const popular = pool.page({ kind: 'search', subject: 'popular' }, null, party);
    for (let n = 1; n < 200; n += 1) party.join(errandOf(`a${n}`));
    expect(pool.health().families.slow.waitMs).toBeLessThan(3000);
    expect(await failureOf(search('mine', 'somebody'))).toBe('answered');
    await Promise.all([busy, popular]);
    expect(calls).toHaveLength(3);
  });
});

describe('reading sessions', () => {
  const refused = () => new ServiceError('access_denied', 'Error 37.', { reason: 'session' });

  it('a refused list is read with another session, and the refusing one is not asked for that kind again (U34)', async () => {
    const { list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session, what }) => {
        if (session === 'one' && what === 'followers') throw refused();
      },
    });
    for (let n = 0; n < 20; n += 1) expect(await failureOf(list('followers', `${n}`))).toBe('answered');
    const asked = calls.filter(({ session, what }) => session === 'one' && what === 'followers');
    expect(asked.length).toBeLessThanOrEqual(1);
    await list('thread', '1');
  });

  it('a list that no session may read is 403, and is asked for with each of them once', async () => {
    const { list, calls } = testPool({
      sessions: ['one', 'two', 'three'],
      answer: () => {
        throw refused();
      },
    });
    for (let n = 0; n < 3; n += 1)
      expect(await failureOf(list('followers', '1'))).toEqual(['access_denied', undefined]);
    expect(calls.map(({ session }) => session).sort()).toEqual(['one', 'three', 'two']);
  });

  it.each(['upstream_error', 'upstream_rate_limited', 'request_rejected', 'query_id_stale'] as const)(
    'a read that fails with %s is tried once on another session within the same call (S12)',
    async (code) => {
      const { search, calls } = testPool({
        sessions: ['one', 'two', 'three'],
        answer: () => {
          throw new ServiceError(code, 'Not well.');
        },
      });
      expect(await failureOf(search('q'))).toMatchObject([code, expect.any(Number)]);
      expect(calls).toHaveLength(2);
      expect(new Set(calls.map(({ session }) => session)).size).toBe(2);
    },
  );

  it('a failed batch goes on with another session, whole', async () => {
    let failures = 1;
    const { user, calls } = testPool({
      sessions: ['one', 'two'],
      answer: () => {
        if (failures-- > 0) throw new ServiceError('upstream_error', 'Not well.');
      },
    });
    await Promise.all(numbered(50).map((handle) => user(handle)));
    expect(calls.map(({ of }) => of.length)).toEqual([50, 50]);
  });

  it('one that the network sends to rest is left alone for as long as it said; the others go on', async () => {
    let nowMs = 1_000_000;
    const { search, calls } = testPool({
      sessions: ['one', 'two'],
      clock: { now: () => nowMs },
      answer: ({ session }) => {
        if (session === 'one') throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 900 });
      },
    });
    const errand = () => errandOf('a', 1e9);
    for (let n = 0; n < 10; n += 1) await search(`q${n}`, 'a', errand());
    expect(calls.filter(({ session }) => session === 'one').length).toBeLessThanOrEqual(1);
    nowMs += 900_001;
    for (let n = 0; n < 10; n += 1) await search(`later${n}`, 'a', errand());
    expect(calls.filter(({ session }) => session === 'one').length).toBeLessThanOrEqual(2);
  });

  it('when all rest, `no_account` says when the first one frees, and nothing is asked (S3, U32)', async () => {
    const rests: Record<string, number> = { one: 700, two: 300 };
    const { search, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session }) => {
        throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: rests[session] ?? 0 });
      },
    });
    expect(await failureOf(search('q'))).toMatchObject(['upstream_rate_limited', expect.any(Number)]);
    const before = calls.length;
    const [code, retryAfter] = (await failureOf(search('q'))) as [string, number];
    expect(code).toBe('no_account');
    expect(retryAfter).toBeGreaterThan(290);
    expect(retryAfter).toBeLessThanOrEqual(300);
    expect(calls).toHaveLength(before);
  });

  it('a rest that ends before the deadline is waited for', async () => {
    let tired = true;
    const { search, calls } = testPool({
      answer: () => {
        if (!tired) return;
        tired = false;
        throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 0.3 });
      },
    });
    expect(await failureOf(search('q'))).toMatchObject(['upstream_rate_limited', 1]);
    const startedAt = performance.now();
    expect(await failureOf(search('q'))).toBe('answered');
    expect(performance.now() - startedAt).toBeGreaterThan(150);
    expect(calls).toHaveLength(2);
  });

  it('one that fails again and again is left alone, then one call finds out that it is well again', async () => {
    let sick = true;
    const { search, calls, pool } = testPool({
      answer: () => {
        if (sick) throw new ServiceError('upstream_error', 'Not well.');
      },
    });
    for (let n = 0; n < 30; n += 1)
      expect(await failureOf(search('q'))).toMatchObject(['upstream_error', expect.any(Number)]);
    expect(calls.length).toBeLessThan(15);
    expect(pool.health().sessions).toMatchObject([{ name: 'one', state: 'failing' }]);
    sick = false;
    await vi.waitFor(async () => expect(await failureOf(search('q'))).toBe('answered'), {
      timeout: 20_000,
      interval: 200,
    });
    expect(pool.health().sessions).toMatchObject([{ state: 'ok' }]);
  });

  it('each has its own pace: two are twice as fast as one', async () => {
    const time = async (sessions: string[]): Promise<number> => {
      const { search } = testPool({ sessions, perSecond: 20 });
      const startedAt = performance.now();
      await Promise.all(numbered(20).map((query) => search(query)));
      return performance.now() - startedAt;
    };
    const [one, two] = [await time(['one']), await time(['one', 'two'])];
    expect(two).toBeLessThan(one * 0.75);
  });

  it('one that hangs costs a read half of its time, and another session makes it (S12)', async () => {
    const { search } = testPool({
      sessions: ['one', 'two'],
      deadlineMs: 2000,
      answer: ({ session }) => (session === 'one' ? new Promise(() => {}) : undefined),
    });
    const outcomes = await Promise.all(numbered(4).map((query) => failureOf(search(query))));
    expect(outcomes).toEqual(Array(4).fill('answered'));
  });

  it('what waits for one that rests is read when it is free, though others are closed for longer', async () => {
    let rests = 1;
    const { list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session }) => {
        if (session === 'one') throw refused();
        if (rests-- > 0) throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 0.4 });
      },
    });
    const reads = numbered(4).map((subject) => failureOf(list('followers', subject, errandOf('a', 8000))));
    const outcomes = await Promise.all(reads);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).toBeGreaterThanOrEqual(3);
    expect(calls.filter(({ session }) => session === 'two').length).toBeGreaterThanOrEqual(4);
  });

  it('the pace of those that may read a kind is what a read of it waits for', async () => {
    const { list, pool } = testPool({
      sessions: ['one', 'two', 'three', 'four'],
      perSecond: 4,
      deadlineMs: 2000,
      answer: ({ session, what }) => {
        if (what === 'followers' && session !== 'four') throw refused();
      },
    });
    for (let n = 0; n < 4; n += 1) await failureOf(list('followers', `warm${n}`));
    const outcomes = await Promise.all(numbered(20).map((subject) => failureOf(list('followers', subject))));
    expect(outcomes.filter((outcome) => outcome !== 'answered').map(([code]) => code)).toEqual(
      expect.arrayContaining(['upstream_rate_limited']),
    );
    expect(outcomes.flat()).not.toContain('upstream_error');
    expect(pool.health().families.slow.refused).toBeGreaterThan(0);
  });

  it('a network that never answers holds a read no longer than its deadline', async () => {
    const { search } = testPool({ deadlineMs: 300, answer: () => new Promise(() => {}) });
    expect(await failureOf(search('q'))).toMatchObject(['upstream_error', expect.any(Number)]);
  });
});
