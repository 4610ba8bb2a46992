import { afterAll, beforeAll } from 'vitest';
import { openRedis, type RedisLink } from '../../../adapters/redis/link.js';
import { describeOnBoth, patient } from '../../kit/redis/redis.js';
import { redisSuites } from './suites/redis.suite.js';

describeOnBoth('the ports in Redis', (redis) => {
  let links: [RedisLink, RedisLink];
  beforeAll(async () => {
    const open = () => openRedis(redis().urls, patient);
    links = [await open(), await open()];
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));

  redisSuites(() => ({ links, flush: () => redis().flush() }));
});
