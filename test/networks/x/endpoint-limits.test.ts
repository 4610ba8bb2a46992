import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EndpointLimits } from '../../../adapters/networks/x/endpoint-limits.js';
import type { ServiceError } from '../../../src/domain/errors.js';
import { FINDS_OUT_WITHIN_MS } from '../../../src/ports/rate-limiter.js';
import { createPool } from '../../../src/read/pool/pool.js';
import { Waiters } from '../../../src/read/waiters.js';
import { callContextOf } from '../../kit/pool.js';
import { context, NOW, post, scripting, user } from './support/scripted.js';

const scripted = scripting();
afterEach(() => void vi.useRealTimers());

/** Answers like X, and states for some endpoints that no call is left. */
const answer =
  (empty: readonly string[]) =>
  ({ path, query }: { path: string; query: URLSearchParams }) => {
    const headers = {
      'x-rate-limit-remaining': empty.includes(path) ? '0' : '10',
      'x-rate-limit-reset': String(NOW / 1000 + 600),
    };
    const named = query.get('usernames')?.split(',') ?? [];
    const data = path.endsWith('/by')
      ? named.map((username) => user('5', { username }))
      : path === '/2/users' || path.endsWith('/followers')
        ? [user('5')]
        : [post('30')];
    return { headers, body: { data, meta: { next_token: 'more' } } };
  };

const failing = (read: Promise<unknown>): Promise<ServiceError> =>
  read.then(
    () => Promise.reject(new Error('It did not fail.')),
    (failure: ServiceError) => failure,
  );

