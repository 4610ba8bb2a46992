import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../kit/client.js';
import { refusesAsBad, refusesLikeReads } from './refusals.js';
import { type Service, startService } from './service.js';

describe('GET /v1/users/{handle}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: a UserResponse with every field of the profile (section 2)', async () => {
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/Aurora_Obs');
    expect(reply.status).toBe(200);
    expect(reply.body.items).toBe(1);
    expect(record(reply)).toEqual({
      id: '1',
      handle: 'Aurora_Obs',
      name: 'Aurora Observatory',
      bio: 'Green nights & long exposures',
      location: 'Tromsø',
      url: 'https://aurora.example',
      avatar_url: 'https://img.example/a.png',
      banner_url: 'https://img.example/b.png',
      verified: true,
      protected: false,
      followers: 230,
      following: 1,
      tweets: 120,
      likes: 7,
      listed: 3,
      created_at: '2019-05-01T08:00:00.000Z',
      pinned_tweet_ids: ['50001'],
    });
  });

  it('200: costs 1, or 0.5 from the cache, or 2 with fresh', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const first = await reader.get('/v1/users/harbour_ferry');
    const second = await reader.get('/v1/users/harbour_ferry');
    const third = await reader.get('/v1/users/harbour_ferry?fresh=true');
    const bill = [first, second, third].map(({ body }) => [body.cache, body.credits_charged, body.balance_remaining]);
    expect(bill).toEqual([
      ['miss', 1, 999],
      ['hit', 0.5, 998.5],
      ['bypass', 2, 996.5],
    ]);
    expect(await reader.balance()).toBe(996.5);
  });

  it('200: leaves out unknown parts of a profile (T10)', async () => {
    const reader = await service.customer();
    const profile = record(await reader.get('/v1/users/town_library'));
    expect(profile).toMatchObject({ id: '3', handle: 'town_library', name: 'Town Library' });
    for (const name of ['bio', 'location', 'url', 'verified', 'protected', 'pinned_tweet_ids']) {
      expect(profile).not.toHaveProperty(name);
    }
  });

  it('404 not_found, free, for an unknown handle', async () => {
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/nobody_here');
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(reply.headers.get('ratelimit')).not.toBeNull();
    expect(await reader.balance()).toBe(1000);
  });

  refusesAsBad(
    () => service,
    [
      ['fresh is neither true nor false', '/v1/users/Aurora_Obs?fresh=yes', 'fresh'],
      ['fresh twice', '/v1/users/Aurora_Obs?fresh=true&fresh=true', 'fresh'],
      ['a budget that is no number', '/v1/users/Aurora_Obs?max_credits=lots', 'max_credits'],
    ],
  );
  refusesLikeReads({ service: () => service, call: (client) => client.get('/v1/users/Aurora_Obs?fresh=true') });
});
