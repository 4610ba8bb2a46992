import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { openRedis } from '../../../adapters/redis/link.js';
import { openRedisStores, type RedisStores } from '../../../adapters/redis/stores.js';
import type { Tombstone } from '../../../src/ports/tombstones.js';
import { openLine } from '../../kit/postgres/line.js';
import {
  describeOnBoth,
  describeOnRedis,
  localStores,
  patient,
  prepareRedis,
  source,
  type TestRedis,
} from '../../kit/redis/redis.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { watchStalls } from '../../kit/time/stalls.js';
import { until } from '../../kit/time/until.js';

const held = <T>(value: T) => ({ value, fetchedAt: Date.now() });
const wallClock = { now: Date.now };

describeOnBoth('an outage', (redis) => {
  const opened: RedisStores[] = [];
  const others: TestRedis[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((stores) => stores.close()));
    await Promise.all(others.splice(0).map((other) => other.remove()));
  });

  async function openNode(urls = redis().urls, minNodes = 1, clock = wallClock) {
    const logged: string[] = [];
    const log = { info: (text: string) => logged.push(text), warn: (text: string) => logged.push(text) };
    const stores = await openRedisStores({ urls, source, clock, log, local: localStores(clock), minNodes });
    opened.push(stores);
    return { ...stores, logged };
  }

  /**
   * The slowest of the steps of a request, run one after the other, counting only time in which this process could run.
   * The names are its own, because a lock that a hung server takes when it continues, for a caller that has given up,
   * lasts three seconds.
   */
  async function doAll(stores: RedisStores, round: number, name = 'k'): Promise<{ what: string; ms: number }> {
    const steps: Record<string, () => Promise<unknown>> = {
      set: () => stores.cache.set(`${name}${round}`, held({ round }), 60_000),
      get: async () => stores.cache.getMany([`${name}${round}`, 'never', `${name}${round - 1}`]),
      take: async () => stores.limiter.take('account', 20),
      reserve: () => stores.pace.reserve('lane', 20),
      call: () => stores.callsLeft.take('bucket', 1),
      note: () => stores.callsLeft.note('bucket', 100, 60_000),
      join: () => stores.flights.join(`${name}${round}`, async () => round),
      add: () => stores.tombstoneLog.add([{ key: `user:${round}`, gone: true }]),
      delete: () => stores.cache.delete([`${name}${round - 1}`]),
    };
    const stalls = watchStalls();
    let longest = { what: 'nothing', ms: 0 };
    for (const [what, step] of Object.entries(steps)) {
      const [startedAt, stalledBefore] = [performance.now(), stalls.ms()];
      await step();
      // A stall that ends with the step is noted a tick later.
      await sleep(0);
      const ms = performance.now() - startedAt - (stalls.ms() - stalledBefore);
      if (ms > longest.ms) longest = { what: `${what} in round ${round}`, ms };
    }
    stalls.stop();
    return longest;
  }

  const SHORT_MS = 0;
  /** Long enough for connections to be given up. */
  const LONG_MS = 4000;

  describe.each([
    ['killed', SHORT_MS, (one: TestRedis) => one.kill(), (one: TestRedis) => one.restart()],
    ['hung', SHORT_MS, async (one: TestRedis) => one.pause(), async (one: TestRedis) => one.resume()],
    ['hung, for long', LONG_MS, async (one: TestRedis) => one.pause(), async (one: TestRedis) => one.resume()],
    [
      'one server hung, for long',
      LONG_MS,
      async (one: TestRedis) => one.pause(1),
      async (one: TestRedis) => one.resume(),
    ],
  ])('%s', (how, forMs, goAway, comeBack) => {
    it('every operation answers within a second without failing, and the stores recover by themselves', async () => {
      const [node, other] = [await openNode(), await openNode()];
      const bothAreUp = (): boolean => node.link.state().up && other.link.state().up;
      await until('both see Redis', bothAreUp);
      node.logged.length = 0;
      const received: Tombstone[] = [];
      await other.tombstoneLog.follow(0, (tombstones) => received.push(...tombstones));

      let [isOver, round, longest] = [false, 0, { what: 'nothing', ms: 0 }];
      const work = (async () => {
        while (!isOver) {
          round += 1;
          const slowest = await doAll(node, round, how);
          if (slowest.ms > longest.ms) longest = slowest;
          await sleep(5);
        }
      })();
      await until('it is in use', () => round > 10);
      await goAway(redis());
      await until('that is noticed', () => !node.link.state().up);
      const before = round;
      await until('the work goes on', () => round > before + 10);
      await sleep(forMs);
      await comeBack(redis());
      await until('both have it back', bothAreUp, 30_000);
      const after = round;
      await until('it is in use again', () => round > after + 10);
      isOver = true;
      await work;

      expect(longest.ms, longest.what).toBeLessThan(1000);
      let messages = 0;
      other.link.subscribe('test', () => {
        messages += 1;
      });
      await until('messages come again', async () => {
        await node.link.run<unknown>(
          (client) => client.publish('test', ''),
          () => undefined,
        );
        return messages > 0;
      });
      await until('the last one arrives', () => received.some(({ key }) => key === `user:${round}`));
      const missed = Array.from({ length: round - before }, (_, n) => `user:${before + n + 1}`);
      expect(received.map(({ key }) => key)).toEqual(expect.arrayContaining(missed));
      // One outage, plus what a busy machine may add.
      expect(node.logged.length).toBeLessThanOrEqual(6);
      for (const [n, sentence] of node.logged.entries()) {
        expect(sentence).toMatch(
          n % 2 === 0 ? /^Redis is unreachable \(.+\): / : /^Redis is reachable again after \d+ s\.$/,
        );
      }
    });
  });

  it('starts without Redis and connects when it appears', async () => {
    const later = await prepareRedis();
    others.push(later);
    const startedAt = performance.now();
    const node = await openNode(later.urls);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(node.link.state()).toMatchObject({ up: false, lastError: expect.any(String) });
    expect((await doAll(node, 1)).ms).toBeLessThan(1000);
    expect(await node.cache.get('k1')).toMatchObject({ value: { round: 1 } });
    await later.restart();
    await until('it is found', () => node.link.state().up);
    expect(node.logged).toEqual([
      expect.stringMatching(/^Redis is unreachable \(.+\): starting without it\.$/),
      expect.stringMatching(/^Redis is reachable again after \d+ s\.$/),
    ]);
  });

  it('gives each node its share of limit and pace, and reports the whole limit', async () => {
    const clock = manualClock();
    const away = await prepareRedis();
    others.push(away);
    const { limiter, pace } = await openNode(away.urls, 4, clock);
    const takeMany = (bucket: string, limit: number) =>
      Promise.all(Array.from({ length: 30 }, () => limiter.take(bucket, limit)));
    const many = await takeMany('a', 20);
    expect(many.filter(({ allowed }) => allowed)).toHaveLength(5);
    expect(many.every(({ limit }) => limit === 20)).toBe(true);
    expect((await takeMany('b', 1)).filter(({ allowed }) => allowed)).toHaveLength(1);
    clock.advance(3999);
    expect((await limiter.take('b', 1)).allowed).toBe(false);
    clock.advance(1);
    expect((await limiter.take('b', 1)).allowed).toBe(true);
    await pace.reserve('lane', 10);
    expect(await pace.reserve('lane', 10)).toBeCloseTo(390, 2);
  });

  it('deletes from Redis, once it is back, what changed during the outage', async () => {
    const node = await openNode();
    await node.cache.set('k', held('old'), 600_000);
    redis().pause();
    await node.cache.delete(['k']);
    expect(await node.cache.get('k')).toBeUndefined();
    redis().resume();
    await until('it is back', () => node.link.state().up);
    await until('the old is gone', async () => {
      const fresh = await openNode();
      return (await fresh.cache.get('k')) === undefined;
    });
  });

  it('uses the name and password of the first address for all nodes', async () => {
    await redis().send('ACL', 'SETUSER', 'perch', 'on', '>p@ss', '~*', '&*', '+@all');
    const [first = '', ...rest] = redis().urls;
    const link = await openRedis([first.replace('//', '//perch:p%40ss@'), ...rest], patient);
    await until('it is up', () => link.state().up);
    const names = await link.run<unknown[]>(
      (client) => {
        const nodes = client instanceof Cluster ? client.nodes('master') : [client];
        return Promise.all(nodes.map((node) => node.call('ACL', 'WHOAMI')));
      },
      () => [],
    );
    expect(names).toEqual(redis().urls.map(() => 'perch'));
    await link.close();
    const refused = await openRedis([first.replace('//', '//perch:wrong@')], patient);
    expect(refused.state()).toMatchObject({ up: false, lastError: expect.any(String) });
    await refused.close();
  });

  it('needs only one address of a cluster', async () => {
    const link = await openRedis(redis().urls.slice(0, 1), patient);
    await until('it is up', () => link.state().up);
    const keys = Array.from({ length: 20 }, (_, n) => `key:${n}`);
    const replies = await link.run<unknown[]>(
      (client) => Promise.all(keys.map((key) => client.set(key, '1'))),
      () => [],
    );
    expect(replies).toEqual(keys.map(() => 'OK'));
    await link.close();
  });
});

describeOnRedis('a fail-over behind one address', (redis) => {
  it('is followed to the new master, although the connection to the old one stays open', async () => {
    const successor = await prepareRedis();
    await successor.restart();
    const [from, to] = [redis(), successor].map(({ urls: [url = ''] }) => Number(new URL(url).port));
    const line = await openLine({ host: '127.0.0.1', port: Number(from) });
    const link = await openRedis([`redis://127.0.0.1:${line.port}`], patient);
    try {
      await until('it is up', () => link.state().up);
      line.lead({ host: '127.0.0.1', port: Number(to) });
      await redis().send('REPLICAOF', '127.0.0.1', Number(to));
      await link.run<unknown>(
        (client) => client.set('k', 'old'),
        () => undefined,
      );
      expect(link.state()).toMatchObject({ up: false, lastError: expect.stringMatching(/^READONLY /) });
      await until('it is back', () => link.state().up);
      await link.run<unknown>(
        (client) => client.set('k', 'new'),
        () => undefined,
      );
      expect(await successor.sendTo(0, 'GET', 'k')).toBe('new');
    } finally {
      await link.close();
      await line.close();
      await successor.remove();
    }
  });
});
