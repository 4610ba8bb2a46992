import { describe, expect, it, vi } from 'vitest';
import { createMemorySingleFlight } from '../../../../adapters/memory/pace.js';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { CallContext } from '../../../../src/read/call-context.js';
import { SharedReads } from '../../../../src/read/shared-reads.js';
import { callContextOf, failureOf, pause, testPool } from '../../../kit/pool.js';

const numbered = (count: number, prefix = 'n'): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('network sessions', () => {
  const refused = () => new ServiceError('access_denied', 'Error 37.', { reason: 'session' });

  it('read a refused list with another session, and do not send that kind to the refusing one again (U34)', async () => {
    const { list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session, what }) => {
        if (session === 'one' && what === 'followers') throw refused();
      },
    });
    for (let n = 0; n < 20; n += 1) expect(await failureOf(list('followers', `${n}`))).toBe('answered');
    const attempts = calls.filter(({ session, what }) => session === 'one' && what === 'followers');
    expect(attempts.length).toBeLessThanOrEqual(1);
    await list('thread', '1');
  });

  it('answer 403 if none of them may read a list, after one request with each', async () => {
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

  it('continue with other subjects after one was refused, which is not sent again (S17)', async () => {
    const { list, calls } = testPool({
      answer: ({ of }) => {
        if (of[0] === 'odd') throw refused();
      },
    });
    for (let n = 0; n < 10; n += 1) {
      expect(await failureOf(list('followers', 'odd'))).toEqual(['access_denied', undefined]);
      expect(await failureOf(list('followers', `good${n}`))).toBe('answered');
    }
    expect(calls.filter(({ of }) => of[0] === 'odd').length).toBeLessThanOrEqual(10);
    const before = calls.length;
    await failureOf(list('followers', 'odd'));
    for (let n = 0; n < 5; n += 1) await failureOf(list('followers', 'odd'));
    expect(calls.length).toBe(before + 1);
  });

  it('stop reading a kind after three refused subjects in a row, and try one read a minute (S17)', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      let isRefused = true;
      const { list, search, calls, pool } = testPool({
        answer: ({ what }) => {
          if (isRefused && what === 'followers') throw refused();
        },
      });
      for (let n = 0; n < 20; n += 1) {
        expect(await failureOf(list('followers', `a${n}`))).toEqual(['access_denied', undefined]);
      }
      expect(calls).toHaveLength(3);
      expect(pool.health().sessions).toMatchObject([
        { state: 'limited', closed: [{ kind: 'followers', why: 'refused' }] },
      ]);
      expect(await failureOf(search('another kind'))).toBe('answered');
      vi.advanceTimersByTime(60_001);
      const callContext = () => callContextOf('a', 30_000);
      for (let n = 0; n < 5; n += 1) await failureOf(list('followers', `b${n}`, callContext()));
      expect(calls).toHaveLength(5);
      isRefused = false;
      vi.advanceTimersByTime(60_001);
      for (let n = 0; n < 5; n += 1)
        expect(await failureOf(list('followers', `c${n}`, callContext()))).toBe('answered');
      expect(pool.health().sessions).toMatchObject([{ state: 'ok' }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ['rests', () => new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 900 })],
    ['fails', () => new ServiceError('upstream_error', 'Not well.')],
  ])('keep reading a kind after one odd subject was refused while the other one %s (S17)', async (_, failure) => {
    const { list, pool } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session, of }) => {
        if (session === 'one') throw failure();
        if (of[0] === 'odd') throw refused();
      },
    });
    for (let n = 0; pool.health().sessions[0]?.state === 'ok'; n += 1) await failureOf(list('followers', `n${n}`));
    expect(await failureOf(list('followers', 'odd'))).toMatchObject([
      expect.stringMatching(/^upstream/),
      expect.any(Number),
    ]);
    expect(await failureOf(list('followers', 'good'))).toBe('answered');
  });

  it.each(['upstream_error', 'upstream_rate_limited', 'request_rejected', 'query_id_stale'] as const)(
    'retry a read that fails with %s once on another session within the same call (S12)',
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

  it.each([
    ['refuses it', refused(), 'answered', 2],
    ['fails', new ServiceError('upstream_error', 'Not well.'), 'answered', 3],
    ['knows that it does not exist', new ServiceError('not_found', 'None.'), ['not_found', undefined], 1],
  ])(
    'answer a call that joins a read after all others left, if its session %s',
    async (_, failure, expected, count) => {
      let answer = (): void => {};
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const { pool, calls } = testPool({
        sessions: ['one', 'two'],
        answer: async ({ session }) => {
          await answered;
          if (session === 'one') throw failure;
        },
      });
      const shared = new SharedReads(createMemorySingleFlight());
      const join = (callContext: CallContext) =>
        shared.join('key', callContext, (waiters) => pool.page({ kind: 'followers', subject: '1' }, null, waiters));
      const leaving = new AbortController();
      const first = join(callContextOf('a', 30_000, leaving.signal));
      await expect.poll(() => calls).toHaveLength(1);
      leaving.abort(new Error('left'));
      await expect(first).rejects.toThrow('left');
      const second = failureOf(join(callContextOf('b')));
      answer();
      expect([await second, calls.length]).toEqual([expected, count]);
    },
  );

  it('report a 404 of the session that retries, whatever failed before', async () => {
    const { list } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session }) => {
        throw session === 'one'
          ? new ServiceError('upstream_error', 'Not well.')
          : new ServiceError('not_found', 'None.');
      },
    });
    expect(await failureOf(list('followers', '1'))).toEqual(['not_found', undefined]);
  });

  it('report the original failure if the session that retries has no access at all', async () => {
    const { list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session }) => {
        throw session === 'one' ? new ServiceError('upstream_error', 'Not well.') : refused();
      },
    });
    for (let n = 0; n < 3; n += 1) expect(await failureOf(list('followers', '1'))).toMatchObject(['upstream_error', 2]);
    expect(calls.filter(({ session }) => session === 'two').length).toBeLessThanOrEqual(1);
  });

  it('also retry reads that wait for a session while it is refused', async () => {
    const { list } = testPool({
      sessions: ['one', 'two'],
      perSecond: 20,
      answer: ({ session }) => {
        throw session === 'one' ? new ServiceError('upstream_error', 'Not well.') : refused();
      },
    });
    const failures = await Promise.all(numbered(4).map((id) => failureOf(list('followers', id))));
    expect(failures.map(([code]) => code)).toEqual(Array(4).fill('upstream_error'));
  });

  it('retry a whole failed batch with another session', async () => {
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

  it('rest for as long as the network says, while the others are used', async () => {
    let nowMs = 1_000_000;
    const { search, calls } = testPool({
      sessions: ['one', 'two'],
      clock: { now: () => nowMs },
      answer: ({ session }) => {
        if (session === 'one') throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 900 });
      },
    });
    const callContext = () => callContextOf('a', 1e9);
    for (let n = 0; n < 10; n += 1) await search(`q${n}`, 'a', callContext());
    expect(calls.filter(({ session }) => session === 'one').length).toBeLessThanOrEqual(1);
    nowMs += 900_001;
    for (let n = 0; n < 10; n += 1) await search(`later${n}`, 'a', callContext());
    expect(calls.filter(({ session }) => session === 'one').length).toBeLessThanOrEqual(2);
  });

  it.each([
    ['no session is left', 'no_account', 'no_account', 'no_account'],
    ['all are out of calls', 'upstream_rate_limited', 'upstream_rate_limited', 'upstream_rate_limited'],
    ['one is out of calls', 'no_account', 'upstream_rate_limited', 'upstream_rate_limited'],
  ] as const)('%s: refuse until the first session is free, without a call (S3, U32)', async (_, one, two, expected) => {
    const rests = { one: { code: one, retryAfter: 700 }, two: { code: two, retryAfter: 300 } };
    const { search, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session }) => {
        const { code, retryAfter } = rests[session === 'one' ? 'one' : 'two'];
        throw new ServiceError(code, 'Not now.', { retryAfter });
      },
    });
    await failureOf(search('q'));
    const before = calls.length;
    const [code, retryAfter] = (await failureOf(search('q'))) as [string, number];
    expect(code).toBe(expected);
    expect(retryAfter).toBeGreaterThan(290);
    expect(retryAfter).toBeLessThanOrEqual(300);
    expect(calls).toHaveLength(before);
  });

  it('rest if they have no calls left, for that kind of read only', async () => {
    const { search, list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session, what }, { observe }) => {
        if (session === 'one' && what === 'search') observe?.({ remaining: 0, resetsInSeconds: 900 });
      },
    });
    for (let n = 0; n < 10; n += 1) await search(`q${n}`);
    expect(calls.filter(({ session, what }) => session === 'one' && what === 'search').length).toBeLessThanOrEqual(1);
    expect(calls).toHaveLength(10);
    await list('followers', '1');
  });

  it.each([
    ['the read is 503', 300, ['upstream_rate_limited', expect.closeTo(300, -1)]],
    ['for a second, the read waits for it', 1, 'answered'],
  ] as const)('refuse a read while the only other one rests: %s', async (_, resetsInSeconds, expected) => {
    const { list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session, of }, { observe }) => {
        if (session === 'two') observe?.({ remaining: 0, resetsInSeconds });
        else if (of[0] === 'refused') throw refused();
      },
    });
    while (!calls.some(({ session }) => session === 'two')) {
      await Promise.all(numbered(4).map((subject) => list('followers', subject)));
    }
    expect(await failureOf(list('followers', 'refused'))).toEqual(expected);
  });

  it('rest until the latest time that the network states', async () => {
    const { search } = testPool({
      answer: (_, { observe }) => {
        observe?.({ remaining: 0, resetsInSeconds: 900 });
        throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 60 });
      },
    });
    await failureOf(search('q'));
    expect(await failureOf(search('q'))).toEqual(['upstream_rate_limited', expect.closeTo(900, -1)]);
  });

  it('keep reading a kind if only an auxiliary call was refused', async () => {
    let refusals = 1;
    const { search, calls } = testPool({
      sessions: ['one'],
      answer: () => {
        if (refusals-- > 0) {
          throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 900, isBeside: true });
        }
      },
    });
    expect(await failureOf(search('q'))).toEqual(['upstream_rate_limited', 900]);
    expect(await failureOf(search('q'))).toBe('answered');
    expect(calls).toHaveLength(2);
  });

  it('wait for a rest that ends before the deadline', async () => {
    let tired = true;
    const { search, calls } = testPool({
      answer: () => {
        if (!tired) return;
        tired = false;
        throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 0.3 });
      },
    });
    expect(await failureOf(search('q'))).toMatchObject(['upstream_rate_limited', 1]);
    expect(await failureOf(search('q'))).toBe('answered');
    const [first = Number.NaN, second, ...more] = calls.map(({ atMs }) => atMs);
    expect(second).toBeGreaterThan(first + 290);
    expect(more).toEqual([]);
  });

  it('rest after repeated failures, until one call finds the network well again', async () => {
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

  it('have a pace each: two are twice as fast as one', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    const time = async (sessions: string[]): Promise<number> => {
      const { search, calls } = testPool({ sessions, perSecond: 20 });
      const startedAt = performance.now();
      const all = Promise.all(numbered(20).map((query) => search(query)));
      while (calls.length < 20) await vi.advanceTimersByTimeAsync(1);
      await all;
      return performance.now() - startedAt;
    };
    try {
      const [one, two] = [await time(['one']), await time(['one', 'two'])];
      expect(two).toBeLessThan(one * 0.5);
    } finally {
      vi.useRealTimers();
    }
  });

  it('hand a read to another session after half of its time if one hangs (S12)', async () => {
    const { search } = testPool({
      sessions: ['one', 'two'],
      deadlineMs: 2000,
      answer: ({ session }) => (session === 'one' ? new Promise(() => {}) : undefined),
    });
    const outcomes = await Promise.all(numbered(4).map((query) => failureOf(search(query))));
    expect(outcomes).toEqual(Array(4).fill('answered'));
  });

  it('give a read all of its time if no other is for its kind, and never ask the others', async () => {
    const { search, list, calls } = testPool({
      sessions: ['one', 'two', 'three'],
      isFor: (session, kind) => (session === 'two') === (kind === 'search'),
      deadlineMs: 3000,
      answer: ({ what }) => (what === 'search' ? pause(2000) : undefined),
    });
    expect(await Promise.all(numbered(4).map((query) => failureOf(search(query))))).toEqual(Array(4).fill('answered'));
    expect(await failureOf(list('followers', '1'))).toBe('answered');
    expect(calls.map(({ session }) => session === 'two')).toEqual([true, true, true, true, false]);
  });

  it('read with the one that is free first, though others are closed for longer', async () => {
    let rests = 1;
    const { list, calls } = testPool({
      sessions: ['one', 'two'],
      answer: ({ session }) => {
        if (session === 'one') throw refused();
        if (rests-- > 0) throw new ServiceError('upstream_rate_limited', 'Slow down.', { retryAfter: 0.4 });
      },
    });
    const reads = numbered(4).map((subject) => failureOf(list('followers', subject, callContextOf('a', 8000))));
    const outcomes = await Promise.all(reads);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).toBeGreaterThanOrEqual(3);
    expect(calls.filter(({ session }) => session === 'two').length).toBeGreaterThanOrEqual(4);
  });

  it('make a read wait for the pace of those that may read its kind', async () => {
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

  it('hold a read no longer than its deadline if the network never answers', async () => {
    const { search } = testPool({ deadlineMs: 300, answer: () => new Promise(() => {}) });
    expect(await failureOf(search('q'))).toMatchObject(['upstream_error', expect.any(Number)]);
  });
});
