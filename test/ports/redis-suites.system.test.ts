import { afterAll, beforeAll, describe } from 'vitest';
import { createMemoryCache } from '../../adapters/memory/cache.js';
import { createMemoryPace } from '../../adapters/memory/pace.js';
import { createMemoryRateLimiter } from '../../adapters/memory/rate-limiter.js';
import { createMemorySingleFlight } from '../../adapters/memory/single-flight.js';
import { createRedisCache } from '../../adapters/redis/cache.js';
import { openRedis, type RedisLink } from '../../adapters/redis/link.js';
import { createRedisPace } from '../../adapters/redis/pace.js';
import { createRedisRateLimiter } from '../../adapters/redis/rate-limiter.js';
import { createRedisSingleFlight } from '../../adapters/redis/single-flight.js';
import { createRedisTombstoneLog } from '../../adapters/redis/tombstones.js';
import { manualClock } from '../support/manual-clock.js';
import { describeOnBoth, patient } from '../support/redis.js';
import { cacheSuite } from './cache.suite.js';
import { paceSuite } from './pace.suite.js';
import { limiterSuite } from './rate-limiter.suite.js';
import { flightsSuite } from './single-flight.suite.js';
import { tombstonesSuite } from './tombstones.suite.js';

const nodes = { count: () => 1 };

describeOnBoth('the ports in Redis', (redis) => {
  let links: [RedisLink, RedisLink];
  beforeAll(async () => {
    const open = () => openRedis(redis().urls, patient);
    links = [await open(), await open()];
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));

  /** An empty Redis, and a clock of the test's. */
  async function begin() {
    await redis().flush();
    const clock = manualClock();
    return { clock, advance: async (ms: number) => clock.advance(ms), close: async () => {} };
  }

  describe('cache', () => {
    cacheSuite(async () => {
      const { clock, ...harness } = await begin();
      const cache = createRedisCache({ link: links[0], clock, near: createMemoryCache({ clock }) });
      return { cache, ...harness };
    });
  });

  describe('limiter', () => {
    limiterSuite(async () => {
      const { clock, ...harness } = await begin();
      const local = createMemoryRateLimiter({ clock });
      return { limiter: createRedisRateLimiter({ link: links[0], nodes, local, clock }), ...harness };
    });
  });

  describe('pace', () => {
    paceSuite(async () => {
      const { clock, ...harness } = await begin();
      const pace = (link: RedisLink) => createRedisPace({ link, nodes, local: createMemoryPace({ clock }), clock });
      return { bookers: [pace(links[0]), pace(links[1])], ...harness };
    });
  });

  describe('flights', () => {
    flightsSuite(async () => {
      const { close } = await begin();
      return { flights: createRedisSingleFlight({ link: links[0], local: createMemorySingleFlight() }), close };
    });
  });

  describe('tombstones', () => {
    tombstonesSuite(async () => {
      await redis().flush();
      const [one, other] = [createRedisTombstoneLog(links[0]), createRedisTombstoneLog(links[1])];
      return {
        nodes: [one, other],
        pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        close: async () => {
          await Promise.all([one.close(), other.close()]);
        },
      };
    });
  });
});
