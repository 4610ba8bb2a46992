import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../support/client.js';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { refusesWhenDenied } from './refusals.js';
import { type Service, startService } from './service.js';
import { COUNTS, PEOPLE } from './small-corpus.js';

const PATH = '/v1/users/Aurora_Obs/followers/ids';

describe('GET /v1/users/{user}/followers/ids', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: an IdPage of numeric ids as strings', async () => {
    const reader = await service.customer();
    const { body } = await reader.get(`${PATH}?count=3`);
    expect(body.data).toEqual(['1001', '1002', '1003']);
  });

  it('200: a page of followers makes the page of ids a hit, and the other way round (section 1, M15)', async () => {
    const reader = await service.customer();
    service.clock.forget();
    await reader.get('/v1/users/Aurora_Obs/followers?count=50');
    const ids = await reader.get(`${PATH}?count=50`);
    expect([ids.body.cache, ids.body.credits_charged]).toEqual(['hit', 0.5]);
    service.clock.forget();
    await reader.get(`${PATH}?count=50`);
    const profiles = await reader.get('/v1/users/Aurora_Obs/followers?count=50');
    expect([profiles.body.cache, profiles.body.credits_charged]).toEqual(['hit', 2.5]);
    expect(idsOf(profiles)).toEqual(idsOf(ids));
  });

  it.each([
    ['nobody has the id', '987654321'],
    ['the account is protected', PEOPLE.garden],
  ])('404 not_found, free: %s', async (_what, user) => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/users/${user}/followers/ids`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(await reader.balance()).toBe(1000);
  });

  pagesLikeAll({
    service: () => service,
    path: PATH,
    ids: range(COUNTS.followers, 1001).map(String),
    size: { initial: 200, max: 200 },
    price: 0.02,
  });
  refusesWhenDenied({ service: () => service, call: (client) => client.get(`${PATH}?fresh=true`) });
});
