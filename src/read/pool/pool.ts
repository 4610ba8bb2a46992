import { ServiceError } from '../../domain/errors.js';
import type { ListRef } from '../../domain/lists.js';
import type { Family, Tweet, User, UserRef } from '../../domain/model.js';
import { FairShare } from '../../lib/fair-share.js';
import { timers as processTimers } from '../../lib/monotonic.js';
import { UNTRACED } from '../../lib/untraced.js';
import type { Clock, Timers } from '../../ports/clock.js';
import type { Found, Network, NetworkPage } from '../../ports/network.js';
import type { Pace } from '../../ports/rate-limiter.js';
import type { Tracing } from '../../ports/tracing.js';
import type { Waiters } from '../waiters.js';
import { createBatchSpecs, type PageNeeds } from './batch-specs.js';
import { FamilyPool } from './family-pool.js';
import type { PoolHealth } from './health.js';
import { Session } from './session.js';

/** The only access to the network: every read queues here and is batched with others (8.1.7). */
export interface Pool {
  user(ref: UserRef, waiters: Waiters): Promise<Found<User>>;
  tweet(id: string, waiters: Waiters): Promise<Found<Tweet>>;
  page(list: ListRef, token: string | null, waiters: Waiters, needs?: PageNeeds): Promise<NetworkPage>;
  /** Counts a lookup served from the cache. */
  countCacheHit(family: Family): void;
  health(): PoolHealth;
}

export interface PoolOptions {
  readonly network: Network;
  readonly pace: Pace;
  readonly clock: Clock;
  /** Milliseconds from any start, never set back. */
  readonly monotonic: Clock;
  /** Timers on the same clock; the process's own by default. */
  readonly timers?: Timers;
  /** Upstream calls per second of each session; null: no pace. */
  readonly perSecond: Readonly<Record<Family, number | null>>;
  readonly tracing?: Tracing;
}

export function createPool(options: PoolOptions): Pool {
  const { network, pace, clock, monotonic, perSecond, timers = processTimers, tracing = UNTRACED } = options;
  const sessions = network.sessions.map(
    (name) => new Session(name, { clock, monotonic, isFor: (kind) => network.isFor?.(name, kind) ?? true }),
  );
  const createFamilyPool = (family: Family): FamilyPool =>
    new FamilyPool({
      name: `${network.name}:${family}`,
      sessions,
      pace,
      clock,
      monotonic,
      timers,
      perSecond: perSecond[family],
      inFlight: family === 'slow' && network.pace.slow === null ? slowReads(monotonic) : null,
      tracing,
    });
  const families = { fast: createFamilyPool('fast'), slow: createFamilyPool('slow') };
  const { user, tweets, page } = createBatchSpecs(network);
  return {
    user(ref, waiters) {
      const spec = user(ref);
      return families[spec.family].read(spec, ref, waiters);
    },
    tweet: (id, waiters) => families[tweets.family].read(tweets, id, waiters),
    async page(list, token, waiters, needs = {}) {
      if (list.kind === 'search' && list.product && !network.products.includes(list.product)) {
        throw unavailable(list.product);
      }
      const spec = page(list);
      return families[spec.family].read(spec, { list, token, ...needs }, waiters);
    },
    countCacheHit(family) {
      families[family].counts.cacheHits += 1;
    },
    health: () => ({
      families: { fast: families.fast.health, slow: families.slow.health },
      sessions: sessions.map(({ health }) => health),
    }),
  };
}

/**
 * A network without a pace is a database, which runs one slow read on each of its eight connections. Accounts share
 * seven of them, and the last one always remains for fast reads. One account alone has five, each of n at most one in
 * n + 1.
 */
const SLOW_READS = { total: 7, reserved: 2, freePerHeld: 1 } as const;

const slowReads = (monotonic: Clock): FairShare =>
  new FairShare({ ...SLOW_READS, longestMs: Number.POSITIVE_INFINITY, monotonic });

/** No other product is substituted, because that would charge for something that was not requested (P10, P11). */
const unavailable = (product: string): ServiceError =>
  new ServiceError(
    'product_unavailable',
    `${product} search is not available on this network; Latest always is. Nothing was charged.`,
  );
