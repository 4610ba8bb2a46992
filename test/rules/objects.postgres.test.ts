import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/domain/errors.js';
import { createClient, type Reply, record, rows } from '../kit/client.js';
import { type Service, startService } from './support/service.js';

describe('objects (section 2, T6–T16, M23)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        const author = net.user({ id: '1', handle: 'plain' });
        net.user({ id: '2', handle: 'shy', protected: true });
        const hidden: object = { followersCount: undefined, tweetsCount: undefined };
        net.user({ id: '3', handle: 'discreet', followingCount: 7, ...hidden });
        net.pages('timeline', '2', () => {
          throw new ServiceError('not_found', 'The account is protected.', { reason: 'private' });
        });
        net.tweet({ id: '500', author });
        net.tweet({
          id: '501',
          author,
          text: 'Tom & Jerry <3 ünïcödé 🛶',
          viewsCount: 9_007_199_254_740_991,
          likesCount: 0,
          isReply: false,
          urls: [],
          media: [{ type: 'video', url: 'https://v.example/high.mp4', previewUrl: 'https://v.example/still.jpg' }],
        });
        net.tweet({ id: '502', author, text: 'the original in full', isRetweet: true, retweetedId: '501' });
        net.tweet({ id: '503', authorId: '404', text: 'nobody knows who wrote this' });
        net.list('timeline', '1', ['502', '501', '500'], { nextIsCertain: true });
      },
    });
  });
  afterAll(() => service.close());

  const get = async (path: string): Promise<Reply> => (await service.customer()).get(path);

  it('have only their required fields if nothing else is known', async () => {
    const { author, ...tweet } = record(await get('/v1/tweets/500'));
    expect(Object.keys(tweet).sort()).toEqual(['author_id', 'created_at', 'id', 'text']);
    const required = ['created_at', 'followers', 'following', 'handle', 'id', 'name', 'tweets'];
    expect(Object.keys(author as object).sort()).toEqual(required);
    expect(Object.keys(record(await get('/v1/users/plain'))).sort()).toEqual(required);
  });

  it('T10: omit unknown fields, and keep empty, zero and false ones', async () => {
    const tweet = record(await get('/v1/tweets/501'));
    expect(tweet).toMatchObject({ urls: [], likes: 0, is_reply: false });
    for (const name of ['hashtags', 'mentions', 'retweets', 'lang', 'is_quote']) expect(tweet).not.toHaveProperty(name);
  });

  it('T21: have 0 for counts that the network does not report, and list their names', async () => {
    const counts = { followers: 0, following: 7, tweets: 0, unknown_counts: ['followers', 'tweets'] };
    expect(record(await get('/v1/users/discreet'))).toMatchObject(counts);
    expect(record(await get('/v1/users/plain'))).not.toHaveProperty('unknown_counts');
    const query = '{ user(handle: "discreet") { followersCount followingCount unknownCounts } }';
    const reader = createClient(service.perch.url, (await service.perch.account()).key);
    const { body } = await reader.post('/graphql', { query });
    expect(body.data).toEqual({
      user: { followersCount: 0, followingCount: 7, unknownCounts: ['followers', 'tweets'] },
    });
  });

  it('T11: have times as RFC 3339 in UTC with milliseconds', async () => {
    const reply = await get('/v1/users/1/tweets');
    for (const { created_at } of rows(reply)) expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(reply.body.fetched_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('T12: have large counters as exact integers', async () => {
    const reply = await get('/v1/tweets/501');
    expect(reply.text).toContain('"views":9007199254740991');
  });

  it('T13: have text in readable form', async () => {
    expect(record(await get('/v1/tweets/501')).text).toBe('Tom & Jerry <3 ünïcödé 🛶');
  });

  it('T15: have one url and a still for a video', async () => {
    expect(record(await get('/v1/tweets/501')).media).toEqual([
      { type: 'video', url: 'https://v.example/high.mp4', preview_url: 'https://v.example/still.jpg' },
    ]);
  });

  it('M23, C19: count a retweet in a timeline as one item at one price', async () => {
    service.clock.forget();
    const reply = await get('/v1/users/1/tweets?count=1');
    expect(rows(reply)).toMatchObject([
      { id: '502', text: 'the original in full', is_retweet: true, retweeted_id: '501' },
    ]);
    expect(reply.body.credits_charged).toBe(1);
  });

  it('M22: are served without an author whom the network does not know', async () => {
    const tweet = record(await get('/v1/tweets/503'));
    expect(tweet).toMatchObject({ author_id: '404' });
    expect(tweet).not.toHaveProperty('author');
  });

  it('T6: that do not exist have empty pages of retweeters and quotes', async () => {
    for (const list of ['retweeters', 'quotes']) {
      const { status, body } = await get(`/v1/tweets/404404/${list}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0 });
    }
  });

  it('T7, T8: of a protected user are public as a profile, and 404 with the reason private as a timeline', async () => {
    expect(record(await get('/v1/users/shy'))).toMatchObject({ protected: true });
    const reply = await get('/v1/users/shy/tweets');
    expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([404, 'not_found', 'private']);
  });

  it.each([
    '/v1/users/plain',
    '/v1/tweets/500',
    '/v1/users/1/tweets',
    '/v1/users/batch?handles=plain',
    '/v1/tweets/batch?ids=500',
    '/v1/tweets/1/quotes',
  ])('T16: say when they were read: %s', async (path) => {
    service.clock.forget();
    const read = new Date(service.clock.now()).toISOString();
    const first = await get(path);
    expect(first.body.fetched_at).toBe(read);
    service.clock.advance(7000);
    const held = await get(path);
    expect(held.body.fetched_at).toBe(read);
    expect(held.headers.get('age')).toBe('7');
  });

  it('U40: have ids as strings everywhere', async () => {
    const { text } = await get('/v1/users/1/tweets');
    expect(text).not.toMatch(/"(?:\w*_)?id":\d/);
  });
});