describe('an endpoint of X that has no calls left', () => {
  it('is not called again before its reset, with that token, whatever the read', async () => {
    const clock = { now: () => now };
    let now = NOW;
    const at = await scripted(answer(['/2/tweets/search/recent']), { clock });
    const search = (product: 'Latest' | 'Top', session = 'token 1') =>
      at.network.page({ kind: 'search', subject: 'a', product }, null, context({ session }));
    await search('Latest');
    const refused = await failing(search('Top'));
    expect(refused).toMatchObject({ code: 'upstream_rate_limited', detail: { retryAfter: 600 } });
    expect(refused.message).toContain('/2/tweets/search/recent');
    expect(refused.detail.isBeside).toBeUndefined();
    expect(at.requests).toHaveLength(1);
    await search('Top', 'token 2');
    now += 600_000;
    await search('Top');
    expect(at.requests).toHaveLength(3);
  });

  it('gets no more simultaneous calls than it has left, and those that wait are refused (L21)', async () => {
    let left = 4;
    const at = await scripted(({ path }) => {
      left -= 1;
      const { body, headers } = answer([])({ path, query: new URLSearchParams() });
      return { body, headers: { ...headers, 'x-rate-limit-remaining': String(Math.max(0, left)) } };
    });
    const search = (q: string) => at.network.page({ kind: 'search', subject: q, product: 'Latest' }, null, context());
    await search('first');
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map(search));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(at.requests).toHaveLength(4);
  });

  it('gets one call while nothing is known of it, then as many as it has left (L21)', async () => {
    let left = 3;
    const at = await scripted(({ path, query }) => {
      left -= 1;
      const reset = String(NOW / 1000 + 600);
      const headers = { 'x-rate-limit-remaining': String(Math.max(0, left)), 'x-rate-limit-reset': reset };
      return { ...answer([])({ path, query }), headers };
    });
    const search = (q: string) => at.network.page({ kind: 'search', subject: q, product: 'Latest' }, null, context());
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd', 'e', 'f'].map(search));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(at.requests).toHaveLength(3);
  });

  it('gets the others, too, if the first call is not answered for two seconds (L21)', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const limits = new EndpointLimits({ now: () => NOW });
    const { signal } = new AbortController();
    await limits.enter('token 1', '/2/tweets', signal);
    let sent = 0;
    for (let n = 0; n < 3; n += 1) {
      void limits.enter('token 1', '/2/tweets', signal).then(() => {
        sent += 1;
      });
    }
    await vi.advanceTimersByTimeAsync(FINDS_OUT_WITHIN_MS - 1);
    expect(sent).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toBe(3);
  });

  it('gets a call that waited for many answers, and listens to its signal once', async () => {
    const limits = new EndpointLimits({ now: () => NOW });
    const enter = (signal = new AbortController().signal) => limits.enter('token 1', '/2/tweets', signal);
    const first = await enter();
    await first({ remaining: 20, resetsInSeconds: 600 });
    const sent = await Promise.all(Array.from({ length: 20 }, () => enter()));
    const { signal } = new AbortController();
    const waiting = enter(signal);
    for (const leave of sent.slice(0, 15)) {
      // Five calls are left, and at least five are in flight.
      await leave({ remaining: 5, resetsInSeconds: 600 });
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    }
    await sent[15]?.({ remaining: 900, resetsInSeconds: 1500 });
    await waiting;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('gets every call at once after an answer without rate headers', async () => {
    const at = await scripted(({ path, query }) => ({ body: answer([])({ path, query }).body }));
    const search = (q: string) => at.network.page({ kind: 'search', subject: q, product: 'Latest' }, null, context());
    await Promise.all(['a', 'b', 'c', 'd'].map(search));
    expect(at.requests).toHaveLength(4);
  });

  it('gets the next call when the caller of the first one leaves (L21)', async () => {
    const leaving = new AbortController();
    const at = await scripted(({ path, query }) => {
      leaving.abort(new Error('left'));
      return answer(['/2/tweets/search/recent'])({ path, query });
    });
    const search = (q: string, signal?: AbortSignal) =>
      at.network.page({ kind: 'search', subject: q, product: 'Latest' }, null, context(signal && { signal }));
    const outcomes = await Promise.allSettled([search('a', leaving.signal), search('b'), search('c')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(at.requests).toHaveLength(2);
  });

  it('stops a wait for a remaining call when the signal fires (L21)', async () => {
    const at = await scripted(({ path, query }) => ({
      ...answer([])({ path, query }),
      headers: { 'x-rate-limit-remaining': '1', 'x-rate-limit-reset': String(NOW / 1000 + 600) },
    }));
    const search = (q: string, signal?: AbortSignal) =>
      at.network.page({ kind: 'search', subject: q, product: 'Latest' }, null, context(signal && { signal }));
    await search('first');
    const leaving = new AbortController();
    const [sent, waiting] = [search('a'), search('b', leaving.signal)];
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    await sent;
    await search('c');
    expect(at.requests).toHaveLength(3);
  });

  it('is known to be empty before any auxiliary call (L21)', async () => {
    const at = await scripted(answer(['/2/tweets/search/recent', '/2/users/5/followers']));
    await at.network.page({ kind: 'search', subject: 'a', product: 'Latest' }, null, context());
    await at.network.page({ kind: 'followers', subject: '5' }, 'more', context());
    const id = String(BigInt(NOW - 60_000 - 1288834974657) << 22n);
    for (const [kind, subject] of [
      ['replies', id],
      ['thread', id],
      ['followers', '5'],
    ] as const) {
      expect(await failing(at.network.page({ kind, subject }, null, context()))).toMatchObject({
        code: 'upstream_rate_limited',
        detail: { retryAfter: 600 },
      });
    }
    expect(at.requests).toHaveLength(2);
  });

  it('leaves the others alone: users by handle and by id, and a list without its lookup', async () => {
    const at = await scripted(answer(['/2/users/by', '/2/users']));
    await at.network.users([{ handle: 'ada' }], context());
    expect(await failing(at.network.users([{ handle: 'bob' }], context()))).toMatchObject({
      code: 'upstream_rate_limited',
    });
    await at.network.users([{ id: '5' }], context());
    await at.network.page({ kind: 'followers', subject: '5' }, 'more', context());
    expect(at.requests.map(({ path }) => path)).toEqual(['/2/users/by', '/2/users', '/2/users/5/followers']);
  });

  it('is named in a refusal if a lookup, and not the list itself, has no calls left', async () => {
    const at = await scripted(answer(['/2/tweets']));
    const observed: unknown[] = [];
    const observe = (limit: unknown) => observed.push(limit);
    await at.network.tweets(['30'], context({ observe }));
    expect(observed).toEqual([{ remaining: 0, resetsInSeconds: 600 }]);
    const refused = await failing(at.network.page({ kind: 'thread', subject: '30' }, null, context({ observe })));
    expect(refused).toMatchObject({ code: 'upstream_rate_limited', detail: { isBeside: true, retryAfter: 600 } });
    expect(refused.detail.reason).toBeUndefined();
  });

  it('is refused by the pool at once, as rate limited until its reset; ids are still read', async () => {
    const at = await scripted(answer(['/2/users/by']), { bearerTokens: ['one'] });
    const pool = createPool({
      network: at.network,
      pace: { reserve: async () => 0 },
      clock: { now: () => NOW },
      monotonic: { now: () => performance.now() },
      perSecond: { fast: null, slow: null },
    });
    const waiters = () => new Waiters(callContextOf('a', 10_000));
    await pool.user({ handle: 'ada' }, waiters());
    expect(await failing(pool.user({ handle: 'bob' }, waiters()))).toMatchObject({
      code: 'upstream_rate_limited',
      retryAfter: 600,
    });
    await pool.user({ id: '5' }, waiters());
    expect(at.requests.map(({ path }) => path)).toEqual(['/2/users/by', '/2/users']);
  });
});
