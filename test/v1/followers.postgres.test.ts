import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '../support/client.js';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { refusesWhenDenied } from './refusals.js';
import { type Service, startService } from './service.js';
import { COUNTS, PEOPLE } from './small-corpus.js';

const PATH = '/v1/users/Aurora_Obs/followers';

describe('GET /v1/users/{user}/followers', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: a UserPage of whole profiles', async () => {
    const reader = await service.customer();
    const [first] = rows(await reader.get(PATH));
    expect(first).toMatchObject({ id: '1001', handle: 'follower1', name: 'Follower 1', followers: 1, following: 1 });
  });

  it('200: a user without followers has an empty page: no charge, no cursor (M4)', async () => {
    const reader = await service.customer();
    const { body } = await reader.get(`/v1/users/${PEOPLE.lonely}/followers`);
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0 });
    expect(body).not.toHaveProperty('next_cursor');
  });

  it.each([
    ['nobody has the id', '987654321'],
    ['the account is protected', PEOPLE.garden],
  ])('404 not_found, free: %s', async (_what, user) => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/users/${user}/followers`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(await reader.balance()).toBe(1000);
  });

  pagesLikeAll({
    service: () => service,
    path: PATH,
    ids: range(COUNTS.followers, 1001).map(String),
    size: { initial: 50, max: 200 },
    price: 0.1,
  });
  refusesWhenDenied({ service: () => service, call: (client) => client.get(`${PATH}?fresh=true`) });
});
