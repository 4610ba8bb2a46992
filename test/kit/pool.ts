import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryPace } from '../../adapters/memory/pace.js';
import type { ServiceError } from '../../src/domain/errors.js';
import type { ListRef } from '../../src/domain/lists.js';
import { monotonic } from '../../src/lib/monotonic.js';
import type { Network, NetworkPage, ReadContext } from '../../src/ports/network.js';
import { CallContext } from '../../src/read/call-context.js';
import { createPool, type Pool } from '../../src/read/pool/pool.js';
import { Waiters } from '../../src/read/waiters.js';
import { EVERY_LIST } from './networks/lists.js';

/** One upstream call as the network received it. */
export interface UpstreamCall {
  readonly atMs: number;
  readonly session: string;
  readonly what: string;
  readonly of: readonly string[];
}

export interface TestPool {
  readonly pool: Pool;
  readonly calls: UpstreamCall[];
  /** Makes a read that has to wait in the account's queue. */
  search(query: string, accountId?: string, callContext?: CallContext): Promise<NetworkPage>;
  list(kind: ListRef['kind'], subject: string, callContext?: CallContext): Promise<NetworkPage>;
  user(handle: string, accountId?: string, callContext?: CallContext): Promise<unknown>;
}

export interface TestPoolOptions {
  readonly sessions?: readonly string[];
  readonly isFor?: Network['isFor'];
  readonly perSecond?: number | null;
  readonly deadlineMs?: number;
  /** Throws to make a call fail; otherwise the call is answered after `takesMs`. */
  readonly answer?: (call: UpstreamCall, context: ReadContext) => void | Promise<void>;
  readonly clock?: { now(): number };
  readonly batch?: number;
}

export const callContextOf = (accountId = 'a', deadlineMs = 30_000, signal?: AbortSignal): CallContext =>
  new CallContext({
    accountId,
    signal: signal ?? AbortSignal.timeout(deadlineMs),
    deadlineAtMs: monotonic.now() + deadlineMs,
  });

/** A pool over a network that answers every call and records it, with its time and session. */
export function testPool(options: TestPoolOptions = {}): TestPool {
  const { sessions = ['one'], perSecond = null, deadlineMs = 30_000, clock = { now: () => Date.now() } } = options;
  const calls: UpstreamCall[] = [];
  async function answered(what: string, of: readonly string[], context: ReadContext): Promise<void> {
    const call = { atMs: performance.now(), session: context.session ?? '', what, of };
    calls.push(call);
    await options.answer?.(call, context);
  }
  const network: Network = {
    name: 'test',
    sessions,
    ...(options.isFor && { isFor: options.isFor }),
    billing: null,
    batchSize: { users: options.batch ?? 100, tweets: options.batch ?? 100 },
    pace: { fast: perSecond, slow: perSecond },
    products: ['Latest', 'Top'],
    lists: EVERY_LIST,
    async users(refs, context) {
      const names = refs.map((ref) => ('id' in ref ? ref.id : ref.handle));
      await answered('users', names, context);
      return names.map((id) => ({ ok: userOf(id) }));
    },
    async tweets(ids, context) {
      await answered('tweets', ids, context);
      return ids.map((id) => ({ ok: { id, text: '', authorId: '1', createdAt: NOW } }));
    },
    async page(list, _token, context) {
      await answered(list.kind, [list.subject], context);
      return { tweets: [], next: null };
    },
  };
  const pace = createMemoryPace({ clock: monotonic });
  const pool = createPool({ network, pace, clock, monotonic, perSecond: { fast: perSecond, slow: perSecond } });
  return {
    pool,
    calls,
    search: (query, accountId = 'a', callContext = callContextOf(accountId, deadlineMs)) =>
      pool.page({ kind: 'search', subject: query, product: 'Latest' }, null, new Waiters(callContext)),
    list: (kind, subject, callContext = callContextOf('a', deadlineMs)) =>
      pool.page({ kind, subject }, null, new Waiters(callContext)),
    user: (handle, accountId = 'a', callContext = callContextOf(accountId, deadlineMs)) =>
      pool.user({ handle }, new Waiters(callContext)),
  };
}

const NOW = '2026-01-01T00:00:00.000Z';

const userOf = (id: string) => ({
  id,
  handle: id,
  name: id,
  followersCount: 0,
  followingCount: 0,
  tweetsCount: 0,
  createdAt: NOW,
});

/** The code of a failed read, and the seconds to wait. */
export const failureOf = (
  read: Promise<unknown>,
): Promise<[code: string, retryAfter: number | undefined] | 'answered'> =>
  read.then(
    () => 'answered' as const,
    (error: ServiceError) => [error.code, error.retryAfter],
  );

export const pause = (ms: number): Promise<void> => sleep(ms);
