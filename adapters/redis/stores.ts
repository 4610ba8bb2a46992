import type { Memories } from '../../src/lib/memories.js';
import type { Cache, SingleFlight } from '../../src/ports/cache.js';
import type { Clock } from '../../src/ports/clock.js';
import type { CallsLeft, Pace, RateLimiter } from '../../src/ports/rate-limiter.js';
import { createRedisCache } from './cache.js';
import { createRedisCallsLeft } from './calls-left.js';
import { type LinkOptions, openRedis, type RedisLink } from './link.js';
import { joinNodes, type Nodes } from './nodes.js';
import { createRedisPace } from './pace.js';
import { createRedisRateLimiter } from './rate-limiter.js';
import { createRedisSingleFlight } from './single-flight.js';
import { createRedisTombstoneLog, type RedisTombstoneLog } from './tombstones/tombstones.js';

export interface RedisStoresOptions extends LinkOptions {
  /** One server, or nodes of a cluster. */
  readonly urls: readonly string[];
  /**
   * Identifies what is read: a network at an address. Part of the keys of what was read, so that nothing of another
   * source is ever taken for it.
   */
  readonly source: string;
  /** Wall clock time: decides how long things stay cached. */
  readonly clock: Clock;
  /** This process's own stores: local copies in front of Redis, and the only ones while it is away. */
  readonly local: {
    readonly cache: Cache;
    readonly unpaid: Cache;
    readonly limiter: RateLimiter;
    readonly pace: Pace;
    readonly flights: SingleFlight;
  };
  /** The least number of processes. */
  readonly minNodes?: number;
  /** The longest that anything is cached. */
  readonly longestMs?: number;
  /** Accounts for the memory that the stores use in this process. */
  readonly memories?: Memories;
}

export interface RedisStores {
  readonly cache: Cache;
  readonly unpaid: Cache;
  readonly limiter: RateLimiter;
  readonly pace: Pace;
  readonly callsLeft: CallsLeft;
  readonly flights: SingleFlight;
  readonly tombstoneLog: RedisTombstoneLog;
  readonly link: RedisLink;
  readonly nodes: Nodes;
  close(): Promise<void>;
}

/** Everything that nodes share and may lose. Opens even while Redis is away, and never fails because of it. */
export async function openRedisStores(options: RedisStoresOptions): Promise<RedisStores> {
  const { urls, source, clock, local, minNodes = 1, longestMs, memories } = options;
  const link = await openRedis(urls, options);
  const nodes = await joinNodes({ link, minNodes });
  const tombstoneLog = createRedisTombstoneLog({ link, source, memories });
  const common = { link, source, clock, ...(longestMs !== undefined && { longestMs }), ...(memories && { memories }) };
  return {
    cache: createRedisCache({ ...common, near: local.cache }),
    unpaid: createRedisCache({ ...common, near: local.unpaid }),
    limiter: createRedisRateLimiter({ link, nodes, local: local.limiter }),
    pace: createRedisPace({ link, nodes, local: local.pace }),
    callsLeft: createRedisCallsLeft(link),
    flights: createRedisSingleFlight({ link, source, local: local.flights }),
    tombstoneLog,
    link,
    nodes,
    async close() {
      await tombstoneLog.close();
      await nodes.close();
      await link.close();
    },
  };
}
