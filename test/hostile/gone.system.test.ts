import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createMemoryCache } from '../../adapters/memory/cache.js';
import { createMemoryTombstoneLog } from '../../adapters/memory/tombstones.js';
import { DEFAULT_LIFETIMES } from '../../src/read/lifetimes.js';
import { createTombstones } from '../../src/read/tombstones.js';
import { sendOld } from '../interfaces/mcp/raw.js';
import { createClient, idsOf } from '../kit/client.js';
import { createEngine } from '../kit/engine.js';
import { createScriptedNetwork, range, type ScriptedNetwork } from '../kit/networks/scripted-network.js';
import { describeOnRedis, type TestRedis } from '../kit/redis/redis.js';
import { type Service, startService } from '../rules/support/service.js';

const notFound = { code: 'not_found' };
const clock = { now: () => 0 };

/** Ids that do not exist, different ones each time. */
function strangers(from = 1): () => string[] {
  let last = from * 10 ** 12;
  return () => {
    last += 100;
    return range(100, last).map(String);
  };
}

describe('tombstones while strangers request anything', () => {
  it('survive 1,010 batches of 100 unknown ids, which invalidate nothing (M25)', async () => {
    const net = createScriptedNetwork();
    net.users(range(5));
    net.tweets(range(9, 11), { authorId: '1' });
    net.list('quotes', '99', range(9, 11).map(String).reverse());
    const engine = createEngine(net.network);
    const list = () =>
      engine.page({ kind: 'quotes', subject: '99', count: 9 }).then(({ page }) => page.nodes.map(({ id }) => id));
    expect(await list()).toContain('17');
    net.remove('17');
    await expect(engine.open().reads.tweet('17', { path: 't', fresh: true })).rejects.toMatchObject(notFound);
    const without = await list();
    expect(without).not.toContain('17');
    const { version } = engine.tombstones;
    const next = strangers();
    for (const _ of range(1010)) {
      const { nodes, errors } = await engine.open().reads.tweets(next(), { path: 'b', fresh: false });
      expect([nodes.length, errors.length]).toEqual([0, 100]);
    }
    expect(engine.tombstones.version).toBe(version);
    expect(await list()).toEqual(without);
  });

  it('are forgotten in the order of the account that fills the memory, and not those of other accounts', async () => {
    const cache = createMemoryCache({ clock });
    const seen = range(20_000).map((n) => `tweet:${n}`);
    await cache.set('page', { value: 1, fetchedAt: 0 }, 1e6, [...seen, 'tweet:innocent']);
    const tombstones = createMemoryTombstoneLog({ clock });
    const gone = createTombstones({
      clock,
      lifetimes: DEFAULT_LIFETIMES,
      tombstoneLog: tombstones,
      cache,
      maxBytes: 1024 * 1024,
    });
    await gone.addIfCached('tweet:innocent', 'innocent');
    for (const name of seen) await gone.addIfCached(name, 'hostile');
    expect(gone.has('tweet:innocent')).toBe(true);
    expect([gone.has(seen[0] as string), gone.has(seen.at(-1) as string)]).toEqual([false, true]);
    // Requesting it must not move it to the hostile account, which could then push it out.
    await gone.addIfCached('tweet:innocent', 'hostile');
    for (const name of seen) await gone.addIfCached(name, 'hostile');
    expect(gone.has('tweet:innocent')).toBe(true);
  });

  it('are not pushed out by those that are only a precaution', async () => {
    const known = new Set(['tweet:shown']);
    const cache = { shows: async (names: readonly string[]) => names.map((name) => known.has(name) || undefined) };
    const tombstones = createMemoryTombstoneLog({ clock });
    const gone = createTombstones({
      clock,
      lifetimes: DEFAULT_LIFETIMES,
      tombstoneLog: tombstones,
      cache,
      maxBytes: 1024 * 1024,
    });
    await gone.addIfCached('tweet:shown', 'same account');
    for (const n of range(20_000)) await gone.addIfCached(`tweet:${n}`, 'same account');
    expect([gone.has('tweet:shown'), gone.has('tweet:20000'), gone.has('tweet:1')]).toEqual([true, true, false]);
  });

  it('are not pushed out by those that are a precaution for twenty other accounts', async () => {
    const known = range(400).map((n) => `tweet:known${n}`);
    const cache = {
      shows: async (names: readonly string[]) => names.map((name) => known.includes(name) || undefined),
    };
    const tombstones = createMemoryTombstoneLog({ clock });
    const gone = createTombstones({
      clock,
      lifetimes: DEFAULT_LIFETIMES,
      tombstoneLog: tombstones,
      cache,
      maxBytes: 1024 * 1024,
    });
    for (const name of known) await gone.addIfCached(name, 'innocent');
    for (const account of range(20)) {
      for (const n of range(300)) await gone.addIfCached(`tweet:${account}x${n}`, `hostile ${account}`);
    }
    expect(known.filter((name) => !gone.has(name))).toEqual([]);
  });

  it('are looked up once for all unknown ids of a batch', async () => {
    const shows = vi.fn(async (names: readonly string[]) => names.map(() => false));
    const tombstones = createMemoryTombstoneLog({ clock });
    const gone = createTombstones({ clock, lifetimes: DEFAULT_LIFETIMES, tombstoneLog: tombstones, cache: { shows } });
    await Promise.all(range(100).map((n) => gone.addIfCached(`tweet:${n}`, 'account')));
    expect(shows.mock.calls.map(([names]) => names.length)).toEqual([100]);
  });

  it('do not hide users with an invalid handle because a stranger requested it', async () => {
    const net = createScriptedNetwork();
    net.user({ id: '1' });
    net.user({ id: '2', handle: 'handle.invalid' });
    net.list('followers', '1', ['2']);
    net.remove('none');
    const engine = createEngine(net.network);
    const list = () => engine.page({ kind: 'followers', subject: '1', count: 5 });
    expect((await list()).page.nodes).toHaveLength(1);
    net.user({ id: '2', handle: 'someone' });
    const pending = engine.open().reads.user({ handle: 'handle.invalid' }, { path: 'u', fresh: true });
    await expect(pending).rejects.toMatchObject(notFound);
    expect((await list()).page.nodes).toHaveLength(1);
  });
});

