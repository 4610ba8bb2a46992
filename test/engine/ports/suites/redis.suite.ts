import { describe } from 'vitest';
import { createMemoryCache } from '../../../../adapters/memory/cache.js';
import { createMemoryPace, createMemorySingleFlight } from '../../../../adapters/memory/pace.js';
import { createMemoryRateLimiter } from '../../../../adapters/memory/rate-limiter.js';
import { createRedisCache } from '../../../../adapters/redis/cache.js';
import type { RedisLink } from '../../../../adapters/redis/link.js';
import { createRedisPace } from '../../../../adapters/redis/pace.js';
import { createRedisRateLimiter } from '../../../../adapters/redis/rate-limiter.js';
import { createRedisSingleFlight } from '../../../../adapters/redis/single-flight.js';
import { createRedisTombstoneLog } from '../../../../adapters/redis/tombstones/tombstones.js';
import { source } from '../../../kit/redis/redis.js';
import { manualClock } from '../../../kit/time/manual-clock.js';
import { cacheSuite } from './cache.suite.js';
import { paceSuite } from './pace.suite.js';
import { limiterSuite } from './rate-limiter.suite.js';
import { flightsSuite } from './single-flight.suite.js';
import { tombstonesSuite } from './tombstones.suite.js';

const nodes = { count: () => 1 };

export interface RedisHarness {
  /** The links of two processes. */
  readonly links: readonly [RedisLink, RedisLink];
  /** Empties the server. */
  flush(): Promise<unknown>;
}

/** The suites of the ports, run over the adapters of Redis. */
export function redisSuites(redis: () => RedisHarness): void {
  /** An empty Redis, and a clock that the test moves. */
  async function begin() {
    await redis().flush();
    const clock = manualClock();
    return { clock, now: clock.now, advance: async (ms: number) => clock.advance(ms), close: async () => {} };
  }

  describe('cache', () => {
    cacheSuite(async () => {
      const { clock, ...harness } = await begin();
      const cache = createRedisCache({ link: redis().links[0], source, clock, near: createMemoryCache({ clock }) });
      return { cache, ...harness };
    });
  });

  describe('limiter', () => {
    limiterSuite(async () => {
      const { clock, ...harness } = await begin();
      const local = createMemoryRateLimiter({ clock });
      return { limiter: createRedisRateLimiter({ link: redis().links[0], nodes, local, clock }), ...harness };
    });
  });

  describe('pace', () => {
    paceSuite(async () => {
      const { clock, ...harness } = await begin();
      const pace = (link: RedisLink) => createRedisPace({ link, nodes, local: createMemoryPace({ clock }), clock });
      return { bookers: [pace(redis().links[0]), pace(redis().links[1])], ...harness };
    });
  });

  describe('flights', () => {
    flightsSuite(async () => {
      const { close } = await begin();
      return {
        flights: createRedisSingleFlight({ link: redis().links[0], source, local: createMemorySingleFlight() }),
        close,
      };
    });
  });

  describe('tombstones', () => {
    tombstonesSuite(async () => {
      await redis().flush();
      const logOn = (link: RedisLink) => createRedisTombstoneLog({ link, source });
      const [one, other] = [logOn(redis().links[0]), logOn(redis().links[1])];
      return {
        nodes: [one, other],
        pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        close: async () => {
          await Promise.all([one.close(), other.close()]);
        },
      };
    });
  });
}
