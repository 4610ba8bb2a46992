import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../support/client.js';
import { range } from '../support/scripted-network.js';
import { pagesLikeAll } from './lists.js';
import { type Service, startService } from './service.js';
import { COUNTS, TWEETS } from './small-corpus.js';

describe('GET /v1/tweets/{id}/thread', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: the focal tweet first, then its ancestors from the root, then its descendants (T1)', async () => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/tweets/${TWEETS.answer}/thread`);
    expect(idsOf(reply)).toEqual(['60002', '60001', '60003']);
    expect(idsOf(await reader.get(`/v1/tweets/${TWEETS.deeper}/thread`))).toEqual(['60003', '60001', '60002']);
  });

  it('200: a tweet without a conversation is a thread of one', async () => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/tweets/${TWEETS.photo}/thread?fresh=true`);
    expect(idsOf(reply)).toEqual([TWEETS.photo]);
    expect(reply.body.credits_charged).toBe(2);
  });

  it.each([
    ['there is no such tweet', '99999'],
    ['its author is protected (T3)', TWEETS.hidden],
    ['no tweet can have such an id', '0x1'],
  ])('404 not_found, free: %s', async (_what, id) => {
    const reader = await service.customer();
    const reply = await reader.get(`/v1/tweets/${id}/thread`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(await reader.balance()).toBe(1000);
  });

  pagesLikeAll({
    service: () => service,
    path: `/v1/tweets/${TWEETS.root}/thread`,
    ids: ['60001', '60002', '60003', ...range(COUNTS.replies - 1, 61_001).map(String)],
    size: { initial: 20, max: 50 },
    price: 1,
  });
});
