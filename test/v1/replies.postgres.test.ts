import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../support/client.js';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { type Service, startService } from './service.js';
import { COUNTS, TWEETS } from './small-corpus.js';

describe('GET /v1/tweets/{id}/replies', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: direct replies only, not the thread above and not nested ones', async () => {
    const reader = await service.customer();
    expect(idsOf(await reader.get(`/v1/tweets/${TWEETS.answer}/replies`))).toEqual([TWEETS.deeper]);
    const all = idsOf(await reader.get(`/v1/tweets/${TWEETS.root}/replies?count=50`));
    expect(all).toContain(TWEETS.answer);
    expect(all).not.toContain(TWEETS.deeper);
    expect(all).not.toContain(TWEETS.root);
  });

  it('200: a tweet that nobody answered has an empty page: no charge, no cursor (M4)', async () => {
    const reader = await service.customer();
    const { body } = await reader.get(`/v1/tweets/${TWEETS.photo}/replies`);
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0 });
    expect(body).not.toHaveProperty('next_cursor');
  });

  it.each([
    ['there is no such tweet', '99999'],
    ['its author is protected', TWEETS.hidden],
  ])('404 not_found, free: %s', async (_what, id) => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/tweets/${id}/replies`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(await reader.balance()).toBe(1000);
  });

  pagesLikeAll({
    service: () => service,
    path: `/v1/tweets/${TWEETS.root}/replies`,
    ids: ['60002', ...range(COUNTS.replies - 1, 61_001).map(String)],
    size: { initial: 20, max: 50 },
    price: 1,
  });
});
