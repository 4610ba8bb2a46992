import type { FastifyBaseLogger } from 'fastify';
import { createMemoryCache } from '../adapters/memory/cache.js';
import { createMemoryPace, createMemorySingleFlight } from '../adapters/memory/pace.js';
import { createMemoryRateLimiter } from '../adapters/memory/rate-limiter.js';
import { createMemoryTombstoneLog } from '../adapters/memory/tombstones.js';
import type { LinkState } from '../adapters/redis/link.js';
import type { Config } from '../src/config/config.js';
import { type Memories, SharedMemory } from '../src/lib/memories.js';
import { monotonic } from '../src/lib/monotonic.js';
import type { Cache, SingleFlight } from '../src/ports/cache.js';
import type { Clock } from '../src/ports/clock.js';
import type { CallsLeft, Pace, RateLimiter } from '../src/ports/rate-limiter.js';
import type { TombstoneLog } from '../src/ports/tombstones.js';
import type { Lifecycle } from './lifecycle.js';
import { cacheApart, flightsApart } from './test-mode/apart.js';

/** State that may be lost. Shared by all nodes if there is a Redis, otherwise local to this process. */
export interface Shared {
  readonly cache: Cache;
  /** A cache for values that were free, so that they never push out values that were paid for. */
  readonly unpaid: Cache;
  readonly limiter: RateLimiter;
  readonly pace: Pace;
  /** Undefined without Redis: each process then knows only its own calls. */
  readonly callsLeft?: CallsLeft;
  readonly flights: SingleFlight;
  readonly tombstoneLog: TombstoneLog;
  /** The memories of this process, where each part counts what it keeps. */
  readonly memories: Memories;
  /**
   * The same for test mode, so that live reads never see its values, and they never displace values that were paid for.
   */
  readonly testMode: Pick<Shared, 'cache' | 'flights' | 'memories'>;
  /** The state of Redis, and how many nodes share it; null if none is used. */
  readonly redis: (() => LinkState & { readonly nodes: number }) | null;
}

export interface SharedOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly memories: Memories;
  /** Identifies what is read, for the keys in Redis. */
  readonly source: () => Promise<string>;
}

export async function openShared(
  lifecycle: Lifecycle,
  { config, clock, log, memories, source: findSource }: SharedOptions,
): Promise<Shared> {
  const local = {
    cache: createMemoryCache({ clock, memories, maxBytes: config.cacheBytes }),
    unpaid: createMemoryCache({ clock, memories, memory: 'unpaid' }),
    limiter: createMemoryRateLimiter({ clock, memories }),
    pace: createMemoryPace({ clock: monotonic, memories }),
    flights: createMemorySingleFlight(),
  };
  const test = openTestMode({ clock, memories });
  if (config.redisUrls.length === 0) {
    const tombstoneLog = createMemoryTombstoneLog({ clock, memories });
    return { ...local, tombstoneLog, memories, testMode: test(local.flights), redis: null };
  }
  const { openRedisStores } = await import('../adapters/redis/stores.js');
  const source = await findSource();
  const options = {
    urls: config.redisUrls,
    source,
    clock,
    log,
    local,
    minNodes: config.workers,
    longestMs: Math.max(...Object.values(config.lifetimes)),
    memories,
  };
  const stores = await lifecycle.open(
    'Redis',
    () => openRedisStores(options),
    (opened) => opened.close(),
  );
  const { createRedisCache } = await import('../adapters/redis/cache.js');
  const { link, nodes, flights } = stores;
  const testMode = test(flights, (common) =>
    createRedisCache({ ...common, link, source, longestMs: options.longestMs }),
  );
  return { ...stores, memories, testMode, redis: () => ({ ...link.state(), nodes: nodes.count() }) };
}

/**
 * The parts that share test mode's memory: cached values, withdrawn ones, what Redis missed, answers, priced variables,
 * tombstones, and days of refills.
 */
const TEST_PARTS = 7;

type Common = Pick<SharedOptions, 'clock'> & { readonly memories: Memories };

/** `behind` creates the cache that all nodes share, if they share one. */
const openTestMode =
  ({ clock, memories: all }: Common) =>
  (flights: SingleFlight, behind?: (common: Common & { readonly near: Cache }) => Cache): Shared['testMode'] => {
    const memories = new SharedMemory(all, 'test_mode', TEST_PARTS);
    const near = createMemoryCache({ clock, memories });
    const cache = behind?.({ clock, memories, near }) ?? near;
    return { cache: cacheApart(cache), flights: flightsApart(flights), memories };
  };
