import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Reply } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const rateOf = ({ headers }: Reply) => headers.get('ratelimit');

describe('the rate limit (section 8.1, L1–L9)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(100));
        net.list('search', 'nothing', []);
      },
    });
  });
  afterAll(() => service.close());

  it('L1, L2, 8.1.5: sends both headers in the form of the interface', async () => {
    const customer = await service.customer({ qps: 20 });
    const reply = await customer.get('/v1/me');
    expect(rateOf(reply)).toBe('limit=20, remaining=19, reset=1');
    expect(reply.headers.get('ratelimit-policy')).toBe('account; q=20; w=1');
  });

  it('L3: has room for a second of requests and refills evenly', async () => {
    const customer = await service.customer({ qps: 4 });
    for (const left of [3, 2, 1, 0])
      expect(rateOf(await customer.get('/v1/me'))).toBe(`limit=4, remaining=${left}, reset=1`);
    expect((await customer.get('/v1/me')).status).toBe(429);
    service.clock.advance(249);
    expect((await customer.get('/v1/me')).status).toBe(429);
    service.clock.advance(1);
    expect((await customer.get('/v1/me')).status).toBe(200);
    service.clock.advance(1000);
    expect(rateOf(await customer.get('/v1/me'))).toBe('limit=4, remaining=3, reset=1');
  });

  it('U57: frees one request in an idle second at any rate', async () => {
    for (const qps of [1, 3, 7, 200]) {
      const customer = await service.customer({ qps });
      for (const _request of range(qps)) await customer.get('/v1/me');
      for (const _second of range(3)) {
        service.clock.advance(1000);
        expect((await customer.get('/v1/me')).status).toBe(200);
      }
    }
  });

  it('L4: counts every answer to a key, even refusals, but not a 429', async () => {
    const customer = await service.customer({ qps: 5, credits: 0 });
    const remaining: unknown[] = [];
    for (const path of [
      '/v1/users/x?fresh=maybe',
      '/v1/users/a%20b',
      '/v1/users/user1',
      '/v1/me',
      '/v1/billing/packs',
    ]) {
      const reply = await customer.get(path);
      remaining.push([reply.status, rateOf(reply)]);
    }
    expect(remaining).toEqual([
      [400, 'limit=5, remaining=4, reset=1'],
      [404, 'limit=5, remaining=3, reset=1'],
      [402, 'limit=5, remaining=2, reset=1'],
      [200, 'limit=5, remaining=1, reset=1'],
      [200, 'limit=5, remaining=0, reset=1'],
    ]);
    for (const _refusal of range(20)) expect((await customer.get('/v1/me')).status).toBe(429);
    service.clock.advance(200);
    expect((await customer.get('/v1/me')).status).toBe(200);
  });

  it('8.1.3, L5: answers 429 with Retry-After in whole seconds, at least 1, and charges nothing', async () => {
    const customer = await service.customer({ qps: 1 });
    await customer.get('/v1/me');
    service.clock.advance(300);
    const reply = await customer.get('/v1/users/user1');
    expect([reply.status, reply.body.error.code, reply.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
    expect(reply.body.error.retry_after).toBe(1);
    expect(await customer.balance()).toBe(1000);
    service.clock.advance(1000);
    expect((await customer.get('/v1/users/user1')).status).toBe(200);
  });

  it('8.1.1: counts per account', async () => {
    const one = await service.customer({ qps: 1 });
    const other = await service.customer({ qps: 1 });
    expect([(await one.get('/v1/me')).status, (await one.get('/v1/me')).status]).toEqual([200, 429]);
    expect((await other.get('/v1/me')).status).toBe(200);
  });

  it('8.1.4: counts a cached read and a batch as one request each, at the full rate', async () => {
    const customer = await service.customer({ qps: 3 });
    const handles = range(100).map((id) => `user${id}`);
    const batch = await customer.post('/v1/users/batch', { handles });
    const again = await customer.post('/v1/users/batch', { handles });
    expect([rateOf(batch), rateOf(again)]).toEqual(['limit=3, remaining=2, reset=1', 'limit=3, remaining=1, reset=1']);
    expect([again.body.cache, again.body.items]).toEqual(['hit', 100]);
  });

  it('8.1.7: does not draw on the network for a cached read', async () => {
    const customer = await service.customer();
    await customer.get('/v1/users/user1?fresh=true');
    const calls = service.net.calls.length;
    for (const _time of range(20)) expect((await customer.get('/v1/users/user1')).body.cache).toBe('hit');
    expect(service.net.calls).toHaveLength(calls);
  });

  it('L8, 8.1.1: rises at once after a payment, equally for five starters and one builder', async () => {
    const { sql } = service.perch.database;
    const customer = await service.customer({ qps: 0 });
    expect((await customer.get('/v1/me')).body).toMatchObject({ rate_limit_qps: 1 });
    for (const [times, qps] of [
      [1, 20],
      [4, 50],
    ] as const) {
      for (const _starter of range(times)) {
        await sql`update accounts set paid_usd = paid_usd + 10 where account_id = ${customer.account.accountId}`;
      }
      await vi.waitFor(
        async () => {
          service.clock.advance(1000);
          expect((await customer.get('/v1/me')).body).toMatchObject({ rate_limit_qps: qps });
        },
        { timeout: 10_000, interval: 5 },
      );
    }
  });
});
