import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '../support/client.js';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { refusesWhenDenied } from './refusals.js';
import { type Service, startService } from './service.js';
import { COUNTS, TWEETS } from './small-corpus.js';

const PATH = `/v1/tweets/${TWEETS.root}/retweeters`;

describe('GET /v1/tweets/{id}/retweeters', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: a UserPage of whole profiles', async () => {
    const reader = await service.customer();
    const [first] = rows(await reader.get(`${PATH}?count=1`));
    expect(first).toMatchObject({ id: '1060', handle: 'follower60', tweets: 1 });
  });

  it.each([
    ['nobody retweeted it', TWEETS.photo],
    ['there is no such tweet (T6)', '99999'],
  ])('200, empty and free: %s', async (_what, id) => {
    const reader = await service.customer();
    const { status, body } = await reader.get(`/v1/tweets/${id}/retweeters`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0 });
    expect(body).not.toHaveProperty('next_cursor');
  });

  pagesLikeAll({
    service: () => service,
    path: PATH,
    ids: range(COUNTS.retweeters, 1001).map(String).reverse(),
    size: { initial: 50, max: 200 },
    price: 0.5,
  });
  refusesWhenDenied({ service: () => service, call: (client) => client.get(`${PATH}?fresh=true`) });
});
