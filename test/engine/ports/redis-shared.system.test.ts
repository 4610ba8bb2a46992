import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRedis, type RedisLink } from '../../../adapters/redis/link.js';
import { joinNodes } from '../../../adapters/redis/nodes.js';
import { createRedisPace } from '../../../adapters/redis/pace.js';
import { createRedisRateLimiter } from '../../../adapters/redis/rate-limiter.js';
import { createRedisSingleFlight } from '../../../adapters/redis/single-flight.js';
import { createRedisTombstoneLog } from '../../../adapters/redis/tombstones/tombstones.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { shortName } from '../../../src/lib/digest.js';
import type { SingleFlight } from '../../../src/ports/cache.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Tombstone } from '../../../src/ports/tombstones.js';
import { deaf, describeOnBoth, localStores, patient, source } from '../../kit/redis/redis.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { until } from '../../kit/time/until.js';

const nodes = { count: () => 1 };

describeOnBoth('three nodes', (redis) => {
  let links: RedisLink[] = [];
  const open = () => openRedis(redis().urls, patient);

  beforeAll(async () => {
    links = await Promise.all([open(), open(), open()]);
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));
  beforeEach(() => redis().flush());

  const flightsOf =
    (read: string) =>
    (link: RedisLink): SingleFlight =>
      createRedisSingleFlight({ link, source: read, local: localStores(patient.clock).flights });
  const flightsOn = flightsOf(source);

  it('hear each other’s messages', async () => {
    const received: string[] = [];
    const leave = links.map((link, n) => link.subscribe('test', (message) => received.push(`${n}:${message}`)));
    await until('all do', async () => {
      await links[0]?.run<unknown>(
        (client) => client.publish('test', 'hello'),
        () => undefined,
      );
      return links.every((_, n) => received.includes(`${n}:hello`));
    });
    for (const stop of leave) stop();
  });

  describe('flights', () => {
    /** Joins one key on all nodes this many times; the read ends when all have joined. */
    async function joinMany(times: number, read: () => unknown, on: readonly SingleFlight[]) {
      let [reads, open] = [0, () => {}];
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const joins = Array.from({ length: times }, (_, n) =>
        on[n % on.length]?.join('page:{list}:1', async () => {
          reads += 1;
          await gate;
          return read();
        }),
      );
      await until('somebody leads', () => reads > 0);
      // By then all have joined; one that is later still joins.
      await sleep(50);
      open();
      return { results: await Promise.allSettled(joins), reads: () => reads };
    }

    it('make one read of two hundred joins of a key, with one leader (M7)', async () => {
      const { results, reads } = await joinMany(200, () => ({ users: ['Zoë'] }), links.map(flightsOn));
      const values = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
      expect(reads()).toBe(1);
      expect(values.every((value) => JSON.stringify(value?.value) === '{"users":["Zoë"]}')).toBe(true);
      expect(values.filter((value) => value?.led)).toHaveLength(1);
    });

    it('make one read for each of two networks', async () => {
      const on = [source, 'another'].flatMap((read) => links.map(flightsOf(read)));
      const { results, reads } = await joinMany(30, () => null, on);
      expect(reads()).toBe(2);
      expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    });

    it('reach those that wait although every message is lost', async () => {
      const { results, reads } = await joinMany(30, () => null, links.map(deaf).map(flightsOn));
      expect(reads()).toBe(1);
      expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    });

    it('pass a failure on to all nodes as it is', async () => {
      const failure = new ServiceError('not_found', 'No such list', { reason: 'suspended', cause: new Error('inner') });
      const fail = () => {
        throw failure;
      };
      const { results, reads } = await joinMany(9, fail, links.map(flightsOn));
      expect(reads()).toBe(1);
      for (const result of results) {
        expect(result).toMatchObject({
          status: 'rejected',
          reason: { name: 'ServiceError', code: 'not_found', message: 'No such list', detail: { reason: 'suspended' } },
        });
      }
    });

    it('let each node read a value that cannot be sent', async () => {
      const { results } = await joinMany(9, () => 1n, links.map(flightsOn));
      for (const result of results) expect(result).toMatchObject({ status: 'fulfilled', value: { value: 1n } });
    });

    it('replace a leader that dies with one of those that wait', async () => {
      const doomed = await open();
      let isLeading = false;
      void flightsOn(doomed).join('k', () => {
        isLeading = true;
        return new Promise(() => {});
      });
      await until('it leads', () => isLeading);
      const waiting = links.map((link) => flightsOn(link).join('k', () => sleep(2500, 'by an heir')));
      await doomed.close();
      const results = await Promise.all(waiting);
      expect(results.map(({ value }) => value)).toEqual(['by an heir', 'by an heir', 'by an heir']);
      expect(results.filter(({ led }) => led)).toHaveLength(1);
    });

    it('let a leader that is slower than its lock keep it', async () => {
      let reads = 0;
      const read = async () => {
        reads += 1;
        await sleep(4500);
        return reads;
      };
      const results = await Promise.all(links.map((link) => flightsOn(link).join('k', read)));
      expect(results.map(({ value }) => value)).toEqual([1, 1, 1]);
    });
  });

  describe('limiter', () => {
    const limiterOn = (clock?: Clock) => (link: RedisLink) =>
      createRedisRateLimiter({ link, nodes, local: localStores(patient.clock).limiter, ...(clock && { clock }) });
    const takeMany = async (times: number, clock?: Clock): Promise<number> => {
      const limiters = links.map(limiterOn(clock));
      const takes = Array.from({ length: times }, (_, n) => limiters[n % limiters.length]?.take('account', 20));
      return (await Promise.all(takes)).filter((decision) => decision?.allowed).length;
    };

    it('allows exactly the limit over all nodes (L3)', async () => {
      const clock = manualClock();
      expect(await takeMany(300, clock)).toBe(20);
      clock.advance(500);
      expect(await takeMany(300, clock)).toBe(10);
    });

    it('counts by the server’s time, and forgets a bucket once it is full', async () => {
      const startedAt = performance.now();
      const allowed = await takeMany(300);
      const elapsedMs = performance.now() - startedAt;
      expect(allowed).toBeGreaterThanOrEqual(20);
      expect(allowed).toBeLessThanOrEqual(20 + Math.ceil((elapsedMs * 20) / 1000));
      await until('nothing is left', async () => {
        const sizes = await redis().send('KEYS', 'perch:rate:*');
        return sizes.flat().length === 0;
      });
    });

    it("applies each account's own limit to many calls in one turn", async () => {
      const limiter = limiterOn(manualClock())(links[0] as RedisLink);
      const accounts = Array.from({ length: 1000 }, (_, n) => n % 10);
      const decisions = await Promise.all(accounts.map((n) => limiter.take(`account ${n}`, 10 * (n + 1), n + 1)));
      const allowedOf = (n: number) => decisions.filter(({ allowed }, at) => allowed && accounts[at] === n).length;
      expect(Array.from({ length: 10 }, (_, n) => allowedOf(n))).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    });

    it('decides for all nodes, even if another program wrote something else into a bucket', async () => {
      const limiter = limiterOn()(links[0] as RedisLink);
      const foreign = `perch:rate:${shortName('foreign')}`;
      await links[0]?.run<unknown>(
        (client) => client.rpush(foreign, 'x'),
        () => undefined,
      );
      const [first, ...others] = await Promise.all(
        ['foreign', 'own', 'own'].map((bucket) => limiter.take(bucket, 1, 60)),
      );
      expect([first?.allowed, ...others.map(({ allowed }) => allowed)]).toEqual([true, true, false]);
      expect((await limiter.take('foreign', 1, 60)).allowed).toBe(false);
    });

    it('is exact for large limits over long windows', async () => {
      const limiter = limiterOn(manualClock())(links[0] as RedisLink);
      const decision = await limiter.take('account', 1_000_000, 86_400);
      expect(decision).toEqual({
        allowed: true,
        limit: 1_000_000,
        remaining: 999_999,
        resetSeconds: 1,
        retryAfterSeconds: 0,
      });
      expect((await limiter.take('account', 1_000_000, 86_400)).remaining).toBe(999_998);
    });
  });

  describe('pace', () => {
    const paceOn = (clock?: Clock) => (link: RedisLink) =>
      createRedisPace({ link, nodes, local: localStores(patient.clock).pace, ...(clock && { clock }) });

    it('is shared by all nodes, by the server’s time', async () => {
      const paces = links.map(paceOn());
      const startedAt = performance.now();
      const waits = await Promise.all(Array.from({ length: 90 }, (_, n) => paces[n % 3]?.reserve('lane', 30) ?? 0));
      const last = Math.max(...waits);
      expect(last).toBeLessThanOrEqual(89 * (1000 / 30) + 1);
      expect(last).toBeGreaterThanOrEqual(89 * (1000 / 30) - 11 - (performance.now() - startedAt));
    });

    it('lengthens no wait when the clock is set back', async () => {
      const clock = manualClock();
      const pace = paceOn(clock)(links[0] as RedisLink);
      for (let n = 0; n < 5; n += 1) await pace.reserve('lane', 10);
      clock.advance(-3_600_000);
      expect(await pace.reserve('lane', 10)).toBeCloseTo(490, 2);
      expect(await pace.reserve('lane', 10)).toBeCloseTo(590, 2);
    });
  });

  describe('tombstones', () => {
    const gone = (n: number): Tombstone => ({ key: `user:${n}`, gone: n % 2 === 0 });

    it('reach another node in order although every message is lost', async () => {
      const [one, other] = [
        createRedisTombstoneLog({ link: links[0] as RedisLink, source }),
        createRedisTombstoneLog({ link: deaf(links[1] as RedisLink), source }),
      ];
      const received: Tombstone[] = [];
      await other.follow(0, (tombstones) => received.push(...tombstones));
      const many = Array.from({ length: 2500 }, (_, n) => gone(n));
      await Promise.all(many.map((tombstone) => one.add([tombstone])));
      await until('all have come', () => received.length >= many.length);
      expect(received).toEqual(many);
      await Promise.all([one.close(), other.close()]);
    });

    it('do not reach nodes of another network, and those of a version that names none reach all', async () => {
      const logs = [source, 'another'].map((of, n) =>
        createRedisTombstoneLog({ link: links[n] as RedisLink, source: of }),
      );
      const received: Tombstone[][] = [[], []];
      for (const [n, log] of logs.entries()) await log.follow(0, (tombstones) => received[n]?.push(...tombstones));
      const [ours, older] = [gone(2), gone(4)];
      await logs[0]?.add([ours]);
      await links[2]?.run<unknown>(
        (client) => client.xadd('perch:tombstones', '*', 't', JSON.stringify([older])),
        () => undefined,
      );
      await until('the last has come', () =>
        received.every((tombstones) => tombstones.some(({ key }) => key === older.key)),
      );
      expect(received).toEqual([[ours, older], [older]]);
      const entries = await links[2]?.run(
        (client) => client.xrange('perch:tombstones', '-', '+'),
        () => [],
      );
      expect(entries?.[0]?.[1].slice(0, 2), 'as an earlier version reads it').toEqual(['t', JSON.stringify([ours])]);
      await Promise.all(logs.map((log) => log.close()));
    });
  });

  describe('the registry', () => {
    const left: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const leave of left.splice(0)) await leave();
    });

    it('counts live nodes: drops one that leaves at once, and one that dies within seconds', async () => {
      const members = await Promise.all(links.map((link) => joinNodes({ link })));
      left.push(...members.map((member) => () => member.close()));
      await until('all know of all', () => members.every((member) => member.count() === 3));
      await members[2]?.close();
      await until('one has left', () => members[0]?.count() === 2);
      const doomed = await open();
      const member = await joinNodes({ link: doomed });
      await until('one came', () => members[0]?.count() === 3);
      await doomed.close();
      await until('it is found dead', () => members[0]?.count() === 2);
      await member.close();
    });

    it('counts at least as many as the operator states', async () => {
      const member = await joinNodes({ link: links[0] as RedisLink, minNodes: 8 });
      left.push(() => member.close());
      expect(member.count()).toBe(8);
    });
  });
});
