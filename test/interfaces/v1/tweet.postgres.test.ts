import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../kit/client.js';
import { refusesAsBad, refusesLikeReads } from './refusals.js';
import { type Service, startService } from './service.js';
import { TWEETS } from './small-corpus.js';

describe('GET /v1/tweets/{id}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: a TweetResponse with every field of the tweet and its author (section 2, M22)', async () => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/tweets/${TWEETS.root}`);
    expect(reply.status).toBe(200);
    expect(reply.body.items).toBe(1);
    const { author, ...tweet } = record(reply);
    expect(author).toMatchObject({
      id: '2',
      handle: 'harbour_ferry',
      followers: 2,
      created_at: '2019-05-01T08:00:00.000Z',
    });
    expect(tweet).toEqual({
      id: '60001',
      text: 'First sailing at six & a half',
      lang: 'en',
      created_at: '2021-03-01T06:00:00.000Z',
      author_id: '2',
      conversation_id: '60001',
      replies: 25,
      retweets: 60,
      likes: 5000,
      quotes: 30,
      bookmarks: 2,
      views: 3_000_000_000,
      urls: ['https://ferry.example/times'],
      hashtags: ['ferry'],
      mentions: ['town_library'],
      is_retweet: false,
      is_quote: false,
      is_reply: false,
      source: 'Quay Kiosk',
    });
  });

  it('200: replies, quotes and retweets name the tweet they refer to', async () => {
    const reader = await service.customer();
    const fields = async (id: string) => record(await reader.get(`/v1/tweets/${id}`));
    expect(await fields('60002')).toMatchObject({ in_reply_to_id: '60001', in_reply_to_user_id: '2', is_reply: true });
    expect(await fields('62001')).toMatchObject({ quoted_id: '60001', is_quote: true });
    expect(await fields('63001')).toMatchObject({ retweeted_id: '60001', is_retweet: true });
  });

  it('200: media with their type and size (section 2, T15)', async () => {
    const reader = await service.customer();
    expect(record(await reader.get(`/v1/tweets/${TWEETS.photo}`)).media).toEqual([
      { type: 'photo', url: 'https://img.example/sails.jpg', width: 1200, height: 800 },
    ]);
    expect(record(await reader.get(`/v1/tweets/${TWEETS.video}`)).media).toEqual([
      { type: 'video', url: 'https://img.example/gangway.mp4', preview_url: 'https://img.example/gangway.jpg' },
    ]);
  });

  it('200: costs 1, or 0.5 from the cache, or 2 with fresh', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const first = await reader.get('/v1/tweets/50007');
    const second = await reader.get('/v1/tweets/50007');
    const third = await reader.get('/v1/tweets/50007?fresh=1');
    const bill = [first, second, third].map(({ body }) => [body.cache, body.credits_charged, body.balance_remaining]);
    expect(bill).toEqual([
      ['miss', 1, 999],
      ['hit', 0.5, 998.5],
      ['bypass', 2, 996.5],
    ]);
  });

  it.each([
    ['nobody wrote it', '99999'],
    ['its author is protected', TWEETS.hidden],
    ['no tweet can have such an id', 'abc'],
  ])('404 not_found, free: %s', async (_what, id) => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/tweets/${id}`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(await reader.balance()).toBe(1000);
  });

  refusesAsBad(() => service, [['fresh is neither true nor false', '/v1/tweets/60001?fresh=yes', 'fresh']]);
  refusesLikeReads({ service: () => service, call: (client) => client.get('/v1/tweets/60001?fresh=true') });
});
