import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '../../kit/client.js';
import { TIERS } from '../../models/calls/prices.js';
import { refusesLikeAll } from './refusals.js';
import { type Service, startService } from './service.js';

describe('GET /v1/billing/packs', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: the packs and the tiers, free (sections 2 and 8.1.2, M28, M29)', async () => {
    const customer = await service.customer({ credits: 0 });
    const reply = await customer.get('/v1/billing/packs');
    expect(reply.status).toBe(200);
    expect(rows(reply).map(({ name, usd }) => [name, usd])).toEqual([
      ['starter', 10],
      ['builder', 50],
      ['growth', 200],
      ['scale', 600],
    ]);
    expect(reply.body).toMatchObject({
      rate_limits: TIERS.map(({ paidUsd, qps }) => ({ paid_usd: paidUsd, requests_per_second: qps })),
      credits_charged: 0,
      cache: 'miss',
    });
  });

  it('200: usd_per_1000 is the price of a thousand credits, and none is buyable while checkout is closed (M29, W9)', async () => {
    const customer = await service.customer();
    for (const pack of rows(await customer.get('/v1/billing/packs'))) {
      const { usd, credits, usd_per_1000, buyable } = pack as Record<string, number>;
      expect(usd_per_1000).toBeCloseTo(((usd ?? 0) / (credits ?? 1)) * 1000, 2);
      expect(Number.isInteger(credits)).toBe(true);
      expect(buyable).toBe(false);
    }
  });

  refusesLikeAll({ service: () => service, call: (client) => client.get('/v1/billing/packs') });
});
