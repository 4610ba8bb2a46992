import type { Memories } from '../../src/core/memories.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Cache, Flights, Limiter, Pace } from '../../src/ports/shared.js';
import { createRedisCache } from './cache.js';
import { createRedisFlights } from './flights.js';
import { createRedisLimiter } from './limiter.js';
import { type Log, openRedis, type RedisLink } from './link.js';
import { joinNodes, type Nodes } from './nodes.js';
import { createRedisPace } from './pace.js';
import { createRedisTombstones, type RedisTombstones } from './tombstones.js';

export interface RedisStoresOptions {
  /** One server, or nodes of a cluster. */
  readonly urls: readonly string[];
  /** Wall clock time: judges how long things are held. */
  readonly clock: Clock;
  readonly log: Log;
  /** This process's own stores: what is at hand in front of Redis, and all there is while it is away. */
  readonly local: {
    readonly cache: Cache;
    readonly unpaid: Cache;
    readonly limiter: Limiter;
    readonly pace: Pace;
    readonly flights: Flights;
  };
  /** Processes there are at least. */
  readonly minNodes?: number;
  /** The longest that anything is cached. */
  readonly longestMs?: number;
  /** Where what it keeps in this process is counted. */
  readonly memories?: Memories;
  /** Longest wait for one operation. */
  readonly deadlineMs?: number;
}

export interface RedisStores {
  readonly cache: Cache;
  readonly unpaid: Cache;
  readonly limiter: Limiter;
  readonly pace: Pace;
  readonly flights: Flights;
  readonly tombstones: RedisTombstones;
  readonly link: RedisLink;
  readonly nodes: Nodes;
  close(): Promise<void>;
}

/** Everything that nodes share and may lose. Opens without Redis too, and never fails for its sake. */
export async function openRedisStores(options: RedisStoresOptions): Promise<RedisStores> {
  const { urls, clock, log, local, minNodes = 1, deadlineMs, longestMs, memories } = options;
  const link = await openRedis(urls, { log, clock, ...(deadlineMs !== undefined && { deadlineMs }) });
  const nodes = await joinNodes({ link, minNodes });
  const tombstones = createRedisTombstones(link, memories);
  const common = { link, clock, ...(longestMs !== undefined && { longestMs }), ...(memories && { memories }) };
  return {
    cache: createRedisCache({ ...common, near: local.cache }),
    unpaid: createRedisCache({ ...common, near: local.unpaid }),
    limiter: createRedisLimiter({ link, nodes, local: local.limiter }),
    pace: createRedisPace({ link, nodes, local: local.pace }),
    flights: createRedisFlights({ link, local: local.flights }),
    tombstones,
    link,
    nodes,
    async close() {
      await tombstones.close();
      await nodes.close();
      await link.close();
    },
  };
}
