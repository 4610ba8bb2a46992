import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperatorStore } from '../../../adapters/postgres/figures/operator.js';
import { type BillingService, DAY_MS, startBilling } from './service.js';

describe('paid checkouts', () => {
  let service: BillingService;
  beforeAll(async () => {
    service = await startBilling();
  });
  afterAll(() => service.close());

  it('acknowledge an event once its credits are added, and keep every event (W1)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.buy();
    const event = service.stripe.events.at(-1);
    if (!event) throw new Error('nothing happened');
    expect(await service.deliver(event)).toBe(200);
    expect(await buyer.balance()).toBe(10_000);
    expect(await service.sale(session)).toMatchObject({ state: 'paid', paidAt: expect.any(String) as string });
    expect(await service.sql`select type, session_id from payment_events where event_id = ${event.id}`).toEqual([
      { type: 'checkout.session.completed', session_id: session },
    ]);
    expect(await service.deliver(event)).toBe(200);
    expect(await buyer.balance()).toBe(10_000);
    expect(await buyer.log()).toEqual(['account.created', 'key.created', 'checkout.opened', 'credits.bought']);
  });

  it('are not acknowledged while the processor is unreachable, and are credited when the event is repeated (W1)', async () => {
    const buyer = await service.buyer();
    await buyer.buy();
    const event = service.stripe.events.at(-1);
    if (!event) throw new Error('nothing happened');
    service.stripe.failure = { status: 401, json: { error: { type: 'api_error', message: 'down' } } };
    const status = await service.deliver(event);
    service.stripe.failure = null;
    expect(status).toBe(503);
    expect(await buyer.balance()).toBe(0);
    expect(await service.sql`select 1 from payment_events where event_id = ${event.id}`).toHaveLength(0);
    expect(await service.deliver(event)).toBe(200);
    expect(await buyer.balance()).toBe(10_000);
  });

  it('credit once for twenty concurrent events, pages and polls (W2)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.buy('scale');
    const { stripe } = service;
    const payload = stripe.sessions.get(session);
    if (!payload) throw new Error('no session');
    service.clock.advance(11_000);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        if (index % 3 === 0) return service.deliver(stripe.event('checkout.session.completed', payload));
        return index % 3 === 1 ? service.billing.settle(session) : service.settling.pollOpen();
      }),
    );
    expect(await buyer.balance()).toBe(800_000);
    expect(await buyer.paidUsd()).toBe(600);
    expect((await buyer.log()).filter((what) => what === 'credits.bought')).toHaveLength(1);
    const [sale] = await service.billing.sales(buyer.accountId);
    const rows = await service.sql`select kind from ledger_entries where request_id = ${sale?.saleId ?? ''}`;
    expect(rows).toEqual([{ kind: 'purchase' }]);
  });

  it('credit the pack as it was sold, not as the session or the event says (W3)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout('builder');
    await service.sql`update sales set credits_thousandths = 50000000 where session_id = ${session}`;
    service.stripe.pay(session);
    await service.billing.settle(session);
    expect(await buyer.balance()).toBe(50_000);
  });

  it('are found by polling open sales, less and less often, if no event arrives (W4)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    const looks = () => service.stripe.requests.filter((one) => one.endsWith(session)).length;
    const passing = async (ms: number) => {
      service.clock.advance(ms);
      await service.settling.pollOpen();
      return looks();
    };
    expect(await passing(9_000)).toBe(0);
    expect(await passing(1_500)).toBe(1);
    expect(await passing(9_000)).toBe(1);
    expect(await passing(3_600_000)).toBe(2);
    expect(await passing(60_000)).toBe(2);
    expect(await passing(181_000)).toBe(3);
    service.stripe.pay(session);
    await passing(400_000);
    expect(await buyer.balance()).toBe(10_000);
    const paid = looks();
    expect(await passing(DAY_MS / 2)).toBe(paid);
  });

  it('expire unpaid after 24 hours and are no longer polled (W4, W10)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    const looks = () => service.stripe.requests.filter((one) => one.endsWith(session)).length;
    service.stripe.expire(session);
    service.clock.advance(DAY_MS + 1000);
    await Promise.all([service.settling.pollOpen(), service.settling.pollOpen()]);
    expect(looks()).toBe(1);
    expect(await service.sale(session)).toMatchObject({ state: 'expired' });
    service.clock.advance(DAY_MS);
    await service.settling.pollOpen();
    expect(looks()).toBe(1);
  });

  it('find a bank payment on the thirteenth day without an event, and end polls after two weeks (W4, W5)', async () => {
    const [buyer, stuck] = [await service.buyer(), await service.buyer()];
    const [session, other] = [await buyer.checkout(), await stuck.checkout()];
    const looks = (one: string) => service.stripe.requests.filter((request) => request.endsWith(one)).length;
    for (const one of [session, other]) service.stripe.payLater(one);
    service.clock.advance(13 * DAY_MS);
    await service.settling.pollOpen();
    expect([await buyer.balance(), (await service.sale(session))?.state]).toEqual([0, 'open']);
    service.stripe.clear(session, true);
    service.clock.advance(DAY_MS - 1000);
    await service.settling.pollOpen();
    expect(await buyer.balance()).toBe(10_000);
    service.clock.advance(2 * DAY_MS);
    await service.settling.pollOpen();
    const seen = looks(other);
    service.clock.advance(2 * DAY_MS);
    await service.settling.pollOpen();
    expect(looks(other)).toBe(seen);
    expect(await service.sale(other)).toMatchObject({ state: 'open' });
  });

  it('time their polls from when the page was opened, however old the order is (W4)', async () => {
    const buyer = await service.buyer();
    service.stripe.failure = { status: 401, json: { error: { type: 'api_error', message: 'down' } } };
    const body = { pack: 'starter' };
    const failed = await buyer.client.post('/v1/billing/checkout', body, { 'idempotency-key': 'late' });
    service.stripe.failure = null;
    expect(failed.status).toBe(503);
    service.clock.advance(20 * 3_600_000);
    const session = await buyer.checkout('starter', 'late');
    service.stripe.pay(session);
    await service.settling.pollOpen();
    expect(await buyer.balance()).toBe(0);
    service.clock.advance(10_500);
    await service.settling.pollOpen();
    expect(await buyer.balance()).toBe(10_000);
  });

  it('credit a slow bank payment when the bank has paid, not when the page is completed (W5)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    service.stripe.payLater(session);
    await service.billing.settle(session);
    expect([await buyer.balance(), (await service.sale(session))?.state]).toEqual([0, 'open']);
    service.stripe.clear(session, true);
    await service.deliver(service.stripe.events.at(-1) ?? '');
    expect([await buyer.balance(), (await service.sale(session))?.state]).toEqual([10_000, 'paid']);
  });

  it('end the sale if the bank refuses (W5)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    service.stripe.payLater(session);
    service.stripe.clear(session, false);
    await service.deliver(service.stripe.events.at(-1) ?? '');
    expect([await buyer.balance(), (await service.sale(session))?.state]).toEqual([0, 'expired']);
  });

  it('have independent sessions, each of which expires on its own (W10)', async () => {
    const buyer = await service.buyer();
    const [first, second, third] = [await buyer.checkout(), await buyer.checkout(), await buyer.checkout('builder')];
    service.stripe.expire(first);
    service.stripe.pay(second);
    service.stripe.pay(third);
    for (const event of service.stripe.events.slice(-3)) await service.deliver(event);
    const states = await Promise.all([first, second, third].map(async (one) => (await service.sale(one))?.state));
    expect(states).toEqual(['expired', 'paid', 'paid']);
    expect([await buyer.balance(), await buyer.paidUsd()]).toEqual([65_000, 60]);
  });

  it('count credits and paid_usd net of tax (W11)', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    service.stripe.pay(session, 190);
    await service.billing.settle(session);
    expect([await buyer.balance(), await buyer.paidUsd()]).toEqual([10_000, 10]);
    service.stripe.refund(session, 595);
    await service.deliver(service.stripe.events.at(-1) ?? '');
    expect(await buyer.balance()).toBe(5_000);
  });

  it('count what was refunded net of tax, as what was paid (W11)', async () => {
    const totals = () => createOperatorStore(service.sql).money();
    const before = await totals();
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    service.stripe.pay(session, 190);
    await service.billing.settle(session);
    const refunded = async (cents: number) => {
      service.stripe.refund(session, cents);
      await service.deliver(service.stripe.events.at(-1) ?? '');
      const { paidCents, refundedCents } = await totals();
      const [sale] = await service.billing.sales(buyer.accountId);
      return [sale?.usd, sale?.refundedUsd, paidCents - before.paidCents, refundedCents - before.refundedCents];
    };
    expect(await refunded(595)).toEqual([10, 5, 1_000, 500]);
    expect(await refunded(595)).toEqual([10, 10, 1_000, 1_000]);
    await service.sql`update sales set total_cents = null where account_id = ${buyer.accountId}`;
    const [sale] = await service.billing.sales(buyer.accountId);
    expect([sale?.refundedUsd, (await totals()).refundedCents - before.refundedCents]).toEqual([10, 1_000]);
  });

  it.each([
    ['another currency', { currency: 'eur' }],
    ['a smaller amount', { amount_subtotal: 999 }],
    ['something taken off', { amount_total: 1 }],
  ])('credit nothing for %s, and log it for the operator (W3, W11)', async (_what, wrong) => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    Object.assign(service.stripe.sessions.get(session) ?? {}, wrong);
    service.stripe.pay(session);
    const before = service.logLines.length;
    await service.deliver(service.stripe.events.at(-1) ?? '');
    await service.settling.reconcile(session);
    expect([await buyer.balance(), await buyer.paidUsd()]).toEqual([0, 0]);
    expect(await service.sale(session)).toMatchObject({ state: 'mismatched', paidAt: null });
    const errors = service.logLines
      .slice(before)
      .filter((line) => (JSON.parse(line) as { level: number }).level === 50);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(session);
  });

  it('raise the rate limit of the first request after the event (L8)', async () => {
    const buyer = await service.buyer({ qps: 0 });
    const me = async () => (await buyer.client.get('/v1/me')).body as unknown as { rate_limit_qps: number };
    const session = await buyer.checkout('builder');
    service.clock.advance(2_000);
    expect((await me()).rate_limit_qps).toBe(1);
    service.stripe.pay(session);
    expect(await service.deliver(service.stripe.events.at(-1) ?? '')).toBe(200);
    await service.caughtUp();
    service.clock.advance(2_000);
    expect((await me()).rate_limit_qps).toBe(50);
  });

  it('are found by their sale if the session of the page was never recorded', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    await service.sql`update sales set session_id = null, url = null where session_id = ${session}`;
    service.stripe.pay(session);
    await service.deliver(service.stripe.events.at(-1) ?? '');
    expect(await buyer.balance()).toBe(10_000);
  });

  it('are looked up once in two seconds, however often the success page is loaded', async () => {
    const buyer = await service.buyer();
    const session = await buyer.checkout();
    const looks = () => service.stripe.requests.filter((one) => one.endsWith(session)).length;
    await Promise.all(Array.from({ length: 10 }, () => service.billing.settle(session, buyer.accountId)));
    service.clock.advance(1_999);
    await service.billing.settle(session, buyer.accountId);
    expect(looks()).toBe(1);
    service.stripe.pay(session);
    service.clock.advance(1);
    await service.billing.settle(session, buyer.accountId);
    expect([looks(), await buyer.balance()]).toEqual([2, 10_000]);
  });

  it.each(['a\0b', '', 'cs test', 'x'.repeat(256)])('ignore a session like %j without an error', async (session) => {
    await expect(service.billing.settle(session)).resolves.toBeUndefined();
  });

  it('are settled by the success page of their own account only', async () => {
    const [buyer, stranger] = [await service.buyer(), await service.buyer()];
    const session = await buyer.buy();
    await service.billing.settle(session, stranger.accountId);
    await service.billing.settle('cs_nobody', buyer.accountId);
    expect(await buyer.balance()).toBe(0);
    await service.billing.settle(session, buyer.accountId);
    expect(await buyer.balance()).toBe(10_000);
    expect(await stranger.balance()).toBe(0);
  });
});
