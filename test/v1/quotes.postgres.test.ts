import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { refusesWhenDenied } from './refusals.js';
import { type Service, startService } from './service.js';
import { COUNTS, TWEETS } from './small-corpus.js';

const PATH = `/v1/tweets/${TWEETS.root}/quotes`;

describe('GET /v1/tweets/{id}/quotes', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.each([
    ['nobody quoted it', TWEETS.photo],
    ['there is no such tweet (T6)', '99999'],
  ])('200, empty and free: %s', async (_what, id) => {
    const reader = await service.customer();
    const { status, body } = await reader.get(`/v1/tweets/${id}/quotes`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0 });
    expect(body).not.toHaveProperty('next_cursor');
  });

  it('404 not_found for what cannot be an id (I5)', async () => {
    const reader = await service.customer();
    const reply = await reader.get('/v1/tweets/12a/quotes');
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
  });

  pagesLikeAll({
    service: () => service,
    path: PATH,
    ids: range(COUNTS.quotes, 62_001).map(String).reverse(),
    size: { initial: 20, max: 50 },
    price: 1,
  });
  refusesWhenDenied({ service: () => service, call: (client) => client.get(`${PATH}?fresh=true`) });
});