const QUERY = 'query ($ids: [ID!]!) { tweets(ids: $ids) { nodes { id } errors { code } } }';

/** One free batch of misses, for each way to request it. */
const WAYS = {
  REST: (url: string, key: string, ids: string[]) =>
    createClient(url, key).get(`/v1/tweets/batch?ids=${ids.join(',')}`),
  GraphQL: (url: string, key: string, ids: string[]) =>
    createClient(url, key).post('/graphql', { query: QUERY, variables: { ids } }),
  MCP: (url: string, key: string, ids: string[]) =>
    sendOld(new URL('/mcp', url), key, { method: 'tools/call', params: { name: 'get_tweets', arguments: { ids } } }),
} as const;

const fill = (net: ScriptedNetwork): void => {
  net.users(range(9));
  net.tweets(range(30, 500));
  net.list('followers', '1', ['2', '3', '4', '5']);
  net.list('timeline', '6', range(10, 500).reverse().map(String));
};

describe('a deleted tweet, over HTTP', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fill });
  });
  afterAll(() => service.close());

  it.each(Object.entries(WAYS))('is not shown again after misses by %s', async (way, miss) => {
    const { net, perch } = service;
    const reader = await service.customer();
    const [doomed = ''] = idsOf(await reader.get('/v1/users/6/tweets?fresh=true')).slice(2);
    net.remove(doomed, 'deleted');
    expect((await reader.get(`/v1/tweets/${doomed}?fresh=true`)).status).toBe(404);
    const { key } = await perch.account();
    const next = strangers(way.length);
    for (const _ of range(40)) {
      const reply = await miss(perch.url, key, next());
      expect([reply.status, reply.text.includes('not_found')]).toEqual([200, true]);
    }
    const after = await reader.get('/v1/users/6/tweets');
    expect([after.body.cache, idsOf(after).includes(doomed)]).toEqual(['hit', false]);
  });
});

describeOnRedis('deleted objects on several nodes', (redis: () => TestRedis) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fill, env: { REDIS_URL: redis().urls[0] ?? '' } });
  });
  afterAll(() => service.close());

  async function flood(url: string, batches: number): Promise<void> {
    const { key } = await service.perch.account();
    const next = strangers(batches);
    for (const _ of range(batches)) expect((await WAYS.REST(url, key, next())).status).toBe(200);
  }

  it('are hidden in pages cached by a node that has ended, whatever misses come between (M25)', async () => {
    const { net, clock, perch } = service;
    const { key } = await perch.account();
    const first = await perch.another();
    expect(idsOf(await createClient(first.url, key).get('/v1/users/1/followers'))).toContain('3');
    await first.close();
    // By now only the page shows it.
    clock.advance(30 * 60_000);
    const [second, third] = [await perch.another(), await perch.another()];
    net.remove('3', 'suspended');
    expect((await createClient(second.url, key).get('/v1/users/user3')).status).toBe(404);
    await flood(second.url, 30);
    for (const { url } of [second, third]) {
      await vi.waitFor(async () => {
        const page = await createClient(url, key).get('/v1/users/1/followers');
        expect([page.body.cache, idsOf(page)]).toEqual(['hit', ['2', '4', '5']]);
      }, 10_000);
    }
    await Promise.all([second.close(), third.close()]);
  });

  it('are hidden when Redis is back, if they were deleted while it was away (M25)', async () => {
    const { net, perch } = service;
    const { key } = await perch.account();
    const other = await perch.another();
    const page = (url: string) => createClient(url, key).get('/v1/users/6/tweets');
    expect(idsOf(await page(other.url))).toContain('508');
    redis().pause();
    net.remove('508', 'deleted');
    expect((await createClient(perch.url, key).get('/v1/tweets/508?fresh=true')).status).toBe(404);
    await flood(perch.url, 10);
    await page(perch.url);
    redis().resume();
    for (const url of [perch.url, other.url]) {
      await vi.waitFor(async () => expect(idsOf(await page(url))).not.toContain('508'), {
        timeout: 20_000,
        interval: 200,
      });
    }
    await other.close();
  });

  it('are hidden with all that an account has posted, and shown again, on every node (M33)', async () => {
    const { net, perch } = service;
    const { key } = await perch.account();
    const [one, other] = [perch.url, (await perch.another()).url];
    const page = (url: string, more = '') => createClient(url, key).get(`/v1/users/6/tweets?count=3${more}`);
    // An outage may have emptied the cache, and this network hides no posts, so a node that reads the list from it
    // shows them.
    const shown = idsOf(await page(one, '&fresh=true'));
    expect(shown).toHaveLength(3);
    for (const [isProtected, ids] of [
      [true, []],
      [false, shown],
    ] as const) {
      net.user({ id: '1', protected: isProtected });
      expect((await createClient(one, key).get('/v1/users/user1?fresh=true')).status).toBe(200);
      for (const url of [one, other]) {
        await vi.waitFor(async () => {
          const reply = await page(url);
          expect([reply.body.cache, idsOf(reply), reply.body.credits_charged]).toEqual(['hit', ids, ids.length / 2]);
        }, 10_000);
      }
    }
  });
});
