import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemberStore } from '../../../adapters/postgres/accounts/members.js';
import { PACKS } from '../../../src/domain/tiers.js';
import type { Reply } from '../../kit/client.js';
import { type BillingService, DAY_MS, startBilling } from './service.js';

const PATH = '/v1/billing/checkout';

/** The body of a checkout answer. */
const opened = ({ body }: Reply) => body as unknown as { url: string; pack: string; usd: number; credits: number };

describe('POST /v1/billing/checkout while payments are open', () => {
  let service: BillingService;
  beforeAll(async () => {
    service = await startBilling();
  });
  afterAll(() => service.close());

  it.each(PACKS)('answers 200 for $name with a payment page, free, and logs it (section 4.1)', async (offered) => {
    const { name: pack, usd, credits } = offered;
    const buyer = await service.buyer();
    const reply = await buyer.client.post(PATH, { pack });
    expect(reply.status).toBe(200);
    expect(opened(reply)).toMatchObject({ pack, usd, credits, credits_charged: 0 });
    expect(opened(reply).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pay\/cs_test_/);
    expect(
      await service.sql`
      select what, who, address, detail ->> 'pack' as pack from audit_log
      where account_id = ${buyer.accountId} and what = 'checkout.opened'`,
    ).toEqual([{ what: 'checkout.opened', who: 'customer', address: '127.0.0.1', pack }]);
  });

  it('opens a page for this sale that leads back to the dashboard', async () => {
    const buyer = await service.buyer({ email: 'ada@example.com' });
    const session = service.stripe.sessions.get(await buyer.checkout());
    const sale = await service.sale(session?.id ?? '');
    expect(session).toMatchObject({
      mode: 'payment',
      amount_subtotal: 1_000,
      currency: 'usd',
      customer_email: 'ada@example.com',
      client_reference_id: sale?.saleId,
      metadata: { sale_id: sale?.saleId },
      success_url: `${service.url}/dashboard/credits?session_id={CHECKOUT_SESSION_ID}`,
      cancel_url: `${service.url}/dashboard/credits`,
    });
    expect((session?.expires_at ?? 0) - (session?.created ?? 0)).toBe(DAY_MS / 1000);
    const nameless = service.stripe.sessions.get(await (await service.buyer()).checkout());
    expect(nameless?.customer_email).toBeNull();
  });

  it('sells every pack (W9)', async () => {
    const { body } = await (await service.buyer()).client.get('/v1/billing/packs');
    expect(new Set((body.data as { buyable: boolean }[]).map(({ buyable }) => buyable))).toEqual(new Set([true]));
  });

  it('opens one page for one Idempotency-Key, even for ten concurrent requests (H12)', async () => {
    const buyer = await service.buyer();
    const sessions = await Promise.all(Array.from({ length: 10 }, () => buyer.checkout('starter', 'order-1')));
    expect(new Set(sessions).size).toBe(1);
    expect(await buyer.checkout('starter', 'order-1')).toBe(sessions[0]);
    expect(await buyer.checkout('starter', 'order-2')).not.toBe(sessions[0]);
    expect(await buyer.checkout()).not.toBe(await buyer.checkout());
    const stranger = await service.buyer();
    expect(await stranger.checkout('starter', 'order-1')).not.toBe(sessions[0]);
    expect((await buyer.log()).filter((what) => what === 'checkout.opened')).toHaveLength(4);
  });

  it('honours the key for 24 hours (H12), with the pack as it was sold (W3)', async () => {
    const buyer = await service.buyer();
    const first = await buyer.checkout('starter', 'order');
    await service.sql`update sales set usd = 9, credits_thousandths = 9000000 where session_id = ${first}`;
    service.clock.advance(DAY_MS - 1_000);
    const reply = await buyer.client.post(PATH, { pack: 'starter' }, { 'idempotency-key': 'order' });
    expect(opened(reply)).toMatchObject({ usd: 9, credits: 9_000 });
    expect(opened(reply).url).toContain(first);
    service.clock.advance(1_000);
    expect(await buyer.checkout('starter', 'order')).not.toBe(first);
  });

  it('opens the same page as REST for the key as an argument of GraphQL (H12)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout('growth', 'order');
    const mutate = async (key: string) => {
      const query = `mutation { checkout(pack: "growth", idempotencyKey: ${JSON.stringify(key)}) { url usd credits } }`;
      return JSON.parse((await buyer.client.post('/graphql', { query })).text) as {
        data?: { checkout: { url: string } };
        errors?: { extensions: { code: string } }[];
      };
    };
    expect((await mutate('order')).data?.checkout).toMatchObject({ usd: 200, credits: 240_000 });
    expect((await mutate('order')).data?.checkout.url).toContain(session);
    expect((await mutate('an order')).errors?.[0]?.extensions.code).toBe('bad_request');
  });

  it('answers 400 for the same key with another pack (H12)', async () => {
    const buyer = await service.buyer();
    await buyer.checkout('starter', 'order');
    const { status, body } = await buyer.client.post(PATH, { pack: 'scale' }, { 'idempotency-key': 'order' });
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'idempotency_key']);
    expect(body.error.message).toContain('starter');
  });

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['with a space', 'order 1'],
    ['not ASCII', 'bestellung-ü'],
  ])('answers 400 for a key that is %s (H12)', async (_what, key) => {
    const { client } = await service.buyer();
    const { status, body } = await client.post(PATH, { pack: 'starter' }, { 'idempotency-key': key });
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'idempotency_key']);
  });

  it('accepts the longest key, from the header only', async () => {
    const buyer = await service.buyer();
    expect(await buyer.checkout('starter', 'k'.repeat(255))).toBeTruthy();
    const sent = { pack: 'starter', idempotency_key: 'in-the-body' };
    const replies = [await buyer.client.post(PATH, sent), await buyer.client.post(PATH, sent)];
    expect(new Set(replies.map((reply) => opened(reply).url)).size).toBe(2);
  });

  it('answers 400 for an unknown pack without opening a sale', async () => {
    const buyer = await service.buyer();
    const { status, body } = await buyer.client.post(PATH, { pack: 'huge' });
    expect([status, body.error.param]).toEqual([400, 'pack']);
    expect(await service.sql`select 1 from sales where account_id = ${buyer.accountId}`).toHaveLength(0);
  });

  it('allows twenty unpaid checkouts, even if requested at once, then answers 429 until one is paid', async () => {
    const buyer = await service.buyer();
    const replies = await Promise.all(
      Array.from({ length: 24 }, () =>
        buyer.client.post(PATH, { pack: 'starter' }, { 'idempotency-key': randomUUID() }),
      ),
    );
    const fine = replies.filter(({ status }) => status === 200);
    const [refused, ...others] = replies.filter(({ status }) => status !== 200);
    expect([fine.length, others.length]).toEqual([20, 3]);
    expect([refused?.status, refused?.body.error.code, refused?.headers.get('retry-after')]).toEqual([
      ...[429, 'rate_limited', '60'],
    ]);
    expect(refused?.body.error.message).toContain('are still unpaid');
    const session = fine[0] && opened(fine[0]).url.split('/').at(-1);
    service.stripe.pay(session ?? '');
    await service.billing.settle(session ?? '');
    await buyer.checkout('starter', 'order');
    expect((await buyer.client.post(PATH, { pack: 'starter' })).status).toBe(429);
    expect(await buyer.checkout('starter', 'order')).toBeTruthy();
    service.clock.advance(DAY_MS);
    expect(await buyer.checkout()).toBeTruthy();
  });

  it('counts each field of a GraphQL document', async () => {
    const buyer = await service.buyer();
    const fields = Array.from({ length: 8 }, (_, index) => `c${index}: checkout(pack: "starter") { url }`);
    const query = `mutation { ${fields.join(' ')} }`;
    const replies = await Promise.all([1, 2, 3].map(() => buyer.client.post('/graphql', { query })));
    const codes = replies.flatMap(({ text }) => {
      const { errors = [] } = JSON.parse(text) as { errors?: { extensions: { code: string } }[] };
      return errors.map(({ extensions }) => extensions.code);
    });
    expect(new Set(codes)).toEqual(new Set(['rate_limited']));
    const [row] = await service.sql`select count(*)::int as open from sales where account_id = ${buyer.accountId}`;
    expect(row).toEqual({ open: 20 });
  });

  it('stops counting a checkout that the processor refused after a minute', async () => {
    const { stripe } = service;
    const buyer = await service.buyer();
    stripe.failure = { status: 401, json: { error: { type: 'invalid_request_error', message: 'down' } } };
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => buyer.client.post(PATH, { pack: 'starter' })),
    ).finally(() => {
      stripe.failure = null;
    });
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await buyer.client.post(PATH, { pack: 'starter' })).status).toBe(429);
    service.clock.advance(60_000);
    expect(await buyer.checkout()).toBeTruthy();
  });

  it('refuses a frozen account (W8)', async () => {
    const buyer = await service.buyer();
    await service.sql`update accounts set frozen_at = now() where account_id = ${buyer.accountId}`;
    const options = { idempotencyKey: null, address: null };
    await expect(service.billing.checkout(buyer.accountId, 'starter', options)).rejects.toMatchObject({
      ...{ code: 'access_denied', detail: { reason: 'frozen' } },
    });
    expect(await service.sql`select 1 from sales where account_id = ${buyer.accountId}`).toHaveLength(0);
  });

  it('refuses an account that is deleted while the checkout waits for its wallet', async () => {
    const buyer = await service.buyer();
    const checkout = () =>
      service.billing.checkout(buyer.accountId, 'starter', { idempotencyKey: null, address: null });
    let waiting: Promise<unknown> | undefined;
    await service.sql.begin(async (tx) => {
      await tx`select from wallets where account_id = ${buyer.accountId} for update`;
      waiting = checkout().catch((error: unknown) => error);
      const waits = () => service.sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await expect.poll(async () => (await waits()).length).toBeGreaterThan(0);
      await tx`update accounts set deleted_at = now() where account_id = ${buyer.accountId}`;
    });
    expect(await waiting).toMatchObject({ code: 'not_found' });
    expect(await service.sql`select 1 from sales where account_id = ${buyer.accountId}`).toHaveLength(0);
  });

  const BY = { who: 'customer', address: null } as const;
  const deleteAccount = (accountId: string) => createMemberStore(service.sql).deleteAccount(accountId, BY);
  /** Dates the account's checkouts back, by the clock of the database. */
  const dateBack = (accountId: string, hours: number) => service.sql`
    update sales set created_at = now() - ${hours} * interval '1 hour',
      opened_at = case when opened_at is not null then now() - ${hours} * interval '1 hour' end
    where account_id = ${accountId}`;

  it('lets an account be deleted a day after a checkout whose page the processor never opened', async () => {
    const buyer = await service.buyer();
    service.stripe.failure = { status: 401, json: { error: { type: 'invalid_request_error' } } };
    const { status } = await buyer.client.post(PATH, { pack: 'starter' }).finally(() => {
      service.stripe.failure = null;
    });
    expect(status).toBe(503);
    await dateBack(buyer.accountId, 24);
    await expect(deleteAccount(buyer.accountId)).rejects.toMatchObject({ code: 'bad_request' });
    await dateBack(buyer.accountId, 25);
    await deleteAccount(buyer.accountId);
  });

  it('lets an account be deleted two weeks after a page whose end was never learned', async () => {
    const buyer = await service.buyer();
    await buyer.checkout();
    await dateBack(buyer.accountId, 14 * 24 - 1);
    await expect(deleteAccount(buyer.accountId)).rejects.toMatchObject({ code: 'bad_request' });
    await dateBack(buyer.accountId, 14 * 24);
    await deleteAccount(buyer.accountId);
  });

  it('answers 503 upstream_error when the processor fails, with the cause only in the log; the key works later', async () => {
    const { stripe } = service;
    const buyer = await service.buyer();
    stripe.failure = { status: 401, json: { error: { type: 'invalid_request_error', message: 'Key of yesterday' } } };
    const before = service.logLines.length;
    const { status, text, body, headers } = await buyer.client
      .post(PATH, { pack: 'starter' }, { 'idempotency-key': 'order' })
      .finally(() => {
        stripe.failure = null;
      });
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'upstream_error', '2']);
    expect(body.error.message).toContain('Nothing was charged');
    expect(text).not.toContain('yesterday');
    expect(service.logLines.slice(before).join()).toContain('Key of yesterday');
    expect(service.logLines.join()).not.toContain(stripe.secretKey);
    expect(await service.billing.sales(buyer.accountId)).toEqual([]);
    const session = await buyer.checkout('starter', 'order');
    expect(await buyer.checkout('starter', 'order')).toBe(session);
  });

  it('takes the payment with one click on its page, and returns to the dashboard', async () => {
    const buyer = await service.buyer();
    const { url } = opened(await buyer.client.post(PATH, { pack: 'starter' }));
    expect(await (await fetch(url)).text()).toContain('Pay US$10');
    const paid = await fetch(url, { method: 'POST', redirect: 'manual' });
    const session = url.split('/').at(-1) ?? '';
    expect(paid.headers.get('location')).toBe(`${service.url}/dashboard/credits?session_id=${session}`);
    await service.billing.settle(session, buyer.accountId);
    expect(await buyer.balance()).toBe(10_000);
  });
});

describe('a processor that sends its events itself', () => {
  it('has its payment credited as soon as the event arrives', async () => {
    const service = await startBilling();
    try {
      const buyer = await service.buyer();
      const session = await buyer.checkout();
      service.stripe.webhookUrl = service.webhook;
      service.stripe.pay(session);
      expect(await Promise.all(service.stripe.deliveries)).toEqual([200]);
      expect(await buyer.balance()).toBe(10_000);
    } finally {
      await service.close();
    }
  });
});
