import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, rawClient } from '../../interfaces/http/raw.js';
import { type BillingService, startBilling } from './service.js';

describe('POST /webhooks/stripe', () => {
  let service: BillingService;
  beforeAll(async () => {
    service = await startBilling();
  });
  afterAll(() => service.close());

  const nowS = () => Math.floor(service.clock.now() / 1000);
  async function paidEvent() {
    const buyer = await service.buyer();
    const session = await buyer.buy();
    const event = service.stripe.events.at(-1);
    if (!event) throw new Error('nothing happened');
    return { buyer, session, event };
  }

  it('answers 400 for another secret, an old or missing signature and changed bytes, and does nothing', async () => {
    const { buyer, event } = await paidEvent();
    const { stripe, webhook } = service;
    const replies = await Promise.all([
      stripe.send(event, webhook, { secret: 'whsec_other' }),
      stripe.send(event, webhook, { timestamp: nowS() - 301 }),
      stripe.send('not json', webhook),
      fetch(webhook, { method: 'POST', body: JSON.stringify(event), headers: { 'content-type': 'application/json' } }),
      fetch(webhook, { method: 'POST' }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    for (const reply of replies) expect(await reply.json()).toMatchObject({ error: { code: 'bad_request' } });
    expect(await buyer.balance()).toBe(0);
    expect(await service.sql`select 1 from payment_events where event_id = ${event.id}`).toHaveLength(0);
  });

  it('answers 413 for an event above the bound, and names the bound', async () => {
    const reply = await fetch(service.webhook, {
      ...{ method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) },
      headers: { 'content-type': 'application/json' },
    });
    expect([reply.status, await reply.json()]).toMatchObject([
      413,
      { error: { message: 'The body is larger than 1048576 bytes.' } },
    ]);
  });

  it.each([
    ['no signature', ''],
    ['no signature of an event', 'Stripe-Signature: t=1,v1=abc\r\n'],
    ['a signature that is too old', `Stripe-Signature: t=1700000000,v1=${'a'.repeat(64)}\r\n`],
  ])('refuses an event with %s before its body arrives (L14)', async (_what, header) => {
    const { closed } = rawClient(service.url, post('/webhooks/stripe', `${header}Content-Length: 1000000\r\n`, ''));
    expect(await closed).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('answers 200 for an event that is a few minutes old', async () => {
    const { buyer, event } = await paidEvent();
    const reply = await service.stripe.send(event, service.webhook, { timestamp: nowS() - 200 });
    expect([reply.status, await buyer.balance()]).toEqual([200, 10_000]);
  });

  it('answers 200 for unrelated events: another type, an unknown session, a payment made elsewhere', async () => {
    const { stripe } = service;
    const { session } = await paidEvent();
    const known = stripe.sessions.get(session);
    if (!known) throw new Error('no session');
    const stranger = { ...known, id: 'cs_test_nobody' };
    const elsewhere = stripe.event('charge.refunded', {
      ...{ id: 'ch_1', object: 'charge', amount: 1, amount_refunded: 1, payment_intent: 'pi_elsewhere' },
    });
    const customer = { id: 'cus_1', object: 'customer' } as unknown as typeof known;
    for (const event of [
      stripe.event('customer.created', customer),
      stripe.event('checkout.session.completed', stranger),
      elsewhere,
    ]) {
      expect(await service.deliver(event)).toBe(200);
      expect(await service.sql`select 1 from payment_events where event_id = ${event.id}`).toHaveLength(1);
    }
  });

  it('logs a paid session of another service with the same processor, and credits nothing', async () => {
    const { stripe, sql } = service;
    const { session } = await paidEvent();
    await sql`update sales set session_id = 'cs_moved' where session_id = ${session}`;
    const before = service.logLines.length;
    expect(await service.deliver(stripe.events.at(-1) ?? '')).toBe(200);
    expect(service.logLines.slice(before).join()).toContain('an unknown checkout');
  });

  it.each([
    ['null'],
    ['[]'],
    ['"text"'],
    ['{}'],
    ['{"id":"evt_1","type":"refund.failed","data":null}'],
    ['{"id":"evt_1","type":"refund.failed","data":{"object":null}}'],
    ['{"id":"evt_1","type":"refund.failed","data":{"object":{"object":"refund","payment_intent":7}}}'],
    ['{"id":"evt_1","type":"refund.failed","data":{"object":{"object":"refund","payment_intent":"pi_\\u0000"}}}'],
    ['{"id":"evt_\\u0000","type":"refund.failed","data":{"object":{"object":"refund"}}}'],
    ['{"id":5,"type":"refund.failed","data":{"object":{"object":"refund"}}}'],
    ['{"id":"evt_1","object":"v2.core.event","type":"v2.core.account.created"}'],
  ])('refuses a signed event of the wrong form: %s', async (payload) => {
    const reply = await service.stripe.send(payload, service.webhook, { timestamp: nowS() });
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: 'bad_request' } }]);
  });

  it('answers 405 for a GET', async () => {
    expect((await fetch(service.webhook)).status).toBe(405);
  });
});

