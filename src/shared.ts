import type { FastifyBaseLogger } from 'fastify';
import { createMemoryCache } from '../adapters/memory/cache.js';
import { createMemoryFlights } from '../adapters/memory/flights.js';
import { createMemoryLimiter } from '../adapters/memory/limiter.js';
import { createMemoryPace } from '../adapters/memory/pace.js';
import { createMemoryTombstones } from '../adapters/memory/tombstones.js';
import type { LinkState } from '../adapters/redis/link.js';
import { openRedisStores } from '../adapters/redis/stores.js';
import type { Config } from './config.js';
import { monotonic } from './core/monotonic.js';
import type { Clock } from './ports/clock.js';
import type { Cache, Flights, Limiter, Pace, Tombstones } from './ports/shared.js';

/** What may be lost: shared by all nodes where there is a Redis, and this process's own where there is none. */
export interface Shared {
  readonly cache: Cache;
  readonly limiter: Limiter;
  readonly pace: Pace;
  readonly flights: Flights;
  readonly tombstones: Tombstones;
  /** How Redis is, and how many nodes share it; null where none is used. */
  readonly redis: (() => LinkState & { readonly nodes: number }) | null;
  close(): Promise<void>;
}

export interface SharedOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
}

export async function openShared({ config, clock, log }: SharedOptions): Promise<Shared> {
  const local = {
    cache: createMemoryCache({ clock, maxBytes: config.cacheBytes }),
    limiter: createMemoryLimiter({ clock }),
    pace: createMemoryPace({ clock: monotonic }),
    flights: createMemoryFlights(),
  };
  if (config.redisUrls.length === 0) {
    return { ...local, tombstones: createMemoryTombstones({ clock }), redis: null, close: async () => {} };
  }
  const stores = await openRedisStores({ urls: config.redisUrls, clock, log, local, minNodes: config.workers });
  return { ...stores, redis: () => ({ ...stores.link.state(), nodes: stores.nodes.count() }) };
}
