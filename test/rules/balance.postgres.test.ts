import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Debit } from '../../src/ports/ledger.js';
import { createClient, idsOf } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const NEWEST_FIRST = range(40, 500).reverse().map(String);
const TIMELINE = '/v1/users/1/tweets';

describe('spending with a limited balance (M1, M2, M5, M16–M21)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users([1, 2, 3, 4, 5]);
        net.tweets(range(40, 500));
        net.list('timeline', '1', NEWEST_FIRST, { pageSize: 10, nextIsCertain: true });
      },
    });
  });
  afterAll(() => service.close());

  const customer = (credits: number) => {
    service.clock.forget();
    return service.customer({ credits });
  };

  it('M1: cuts a page where the balance ends, and continues its cursor at the cut', async () => {
    const reader = await customer(3.5);
    const first = await reader.get(`${TIMELINE}?count=10`);
    expect(idsOf(first)).toEqual(NEWEST_FIRST.slice(0, 3));
    expect(first.body).toMatchObject({ truncated: 'no_credits', credits_charged: 3, balance_remaining: 0.5 });
    // The next item is in a cached page, so half a credit still buys it.
    const second = await reader.get(`${TIMELINE}?count=10&cursor=${first.body.next_cursor}`);
    expect(idsOf(second)).toEqual(NEWEST_FIRST.slice(3, 4));
    expect(second.body).toMatchObject({ truncated: 'no_credits', cache: 'hit', balance_remaining: 0 });
    await reader.grant(3);
    const third = await reader.get(`${TIMELINE}?count=3&cursor=${second.body.next_cursor}`);
    expect(idsOf(third)).toEqual(NEWEST_FIRST.slice(4, 7));
    expect(third.body).not.toHaveProperty('truncated');
  });

  it('M1: reads nothing upstream unless an item at full price is covered', async () => {
    await (await service.customer()).get(`${TIMELINE}?count=10&fresh=true`);
    const calls = service.net.calls.length;
    const reader = await service.customer({ credits: 5.9 });
    const reply = await reader.get(`${TIMELINE}?count=20`);
    expect(idsOf(reply)).toEqual(NEWEST_FIRST.slice(0, 10));
    expect(reply.body).toMatchObject({ truncated: 'no_credits', cache: 'hit', balance_remaining: 0.9 });
    expect(service.net.calls).toHaveLength(calls);
    const next = await reader.get(`${TIMELINE}?count=20&cursor=${reply.body.next_cursor}`);
    expect([next.status, next.body.error.code]).toEqual([402, 'no_credits']);
    expect(service.net.calls).toHaveLength(calls);
  });

  it('M1: cuts an answer that is kept for all for a caller who cannot pay all of it', async () => {
    const rich = await customer(1000);
    for (const _time of ['read', 'held', 'kept']) await rich.get(`${TIMELINE}?count=10`);
    const poor = await service.customer({ credits: 2.3 });
    const { body } = await poor.get(`${TIMELINE}?count=10`);
    expect(body).toMatchObject({ items: 4, cache: 'hit', truncated: 'no_credits', balance_remaining: 0.3 });
    expect((await rich.get(`${TIMELINE}?count=10`)).body.items).toBe(10);
  });

  it('M2: answers 402 with price and balance for an object above a positive balance', async () => {
    const reader = await customer(0.4);
    const reply = await reader.get('/v1/tweets/501');
    expect([reply.status, reply.body.error.code]).toEqual([402, 'no_credits']);
    expect(reply.body.error.message).toMatch(/costs 1\b.*holds 0\.4\b/);
    expect(reply.headers.get('retry-after')).toBeNull();
  });

  it('M2: sells a cached tweet for half a credit', async () => {
    await (await customer(10)).get('/v1/tweets/501');
    const reader = await service.customer({ credits: 0.5 });
    expect((await reader.get('/v1/tweets/501')).body).toMatchObject({ cache: 'hit', balance_remaining: 0 });
  });

  it('M5: writes one row of the ledger for one request, under its id', async () => {
    const reader = await customer(100);
    const { body } = await reader.get(`${TIMELINE}?count=7`);
    const rows = await service.perch.database.sql`
      select request_id, amount_thousandths, balance_after from ledger_entries
      where account_id = ${reader.account.accountId} and kind = 'debit'`;
    expect(rows).toEqual([{ request_id: body.request_id, amount_thousandths: 7000, balance_after: 93_000 }]);
  });

  it('M5: never spends more than there is on concurrent calls', async () => {
    const reader = await customer(25);
    const replies = await Promise.all(range(8).map(() => reader.get(`${TIMELINE}?count=5&fresh=true`)));
    const paid = replies.filter(({ status }) => status === 200);
    expect(paid.reduce((sum, { body }) => sum + body.credits_charged, 0)).toBe(25 - (await reader.balance()));
    expect(paid.length).toBeGreaterThanOrEqual(2);
    for (const { status, body } of replies) if (status !== 200) expect(body.error.code).toBe('no_credits');
  });

  it('M5: never spends more than there is, nor delivers unpaid items, on two nodes', async () => {
    const { perch } = service;
    const account = await perch.account({ credits: 15 });
    const other = await perch.another();
    const replies = await Promise.all(
      range(20).map((n) => createClient(n % 2 ? perch.url : other.url, account.key).get('/v1/users/user1?fresh=true')),
    ).finally(() => other.close());
    const paid = replies.filter(({ status }) => status === 200);
    expect(paid.reduce((sum, { body }) => sum + body.credits_charged, 0)).toBe(15 - (await perch.balance(account)));
    expect(paid.length).toBeGreaterThanOrEqual(1);
    for (const { status, body } of replies) if (status !== 200) expect(body.error.code).toBe('no_credits');
  });

  it('M16: returns the balance_remaining of its own ledger row in each of many concurrent calls', async () => {
    const reader = await customer(100);
    const replies = await Promise.all(range(20).map(() => reader.get('/v1/users/user2?fresh=true')));
    const balances = replies.map(({ body }) => body.balance_remaining).sort((a, b) => b - a);
    expect(balances).toEqual(range(20).map((n) => 100 - 2 * n));
  });

  it('M17: answers 402, delivers and charges nothing, if another node spent the balance in between', async () => {
    const { perch } = service;
    const account = await perch.account({ credits: 3 });
    const reader = createClient(perch.url, account.key);
    const post = perch.ledger.post.bind(perch.ledger);
    const spy = vi.spyOn(perch.ledger, 'post').mockImplementationOnce(async (debit: Debit) => {
      await post({ ...debit, requestId: v7() });
      return post(debit);
    });
    const reply = await reader.get('/v1/users/user4?fresh=true').finally(() => spy.mockRestore());
    expect([reply.status, reply.body.error.code]).toEqual([402, 'no_credits']);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reply.text).not.toContain('user4');
    expect(await perch.balance(account)).toBe(1);
  });

  it('M18: does not charge a caller who left, and keeps what was read in the cache', async () => {
    const reader = await customer(10);
    const calls = service.net.calls.length;
    const open = service.net.hold();
    const gone = new AbortController();
    const headers = { 'x-api-key': reader.account.key };
    const leaving = fetch(`${service.perch.url}/v1/users/user5`, { headers, signal: gone.signal });
    await service.net.called(calls + 1);
    gone.abort();
    await expect(leaving).rejects.toThrow();
    // When this is answered, the server has seen the other connection close.
    await reader.get('/v1/me');
    open();
    const reply = await reader.get('/v1/users/user5');
    expect(reply.body).toMatchObject({ cache: 'hit', credits_charged: 0.5, balance_remaining: 9.5 });
    expect(service.net.calls).toHaveLength(calls + 1);
  });

  it('M19: answers 500, delivers and charges nothing, if the ledger cannot be written', async () => {
    const reader = await customer(10);
    const spy = vi.spyOn(service.perch.ledger, 'post').mockRejectedValueOnce(new Error('disk 7 is full'));
    const reply = await reader.get('/v1/users/user2').finally(() => spy.mockRestore());
    expect([reply.status, reply.body.error.code]).toEqual([500, 'internal']);
    expect(reply.text).not.toMatch(/user2|disk/);
    expect(await reader.balance()).toBe(10);
    expect((await reader.get('/v1/users/user2')).body).toMatchObject({ cache: 'hit', balance_remaining: 9.5 });
  });

  it.each([
    ['what does not exist', '/v1/users/nobody'],
    ['an empty list', '/v1/tweets/999/quotes'],
    ['what is held', `${TIMELINE}?count=2`],
    ['a batch (B9)', '/v1/users/batch?handles=user1,nobody'],
  ])('M20: answers 402 for an empty wallet even for %s', async (_what, path) => {
    await (await service.customer()).get(path);
    const reply = await (await service.customer({ credits: 0 })).get(path);
    expect([reply.status, reply.body.error.code]).toEqual([402, 'no_credits']);
  });

  it.each(['/v1/me', '/v1/billing/packs', '/v1/usage'])('M21: %s works with an empty wallet', async (path) => {
    const reply = await (await service.customer({ credits: 0 })).get(path);
    expect(reply.status).toBe(200);
    expect(reply.body.balance_remaining).toBe(0);
  });

  it('answers a free 404 with any positive balance, even a tenth of a credit', async () => {
    const reader = await customer(0.1);
    expect((await reader.get('/v1/users/1/followers')).status).toBe(404);
    expect(await reader.balance()).toBe(0.1);
  });
});