describe('without a webhook secret', () => {
  let service: BillingService;
  beforeAll(async () => {
    service = await startBilling({ STRIPE_WEBHOOK_SECRET: '' });
  });
  afterAll(() => service.close());

  it('answers 503 billing_disabled for events, and relies on the poll (W4)', async () => {
    const buyer = await service.buyer();
    await buyer.buy();
    const reply = await service.stripe.send(service.stripe.events.at(-1) ?? '', service.webhook);
    expect([reply.status, await reply.json()]).toMatchObject([503, { error: { code: 'billing_disabled' } }]);
    service.clock.advance(10_000);
    await service.settling.pollOpen();
    expect(await buyer.balance()).toBe(10_000);
  });
});

describe('without a secret key', () => {
  it('sells nothing: checkout and events are 503, unknown packs 400 (W9)', async () => {
    const service = await startBilling({ STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '' });
    try {
      const { client } = await service.buyer();
      const { data } = (await client.get('/v1/billing/packs')).body as unknown as { data: { buyable: boolean }[] };
      expect(new Set(data.map(({ buyable }) => buyable))).toEqual(new Set([false]));
      const replies = [
        await client.post('/v1/billing/checkout', { pack: 'starter' }),
        await client.post('/v1/billing/checkout', { pack: 'huge' }),
      ];
      const codes = replies.map(({ status, body }) => [status, body.error.code]);
      expect(codes).toEqual([
        [503, 'billing_disabled'],
        [400, 'bad_request'],
      ]);
      expect((await fetch(service.webhook, { method: 'POST', body: '{}' })).status).toBe(503);
      expect(service.billing.open).toBe(false);
    } finally {
      await service.close();
    }
  });
});

it('accepts a burst of signed events, and limits an address that signs with another secret (L14)', {
  timeout: 180_000,
}, async () => {
  const own = await startBilling();
  const { stripe, webhook } = own;
  const nowS = () => Math.floor(own.clock.now() / 1000);
  try {
    await (await own.buyer()).buy();
    const event = stripe.events.at(-1) ?? '';
    const burst = await Promise.all(Array.from({ length: 70 }, () => own.deliver(event)));
    expect(new Set(burst)).toEqual(new Set([200]));
    const forge = async () => {
      const reply = await stripe.send('x'.repeat(100_000), webhook, { secret: 'whsec_other', timestamp: nowS() });
      return [reply.status, ((await reply.json()) as { error: { reason?: string } }).error.reason];
    };
    for (let nth = 0; nth < 60; nth += 1) expect(await forge()).toEqual([400, 'unsigned']);
    expect(await forge()).toEqual([429, 'failed_events']);
    expect(await own.deliver(event)).toBe(200);
    for (let nth = 0; nth < 9; nth += 1) expect(await forge()).toEqual([429, 'failed_events']);
    const signature = `Stripe-Signature: t=${nowS()},v1=${'a'.repeat(64)}\r\n`;
    const unread = post('/webhooks/stripe', `${signature}Content-Length: 1000000\r\n`, '');
    expect(await rawClient(own.url, unread).closed).toMatch(/^HTTP\/1\.1 429 /);
    own.clock.advance(1000);
    expect(await own.deliver(event)).toBe(200);
  } finally {
    await own.close();
  }
});
