import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusesLikeAll } from './refusals.js';
import { type Service, startService } from './service.js';

describe('GET /v1/me', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: the account record in the envelope (section 2, M14)', async () => {
    const customer = await service.customer({ credits: 12.345, qps: 7 });
    const { status, body } = await customer.get('/v1/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      customer_id: customer.account.accountId,
      key_prefix: customer.account.key.slice(0, 17),
      balance: 12.345,
      rate_limit_qps: 7,
      credits_charged: 0,
      balance_remaining: 12.345,
      cache: 'miss',
      request_id: body.request_id,
    });
  });

  it('200: the balance follows what was spent', async () => {
    const customer = await service.customer({ credits: 10 });
    await customer.get('/v1/users/Aurora_Obs?fresh=true');
    expect((await customer.get('/v1/me')).body).toMatchObject({ balance: 8, balance_remaining: 8 });
  });

  it('200 with an empty wallet (M21)', async () => {
    const customer = await service.customer({ credits: 0 });
    expect((await customer.get('/v1/me')).body).toMatchObject({ balance: 0, balance_remaining: 0 });
  });

  it.each([
    [0, 1],
    [9, 1],
    [10, 20],
    [49, 20],
    [50, 50],
    [200, 100],
    [599, 100],
    [600, 200],
  ])('200: $%i paid over the life of the account gives %i requests a second (8.1.2)', async (paidUsd, qps) => {
    const customer = await service.customer({ paidUsd, qps: 0 });
    const reply = await customer.get('/v1/me');
    expect(reply.body).toMatchObject({ rate_limit_qps: qps });
    expect(reply.headers.get('ratelimit-policy')).toBe(`account; q=${qps}; w=1`);
  });

  refusesLikeAll({ service: () => service, call: (client) => client.get('/v1/me') });
});
