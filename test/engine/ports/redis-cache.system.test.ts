import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { createRedisCache, NEAR_MS } from '../../../adapters/redis/cache.js';
import { openRedis, type RedisLink } from '../../../adapters/redis/link.js';
import { StoredValues } from '../../../adapters/redis/stored-values.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import type { Cache } from '../../../src/ports/cache.js';
import { describeOnBoth, patient, source } from '../../kit/redis/redis.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';

const held = <T>(value: T) => ({ value, fetchedAt: 1_700_000_000_123 });

describeOnBoth('the cache in Redis', (redis) => {
  let links: [RedisLink, RedisLink];
  let clock: ManualClock;
  let here: Cache;
  let there: Cache;

  beforeAll(async () => {
    links = [await openRedis(redis().urls, patient), await openRedis(redis().urls, patient)];
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));
  beforeEach(async () => {
    await redis().flush();
    clock = manualClock();
    const cacheOn = (link: RedisLink) => createRedisCache({ link, source, clock, near: createMemoryCache({ clock }) });
    [here, there] = [cacheOn(links[0]), cacheOn(links[1])];
  });

  it('holds on every node what one node has set, across all slots', async () => {
    const keys = Array.from({ length: 300 }, (_, n) => `page:{list-${n}}:Zoë`);
    await Promise.all(keys.map((key, n) => here.set(key, held({ n, name: 'Zoë ✓' }), HOUR_MS)));
    const found = await there.getMany([...keys, 'never']);
    expect(found).toEqual([...keys.map((_, n) => held({ n, name: 'Zoë ✓' })), undefined]);
  });

  it('keeps the same object while it does not change, on the node that set it and on one that read it', async () => {
    const page = { users: [{ id: '1' }] };
    await here.set('k', held(page), HOUR_MS);
    const read = await there.get('k');
    for (let n = 0; n < 3; n += 1) {
      clock.advance(NEAR_MS + 1);
      expect((await here.get('k'))?.value).toBe(page);
      expect((await there.get('k'))?.value).toBe(read?.value);
    }
    // Equal, but set again.
    await here.set('k', held({ users: [{ id: '1' }] }), HOUR_MS);
    clock.advance(NEAR_MS + 1);
    expect((await there.get('k'))?.value).not.toBe(read?.value);
    expect(await there.get('k')).toEqual(read);
  });

  it('gives one object to all that read a key at the same time', async () => {
    await here.set('k', held({ a: 1 }), HOUR_MS);
    await Promise.all(Array.from({ length: 10 }, () => there.get('k')));
    const [one, other] = await Promise.all([there.get('k'), there.get('k')]);
    expect(one?.value).toBe(other?.value);
  });

  it('trusts its copy for two seconds and no longer', async () => {
    await here.set('k', held('old'), HOUR_MS);
    await there.get('k');
    await here.set('k', held('new'), HOUR_MS);
    expect(await here.get('k')).toEqual(held('new'));
    clock.advance(NEAR_MS);
    expect(await there.get('k')).toEqual(held('old'));
    clock.advance(1);
    expect(await there.get('k')).toEqual(held('new'));
    await here.delete(['k']);
    expect(await here.get('k')).toBeUndefined();
    clock.advance(NEAR_MS + 1);
    expect(await there.get('k')).toBeUndefined();
  });

  it('returns nothing that was read from another network, or by a version that names none', async () => {
    const cacheOf = (of: string) =>
      createRedisCache({ link: links[0], source: of, clock, near: createMemoryCache({ clock }) });
    await cacheOf('another').set('k', held('of the other'), HOUR_MS);
    const text = await new StoredValues({ link: links[0], source: 'another' }).get('k');
    await links[0].run<unknown>(
      (client) => client.set('perch:k', text ?? ''),
      () => undefined,
    );
    expect(await here.get('k')).toBeUndefined();
    expect(await cacheOf('another').get('k')).toEqual(held('of the other'));
  });

  it('finds what another network shows, rather than nothing, while pages of both are cached', async () => {
    const another = createRedisCache({ link: links[1], source: 'another', clock, near: createMemoryCache({ clock }) });
    await another.set('page:{a}:', held({}), HOUR_MS, ['user:1']);
    expect(await here.shows(['user:1', 'user:2'])).toEqual([true, false]);
  });

  it.each(['perch:page:{a}:', 'perch:another:page:{a}:'])(
    'does not know what is shown if there is %s and no record of it',
    async (key) => {
      await links[0].run<unknown>(
        (client) => client.set(key, 'a page'),
        () => undefined,
      );
      expect(await here.shows(['user:1'])).toEqual([undefined]);
    },
  );

  it('sets and deletes in call order, even within one turn', async () => {
    const values = new StoredValues({ link: links[0], source });
    const set = (key: string) => values.set(key, key, HOUR_MS);
    await set('b');
    await Promise.all([set('a'), values.delete('b'), values.delete('a'), set('b')]);
    expect(await Promise.all(['a', 'b'].map(values.get))).toEqual([null, 'b']);
  });

  it('expires in Redis when it expires here', async () => {
    await here.set('k', held('v'), 60_000);
    const ttlMs = await links[0].run(
      (client) => client.pttl(`perch:${source}:k`),
      () => 0,
    );
    expect(ttlMs).toBeGreaterThan(30_000);
    expect(ttlMs).toBeLessThanOrEqual(60_000);
  });

  it("keeps no local copy longer than anything is cached when the node's clock was set back", async () => {
    const lifetimes: number[] = [];
    const local = createMemoryCache({ clock });
    const near: Cache = {
      ...local,
      set: (key, cached, ttlMs) => {
        lifetimes.push(ttlMs);
        return local.set(key, cached, ttlMs);
      },
    };
    const behind = { now: () => clock.now() - 30 * HOUR_MS };
    await here.set('k', held('v'), HOUR_MS);
    expect(await createRedisCache({ link: links[1], source, clock: behind, near }).get('k')).toEqual(held('v'));
    expect(lifetimes).toEqual([6 * HOUR_MS]);
  });

  it("leaves out nothing longer when the server's clock was set back (M25)", async () => {
    await here.shows(['tweet:1']);
    const read = { beganAt: clock.now() - 1000, without: () => undefined };
    const set = () => here.set('k', held('v'), HOUR_MS, ['tweet:1'], read);
    expect(await set()).toBeUndefined();
    await links[0].run<unknown>(
      async (client) => {
        const withdrawn = 'perch:{shown}:withdrawn';
        const [mark = ''] = await client.zrange(withdrawn, '0', '0');
        return client.zincrby(withdrawn, HOUR_MS, mark);
      },
      () => undefined,
    );
    expect(await set()).toBe('v');
  });

  it.each([
    ['text', ['SET', `perch:${source}:{k}`, 'foreign']],
    ['long text', ['SET', `perch:${source}:{k}`, 'x'.repeat(500)]],
    ['a list', ['RPUSH', `perch:${source}:{k}`, 'x']],
  ])('returns nothing for a foreign value of %s, and keeps working', async (_what, [command = '', ...args]) => {
    await links[0].run<unknown>(
      (client) => client.call(command, args),
      () => undefined,
    );
    expect(await here.get('{k}')).toBeUndefined();
    expect(links[0].state().up).toBe(true);
    expect(await here.getMany(['{k}', 'other'])).toEqual([undefined, undefined]);
  });
});
