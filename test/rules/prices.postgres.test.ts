import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, type Reply, record } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const bill = ({ body }: Reply) => [body.cache, body.items, body.credits_charged];

describe('prices (section 1, M3–M16, M22)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users([1, 2]);
        net.list('followers', '1', net.users(range(30, 100)), { nextIsCertain: true });
        net.list('following', '1', net.users(range(30, 200)));
        net.list('retweeters', '500', net.users(range(10, 300)));
        net.tweets(range(60, 500), { author: net.user({ id: '9', handle: 'author' }), authorId: '9' });
        net.list('timeline', '1', range(40, 500).reverse().map(String), { pageSize: 10, nextIsCertain: true });
        net.list('search', 'free', []);
      },
    });
  });
  afterAll(() => service.close());

  const fresh = async () => {
    service.clock.forget();
    return service.customer();
  };

  it.each([
    ['a profile', '/v1/users/user1', 1],
    ['a tweet', '/v1/tweets/501', 1],
    ['a timeline tweet', '/v1/users/1/tweets?count=1', 1],
    ['a follower', '/v1/users/1/followers?count=1', 0.1],
    ['a followed profile', '/v1/users/1/following?count=1', 0.1],
    ['a follower id', '/v1/users/1/followers/ids?count=1', 0.02],
    ['a retweeter', '/v1/tweets/500/retweeters?count=1', 0.5],
  ])('follow the table for %s, halved from the cache, doubled by fresh (section 8)', async (_what, path, price) => {
    const reader = await fresh();
    expect(bill(await reader.get(path))).toEqual(['miss', 1, price]);
    expect(bill(await reader.get(path))).toEqual(['hit', 1, price / 2]);
    const separator = path.includes('?') ? '&' : '?';
    expect(bill(await reader.get(`${path}${separator}fresh=true`))).toEqual(['bypass', 1, price * 2]);
    expect(await reader.balance()).toBe(1000 - price * 3.5);
  });

  it('M3: have exact sums of fractions with at most three decimals', async () => {
    const reader = await fresh();
    const profiles = await reader.get('/v1/users/1/followers?count=3');
    expect([profiles.body.credits_charged, profiles.body.balance_remaining]).toEqual([0.3, 999.7]);
    const ids = await reader.get('/v1/users/1/followers/ids?count=7');
    expect([ids.body.credits_charged, ids.body.balance_remaining]).toEqual([0.07, 999.63]);
    expect(ids.text).toContain('"balance_remaining":999.63,');
  });

  it('M4: are zero for an empty list, which is 200 without a cursor and counts as one request', async () => {
    const reader = await service.customer({ qps: 5 });
    const reply = await reader.get('/v1/tweets/search?q=free');
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ data: [], items: 0, credits_charged: 0, balance_remaining: 1000 });
    expect(reply.headers.get('ratelimit')).toBe('limit=5, remaining=4, reset=1');
  });

  it('M6: are added up item by item for a partly cached page, with cache_hits to check the sum', async () => {
    const reader = await fresh();
    expect(bill(await reader.get('/v1/users/1/tweets?count=10'))).toEqual(['miss', 10, 10]);
    const straddling = await reader.get('/v1/users/1/tweets?count=15');
    expect(bill(straddling)).toEqual(['miss', 15, 10]);
    expect(straddling.body.cache_hits).toBe(10);
    const held = await reader.get('/v1/users/1/tweets?count=15');
    expect([...bill(held), held.body.cache_hits]).toEqual(['hit', 15, 7.5, 15]);
  });

  it('are half for a cursor into a cached page (section 1)', async () => {
    const reader = await fresh();
    const first = await reader.get('/v1/users/1/tweets?count=4');
    const second = await reader.get(`/v1/users/1/tweets?count=4&cursor=${first.body.next_cursor}`);
    expect(bill(second)).toEqual(['hit', 4, 2]);
  });

  it('M9: are half after a fresh read, which refills the cache', async () => {
    const reader = await fresh();
    await reader.get('/v1/users/user2?fresh=true');
    expect(bill(await reader.get('/v1/users/user2'))).toEqual(['hit', 1, 0.5]);
  });

  it('M10: are double for fresh with a cursor, which reads again from there, without earlier items', async () => {
    const reader = await fresh();
    const first = await reader.get('/v1/users/1/tweets?count=12');
    const second = await reader.get(`/v1/users/1/tweets?count=12&fresh=true&cursor=${first.body.next_cursor}`);
    expect(bill(second)).toEqual(['bypass', 12, 24]);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(range(24, 516).reverse().map(String));
  });

  it.each([
    ['a profile: 15 minutes', '/v1/users/user1', 15 * 60],
    ['a tweet: 15 minutes', '/v1/tweets/501', 15 * 60],
    ['the first page of a timeline: 2 minutes', '/v1/users/1/tweets?count=2', 2 * 60],
    ['followers: 6 hours', '/v1/users/1/followers?count=2', 6 * 3600],
  ])('M11: are half while cached, shown by Age and fetched_at: %s', async (_what, path, seconds) => {
    const reader = await fresh();
    const first = await reader.get(path);
    expect(first.body.fetched_at).toBe(new Date(service.clock.now()).toISOString());
    service.clock.advance(seconds * 1000 - 1);
    const last = await reader.get(path);
    expect(last.body.cache).toBe('hit');
    expect(last.headers.get('age')).toBe(String(seconds - 1));
    expect(last.body.fetched_at).toBe(first.body.fetched_at);
    service.clock.advance(1);
    expect((await reader.get(path)).body.cache).toBe('miss');
  });

  it('M11: are half for a deeper page for 1 hour, whatever happens to the first', async () => {
    const reader = await fresh();
    const first = await reader.get('/v1/users/1/tweets?count=10');
    const second = `/v1/users/1/tweets?count=10&cursor=${first.body.next_cursor}`;
    expect(bill(await reader.get(second))).toEqual(['miss', 10, 10]);
    service.clock.advance(3_600_000 - 1);
    expect(bill(await reader.get(second))).toEqual(['hit', 10, 5]);
    service.clock.advance(1);
    expect(bill(await reader.get(second))).toEqual(['miss', 10, 10]);
  });

  it('M12: are half for an object that another customer has read', async () => {
    await (await fresh()).get('/v1/users/user1');
    const other = await service.customer();
    expect(bill(await other.get('/v1/users/user1'))).toEqual(['hit', 1, 0.5]);
  });

  it.each([
    ['a follower', '/v1/users/1/followers?count=5', '/v1/users/user104'],
    ['a followed profile', '/v1/users/1/following?count=5', '/v1/users/user200'],
    ['a retweeter', '/v1/tweets/500/retweeters', '/v1/users/user309'],
    ['a tweet of a timeline', '/v1/users/1/tweets?count=10', '/v1/tweets/539'],
    ['the author of a tweet', '/v1/users/1/tweets?count=1', '/v1/users/author'],
  ])('M13: are half for %s that arrived with a list', async (_what, list, single) => {
    const reader = await fresh();
    await reader.get(list);
    expect(bill(await reader.get(single))).toEqual(['hit', 1, 0.5]);
  });

  it('M15: treat followers and their ids as one page, whichever was read and whatever its count', async () => {
    const reader = await fresh();
    await reader.get('/v1/users/1/followers?count=3');
    expect(bill(await reader.get('/v1/users/1/followers/ids?count=20'))).toEqual(['hit', 20, 0.2]);
    service.clock.forget();
    await reader.get('/v1/users/1/followers/ids?count=3');
    expect(bill(await reader.get('/v1/users/1/followers?count=20'))).toEqual(['hit', 20, 1]);
  });

  it('M22: do not count the author in a tweet, who is free', async () => {
    const reader = await fresh();
    const reply = await reader.get('/v1/tweets/501');
    expect(record(reply).author).toMatchObject({ id: '9', handle: 'author' });
    expect(bill(reply)).toEqual(['miss', 1, 1]);
  });

  it('M22: do not count the profile that a timeline by handle resolves', async () => {
    const reader = await fresh();
    expect(bill(await reader.get('/v1/users/user1/tweets?count=2'))).toEqual(['miss', 2, 2]);
  });
});
