import { createMemoryCache } from '../adapters/memory/cache.js';
import { createMemoryFlights } from '../adapters/memory/flights.js';
import { createMemoryLimiter } from '../adapters/memory/limiter.js';
import { createMemoryPace } from '../adapters/memory/pace.js';
import { createMemoryTombstones } from '../adapters/memory/tombstones.js';
import type { Config } from './config.js';
import type { Cache, Clock, Flights, Limiter, Pace, Tombstones } from './ports.js';

/** What may be lost, shared by all nodes where there is a Redis, and this process's own where there is none. */
export interface Shared {
  readonly cache: Cache;
  readonly limiter: Limiter;
  readonly pace: Pace;
  readonly flights: Flights;
  readonly tombstones: Tombstones;
  close(): Promise<void>;
}

/** Not set back when the machine's clock is. */
const monotonic: Clock = { now: () => performance.now() };

export function openShared(config: Config, clock: Clock): Shared {
  return {
    cache: createMemoryCache({ clock, maxBytes: config.cacheBytes }),
    limiter: createMemoryLimiter({ clock }),
    pace: createMemoryPace({ clock: monotonic }),
    flights: createMemoryFlights(),
    tombstones: createMemoryTombstones({ clock }),
    close: async () => {},
  };
}
