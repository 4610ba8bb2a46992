import DataLoader from 'dataloader';
import { ServiceError } from '../core/errors.js';
import { type Family, familyOfList, type ListRef, type Tweet, type User, type UserRef } from '../core/model.js';
import type { Clock, Found, Network, NetworkPage, Pace } from '../ports.js';
import { userKey } from './keys.js';

/** The one door to the network: paced, with a deadline on every call, and a count of what was asked. */
export interface Pool {
  user(ref: UserRef): Promise<Found<User>>;
  tweet(id: string): Promise<Found<Tweet>>;
  page(list: ListRef, token: string | null): Promise<NetworkPage>;
  /** Notes a look-up that needed no read. */
  held(family: Family): void;
  /** How each family did since the start: for `/status`. */
  health(): Record<Family, FamilyHealth>;
}

export interface FamilyHealth {
  readonly upstreamCalls: number;
  readonly failures: number;
  /** Look-ups that were answered from what is held, and those that went to the network. */
  readonly held: number;
  readonly read: number;
  readonly lastIncident: { at: number; code: string; message: string } | null;
  /** True when the last call of the family failed. */
  readonly failing: boolean;
}

export interface PoolOptions {
  readonly network: Network;
  readonly pace: Pace;
  readonly clock: Clock;
  /** Longest one read may take, waiting for the pace included (S13). */
  readonly deadlineMs: number;
}

/** Failures that say something about the network, not about what was asked for. */
const TROUBLE = new Set([
  'upstream_rate_limited',
  'no_account',
  'upstream_error',
  'request_rejected',
  'query_id_stale',
]);

export function createPool(options: PoolOptions): Pool {
  const { network, pace, clock, deadlineMs } = options;
  const healths = { fast: newHealth(), slow: newHealth() };

  /** One paced upstream call. The signal is the read's own: many callers may wait for it, so no single one may stop it. */
  async function call<T>(family: Family, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(deadlineMs);
    const health = healths[family];
    try {
      await pace.turn(family, signal);
      health.upstreamCalls += 1;
      const answer = await within(signal, read(signal));
      health.failing = false;
      return answer;
    } catch (error) {
      const failure = upstreamFailure(error);
      if (TROUBLE.has(failure.code)) {
        health.failures += 1;
        health.failing = true;
        health.lastIncident = { at: clock.now(), code: failure.code, message: failure.message };
      }
      throw failure;
    }
  }

  // Misses of all operations that arrive together travel together, up to the network's batch size.
  const users = new DataLoader<UserRef, Found<User>, string>(
    (refs) => distinctly(refs, userKey, (some) => call('fast', (signal) => network.users(some, { signal }))),
    { cache: false, cacheKeyFn: userKey, maxBatchSize: network.batchSize.users, batchScheduleFn: afterThisTick },
  );
  const tweets = new DataLoader<string, Found<Tweet>>(
    (ids) => distinctly(ids, String, (some) => call('fast', (signal) => network.tweets(some, { signal }))),
    { cache: false, maxBatchSize: network.batchSize.tweets, batchScheduleFn: afterThisTick },
  );

  return {
    user(ref) {
      healths.fast.read += 1;
      return users.load(ref);
    },
    tweet(id) {
      healths.fast.read += 1;
      return tweets.load(id);
    },
    async page(list, token) {
      if (list.kind === 'search' && list.product && !network.products.includes(list.product)) {
        throw unavailable(list.product);
      }
      const family = familyOfList(list.kind);
      healths[family].read += 1;
      return call(family, (signal) => network.page(list, token, { signal }));
    },
    held(family) {
      healths[family].held += 1;
    },
    health: () => healths,
  };
}

const newHealth = (): { -readonly [K in keyof FamilyHealth]: FamilyHealth[K] } => ({
  upstreamCalls: 0,
  failures: 0,
  held: 0,
  read: 0,
  lastIncident: null,
  failing: false,
});

/** Never another product in its place: that would sell what was not asked for (P10, P11). */
const unavailable = (product: string): ServiceError =>
  new ServiceError('product_unavailable', `${product} is not served here. Latest always is. Nothing was charged.`);

/** One input for all who wait for it: reads that must not share a flight may share the call that is still to come (M8). */
async function distinctly<Ref, T>(
  refs: readonly Ref[],
  keyOf: (ref: Ref) => string,
  read: (distinct: readonly Ref[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const distinct = new Map(refs.map((ref) => [keyOf(ref), ref]));
  const found = await read([...distinct.values()]);
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, found[index] as T]));
  return refs.map((ref) => byKey.get(keyOf(ref)) as T);
}

const afterThisTick = (dispatch: () => void): void => {
  setImmediate(dispatch);
};

function upstreamFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  const message = late ? 'The network did not answer in time.' : 'The network failed to answer.';
  return new ServiceError('upstream_error', message, { cause: error });
}

/** The answer, or the signal's reason if that comes first: a network that ignores the signal cannot hold a caller. */
export async function within<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
