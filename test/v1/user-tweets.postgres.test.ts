import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../support/client.js';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { type Service, startService } from './service.js';
import { COUNTS, PEOPLE } from './small-corpus.js';

const NEWEST_FIRST = range(COUNTS.timeline, 50_001).map(String).reverse();

describe('GET /v1/users/{user}/tweets', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: by id and by handle it is the same list, newest first (rule 5)', async () => {
    const reader = await service.customer();
    const byId = await reader.get(`/v1/users/${PEOPLE.observatory}/tweets`);
    const byHandle = await reader.get('/v1/users/@aurora_obs/tweets');
    expect(idsOf(byId)).toEqual(NEWEST_FIRST.slice(0, 20));
    expect(idsOf(byHandle)).toEqual(idsOf(byId));
    expect(byHandle.body.cache).toBe('hit');
  });

  it('200: a user without tweets has an empty page: no charge, no cursor (M4)', async () => {
    const reader = await service.customer();
    const { status, body } = await reader.get(`/v1/users/${PEOPLE.lonely}/tweets`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0, balance_remaining: 1000 });
    expect(body).not.toHaveProperty('next_cursor');
  });

  it.each([
    ['nobody has the id', '987654321', undefined],
    ['nobody has the handle', 'nobody_here', undefined],
    ['the account is protected', PEOPLE.garden, 'private'],
    ['no user can be called so', 'a%20b', 'unknown'],
  ])('404 not_found, free: %s', async (_what, user, reason) => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/users/${user}/tweets`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    if (reason !== undefined) expect(reply.body.error.reason).toBe(reason);
    expect(await reader.balance()).toBe(1000);
  });

  pagesLikeAll({
    service: () => service,
    path: '/v1/users/Aurora_Obs/tweets',
    ids: NEWEST_FIRST,
    size: { initial: 20, max: 100 },
    price: 1,
  });
});
