/** The simulated Redis behaves like Redis for the adapters: over it, they pass the suites of their ports. */
import { afterAll, beforeAll, describe } from 'vitest';
import { openRedis, type RedisLink } from '../../../adapters/redis/link.js';
import { Chance } from '../../../demo/random.js';
import { monotonic, timers } from '../../../src/lib/monotonic.js';
import { redisSuites } from '../../engine/ports/suites/redis.suite.js';
import { patient } from '../../kit/redis/redis.js';
import { connectRedis, openRedis as openSimulated } from './parts/redis-client.js';
import { RedisServer } from './parts/redis-server.js';
import { Trace } from './parts/trace.js';
import { Wire } from './parts/wire.js';

const broken = (): Error => new Error('the connection was lost');

describe('the ports in the simulated Redis', () => {
  const server = new RedisServer({ now: Date.now });
  let links: [RedisLink, RedisLink];
  beforeAll(async () => {
    const trace = new Trace({ now: monotonic.now, isKept: false });
    const wire = new Wire({ scheduler: { ...monotonic, ...timers }, chance: new Chance(1), trace });
    const fine = { lost: { there: 0, back: 0 }, slow: { perMille: 0, ms: [0, 0] as const }, isDown: false };
    const station = { name: 'redis', delayMs: [0, 2] as const, isOrdered: true, ...fine, refused: broken, broken };
    const redis = openSimulated(server, station, wire);
    const open = (name: string) =>
      openRedis([], { ...patient, connect: () => connectRedis(redis, { name, isAlive: true }, timers) });
    links = [await open('one'), await open('other')];
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));

  redisSuites(() => ({ links, flush: async () => server.empty() }));
});
