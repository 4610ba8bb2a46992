import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { record } from '../../kit/client.js';
import { refusesLikeAll } from './refusals.js';
import { type Service, startService } from './service.js';

describe('GET /v1/usage/{request_id}', () => {
  let service: Service;
  let anId: string;
  beforeAll(async () => {
    service = await startService();
    const reader = await service.customer();
    anId = (await reader.get('/v1/users/Aurora_Obs?fresh=true')).body.request_id;
  });
  afterAll(() => service.close());

  it('200: what one paid request cost, line by line (W12)', async () => {
    const customer = await service.customer();
    service.clock.forget();
    await customer.get('/v1/users/town_library');
    const paid = await customer.post('/v1/users/batch', { handles: ['town_library', 'harbour_ferry', 'nobody_here'] });
    const reply = await customer.get(`/v1/usage/${paid.body.request_id}`);
    expect(reply.status).toBe(200);
    const { at, lines, ...receipt } = record(reply);
    expect(receipt).toEqual({
      request_id: paid.body.request_id,
      operation: 'users-batch',
      key_prefix: customer.account.key.slice(0, 17),
      credits: 1.5,
      balance_after: 997.5,
      items: 2,
      cache_hits: 1,
    });
    expect(new Date(String(at)).toISOString()).toBe(at);
    expect(lines).toEqual([
      { path: 'users', unit: 'profile', cache: 'hit', items: 1, unit_price: 0.5, credits: 0.5 },
      { path: 'users', unit: 'profile', cache: 'miss', items: 1, unit_price: 1, credits: 1 },
    ]);
    expect(reply.body.credits_charged).toBe(0);
  });

  it('404 for a request of another account, for a free one, and for a malformed id', async () => {
    const customer = await service.customer();
    const other = await service.customer();
    const paid = await other.get('/v1/users/Aurora_Obs?fresh=true');
    const free = await customer.get('/v1/me');
    for (const id of [paid.body.request_id, free.body.request_id, 'receipt']) {
      const reply = await customer.get(`/v1/usage/${id}`);
      expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    }
  });

  it('404 for a request of an archived month, with a message that says so', async () => {
    const customer = await service.customer();
    await service.perch.stores.sql`
      insert into ledger_archives (month, rows, amount_thousandths, file, sha256)
      values ('2025-01', 0, 0, 'debits-2025-01.ndjson.gz', ${'0'.repeat(64)})`;
    const reply = await customer.get(`/v1/usage/${v7({ msecs: Date.parse('2025-01-31') })}`);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(reply.body.error.message).toContain('Receipts of 2025-01 are archived');
  });

  refusesLikeAll({ service: () => service, call: (client) => client.get(`/v1/usage/${anId}`) });
});
