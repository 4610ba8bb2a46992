import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAlerts } from '../../../adapters/postgres/customers/alerts.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { type BillingService, type Buyer, startBilling } from './service.js';

describe('refunds and disputes', () => {
  let service: BillingService;
  beforeAll(async () => {
    service = await startBilling();
  });
  afterAll(() => service.close());

  /** A buyer with a paid and settled sale. */
  async function bought(pack?: string): Promise<{ buyer: Buyer; session: string }> {
    const buyer = await service.buyer();
    const session = await buyer.buy(pack);
    await service.settling.reconcile(session);
    return { buyer, session };
  }

  const deliverLast = async (): Promise<void> => {
    expect(await service.deliver(service.stripe.events.at(-1) ?? '')).toBe(200);
  };
  const books = async (session: string) => {
    const { reversed, shortfall, refundedCents } = (await service.sale(session)) ?? {};
    return [reversed, shortfall, refundedCents];
  };
  const isFrozen = async (buyer: Buyer): Promise<boolean> =>
    (await service.accounts.get(buyer.accountId))?.frozen ?? false;

  it('take back the share of a refund, which is found by its payment (W6)', async () => {
    const { buyer, session } = await bought();
    service.stripe.refund(session, 250);
    await deliverLast();
    expect(await buyer.balance()).toBe(7_500);
    service.stripe.refund(session, 750);
    await deliverLast();
    expect(await buyer.balance()).toBe(0);
    expect(await books(session)).toEqual([10_000_000, 0, 1_000]);
    expect((await buyer.log()).slice(-3)).toEqual(['credits.bought', 'credits.reversed', 'credits.reversed']);
  });

  it.each(['refund', 'dispute'] as const)('raise an alert about the balance: a %s', async (how) => {
    const { buyer, session } = await bought();
    const below = { kind: 'balance_below', amount: 9_000_000, byMail: true, webhookUrl: null } as const;
    await createAlerts(service.sql).add(buyer.accountId, below, 10, OPERATOR);
    const node = await service.another();
    service.stripe[how](session, 250);
    const [event, timestamp] = [service.stripe.events.at(-1) ?? '', Math.floor(service.clock.now() / 1000)];
    expect((await service.stripe.send(event, `${node.url}/webhooks/stripe`, { timestamp })).status).toBe(200);
    // Not one of the recent spenders, which a process looks at when it starts.
    await service.sql`update wallets set summed_seq = last_seq where account_id = ${buyer.accountId}`;
    await node.close();
    const [alert] = await createAlerts(service.sql).list(buyer.accountId);
    expect(alert?.crossedAt).not.toBeNull();
  });

  it('take no wallet below zero: spent credits are a shortfall that later top-ups do not pay (W6)', async () => {
    const { buyer, session } = await bought();
    await buyer.spend(6_000);
    service.stripe.refund(session, 1_000);
    await deliverLast();
    expect(await buyer.balance()).toBe(0);
    expect(await books(session)).toEqual([4_000_000, 6_000_000, 1_000]);
    await service.settling.reconcile(await buyer.buy());
    await service.settling.reconcile(session);
    for (const event of service.stripe.events.slice(-3)) await service.deliver(event);
    expect(await buyer.balance()).toBe(10_000);
    expect(await books(session)).toEqual([4_000_000, 6_000_000, 1_000]);
  });

  it('take credits when a refund succeeds and return them if it fails later (W6)', async () => {
    const { buyer, session } = await bought();
    const refund = service.stripe.refund(session, 1_000, 'pending');
    await deliverLast();
    expect(await buyer.balance()).toBe(10_000);
    service.stripe.setRefund(refund, 'failed');
    await deliverLast();
    expect(await buyer.balance()).toBe(10_000);
    service.stripe.setRefund(refund, 'succeeded');
    await deliverLast();
    expect(await buyer.balance()).toBe(0);
    service.stripe.setRefund(refund, 'failed');
    await deliverLast();
    expect([await buyer.balance(), await books(session)]).toEqual([10_000, [0, 0, 0]]);
    expect((await buyer.log()).slice(-2)).toEqual(['credits.reversed', 'credits.returned']);
  });

  it('set credits aside while a dispute is open, and return them when it is won (W7)', async () => {
    const { buyer, session } = await bought();
    const dispute = service.stripe.dispute(session, 1_000);
    await deliverLast();
    expect([await buyer.balance(), (await service.sale(session))?.held]).toEqual([0, 10_000_000]);
    service.stripe.setDispute(dispute, 'under_review');
    await deliverLast();
    service.stripe.setDispute(dispute, 'won');
    await deliverLast();
    expect(await buyer.balance()).toBe(10_000);
    expect(await books(session)).toEqual([0, 0, 0]);
    expect((await buyer.log()).slice(-2)).toEqual(['credits.held', 'credits.returned']);
  });

  it('return what was taken when a dispute is won, not what had been spent (W7)', async () => {
    const { buyer, session } = await bought();
    await buyer.spend(7_000);
    const dispute = service.stripe.dispute(session, 1_000);
    await deliverLast();
    expect([await buyer.balance(), await books(session)]).toEqual([0, [3_000_000, 7_000_000, 0]]);
    service.stripe.setDispute(dispute, 'won');
    await deliverLast();
    expect([await buyer.balance(), await books(session)]).toEqual([3_000, [0, 0, 0]]);
  });

  it('take nothing for an inquiry (W7)', async () => {
    const { buyer, session } = await bought();
    const inquiry = service.stripe.dispute(session, 1_000, 'warning_needs_response');
    await deliverLast();
    service.stripe.setDispute(inquiry, 'warning_closed');
    await deliverLast();
    expect(await buyer.balance()).toBe(10_000);
  });

  it('keep the credits of a lost dispute and freeze the account once, at the same tier (W7, W8)', async () => {
    const { buyer, session } = await bought('builder');
    const dispute = service.stripe.dispute(session, 5_000);
    service.stripe.setDispute(dispute, 'lost');
    await deliverLast();
    expect([await buyer.balance(), await buyer.paidUsd()]).toEqual([0, 50]);
    await service.caughtUp();
    const reply = await buyer.client.get('/v1/me');
    expect([reply.status, reply.body.error.code]).toEqual([401, 'invalid_key']);
    expect((await buyer.log()).slice(-2)).toEqual(['credits.reversed', 'account.frozen']);
    await service.accounts.freeze(buyer.accountId, false);
    await service.settling.reconcile(session);
    await service.caughtUp();
    expect((await buyer.client.get('/v1/me')).status).toBe(200);
    expect((await buyer.log()).filter((what) => what === 'account.frozen')).toHaveLength(1);
  });

  it('return credits and thaw the account when a lost dispute is won on appeal (W7, W8)', async () => {
    const { buyer, session } = await bought();
    const dispute = service.stripe.dispute(session, 1_000);
    await deliverLast();
    for (const status of ['lost', 'appeal_needs_response', 'appeal_under_review'] as const) {
      service.stripe.setDispute(dispute, status);
      await deliverLast();
      expect([await buyer.balance(), await isFrozen(buyer)]).toEqual([0, true]);
    }
    service.stripe.setDispute(dispute, 'won');
    await deliverLast();
    expect([await buyer.balance(), await isFrozen(buyer)]).toEqual([10_000, false]);
    await service.caughtUp();
    expect((await buyer.client.get('/v1/me')).status).toBe(200);
    expect((await buyer.log()).slice(-4)).toEqual([
      ...['credits.held', 'account.frozen', 'credits.returned', 'account.thawed'],
    ]);
  });

  it('thaw no account with another lost dispute, nor one that an operator froze (W8)', async () => {
    const { buyer, session } = await bought();
    const disputes = [service.stripe.dispute(session, 300), service.stripe.dispute(session, 300)];
    const settle = async (index: number, state: 'lost' | 'won') => {
      const dispute = disputes[index];
      if (dispute !== undefined) service.stripe.setDispute(dispute, state);
      await deliverLast();
      return isFrozen(buyer);
    };
    expect([await settle(0, 'lost'), await settle(1, 'lost'), await settle(0, 'won')]).toEqual([true, true, true]);
    expect(await settle(1, 'won')).toBe(false);
    await service.accounts.freeze(buyer.accountId, true);
    expect([await settle(0, 'lost'), await settle(0, 'won')]).toEqual([true, true]);
    await service.accounts.freeze(buyer.accountId, false);
    expect(await settle(0, 'lost')).toBe(true);
    await service.accounts.freeze(buyer.accountId, true);
    expect(await settle(0, 'won')).toBe(true);
  });

  it('follow the last of all pairs of statuses, in both orders of their events (W7, W13)', async () => {
    const untouched = [10_000, 0, false];
    // For a dispute of half the payment: the balance, what is set aside, and whether frozen. Inquiries change nothing.
    const outcomes: Record<string, unknown[] | undefined> = {
      ...{ warning_needs_response: undefined, warning_under_review: undefined, warning_closed: undefined },
      prevented: undefined,
      needs_response: [5_000, 5_000_000, false],
      under_review: [5_000, 5_000_000, false],
      won: untouched,
      lost: [5_000, 0, true],
      appeal_needs_response: [5_000, 0, true],
      appeal_under_review: [5_000, 0, true],
    };
    const statuses = Object.keys(outcomes);
    for (const first of statuses) {
      const { buyer, session } = await bought();
      for (const [index, second] of statuses.entries()) {
        const isSeenBetween = index % 2 === 0;
        const dispute = service.stripe.dispute(session, 500, first);
        const opened = service.stripe.events.at(-1) ?? '';
        if (isSeenBetween) await deliverLast();
        service.stripe.setDispute(dispute, second);
        await deliverLast();
        await service.deliver(opened);
        const found = [await buyer.balance(), (await service.sale(session))?.held, await isFrozen(buyer)];
        const expected = outcomes[second] ?? (isSeenBetween ? outcomes[first] : undefined) ?? untouched;
        expect({ first, second, found }).toEqual({ first, second, found: expected });
        service.stripe.setDispute(dispute, 'won');
        await deliverLast();
      }
    }
  }, 180_000);

  it('ignore an older look once a newer one is applied (W13)', async () => {
    const { buyer, session } = await bought();
    const dispute = service.stripe.dispute(session, 1_000, 'lost');
    let release = (): void => {};
    const isHeld = new Promise<void>((held) => {
      const released = new Promise<void>((done) => {
        release = done;
      });
      service.stripe.delay = async (path) => {
        if (path !== '/v1/disputes') return;
        service.stripe.delay = null;
        held();
        await released;
      };
    });
    const older = service.settling.reconcile(session);
    await isHeld;
    service.stripe.setDispute(dispute, 'won');
    await deliverLast();
    release();
    await older;
    expect([await buyer.balance(), await isFrozen(buyer), await books(session)]).toEqual([10_000, false, [0, 0, 0]]);
    expect(await buyer.log()).not.toContain('account.frozen');
  });

  it('keep the tier after a full refund (W8)', async () => {
    const { buyer, session } = await bought('growth');
    service.stripe.refund(session, 20_000);
    await deliverLast();
    expect([await buyer.balance(), await buyer.paidUsd()]).toEqual([0, 200]);
  });

  it('take no more than the pack together (W6, W7)', async () => {
    const { buyer, session } = await bought();
    await service.settling.reconcile(await buyer.buy());
    service.stripe.refund(session, 600);
    service.stripe.dispute(session, 1_000);
    await deliverLast();
    expect([await buyer.balance(), await books(session)]).toEqual([10_000, [10_000_000, 0, 600]]);
  });

  it('credit and withdraw at once a payment that was refunded before it was seen', async () => {
    const buyer = await service.buyer();
    const session = await buyer.buy();
    service.stripe.refund(session, 400);
    await service.billing.settle(session);
    expect([await buyer.balance(), await buyer.paidUsd()]).toEqual([6_000, 10]);
  });

  it('take what is left once, with exact books, while many reads run (W2, W6)', async () => {
    const { buyer, session } = await bought();
    const refunding = async () => {
      for (let cents = 0; cents < 1_000; cents += 25) {
        service.stripe.refund(session, 25);
        await Promise.all([service.settling.reconcile(session), service.settling.reconcile(session)]);
      }
    };
    const reading = async () => {
      for (let read = 0; read < 60; read += 1) await buyer.spend(50);
    };
    await Promise.all([refunding(), ...Array.from({ length: 6 }, reading)]);
    const [reversed = 0, shortfall = 0] = await books(session);
    const [{ spent = 0 } = {}] = await service.sql<{ spent: number }[]>`
      select coalesce(sum(amount_thousandths), 0)::bigint as spent from ledger_entries
      where account_id = ${buyer.accountId} and kind = 'debit'`;
    expect(reversed + shortfall).toBe(10_000_000);
    expect([await buyer.balance(), reversed + spent]).toEqual([0, 10_000_000]);
    expect((await service.ledger.check()).faults).toEqual([]);
  });

  it('show the owner the result of each sale', async () => {
    const { buyer, session } = await bought();
    service.stripe.refund(session, 250);
    service.stripe.dispute(session, 100);
    await deliverLast();
    service.clock.advance(1);
    const open = await buyer.checkout('builder');
    const [second, first, ...others] = await service.billing.sales(buyer.accountId);
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      ...{ pack: 'starter', usd: 10, credits: 10_000, state: 'paid', url: null },
      ...{ refundedUsd: 2.5, reversed: 2_500, held: 1_000, disputed: 'open' },
    });
    expect(second).toMatchObject({ pack: 'builder', state: 'open', paidAt: null, disputed: null });
    expect(second?.url).toContain(open);
    expect(await service.billing.sales((await service.buyer()).accountId)).toEqual([]);
  });
});
