import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeDispute, FakeRefund } from '../../kit/stripe/fake-stripe-objects.js';
import { type BillingService, type Buyer, startBilling } from './service.js';

const which = { sale: fc.nat(1), amount: fc.integer({ min: 1, max: 1_000 }) };

/** Steps of customers, banks and the operator, in any order. */
const steps = fc.array(
  fc.record({
    ...which,
    what: fc.constantFrom(
      'pay',
      'pay',
      'later',
      'clear',
      'refuse',
      'expire',
      'refund',
      'fail',
      'dispute',
      'won',
      'lost',
      'spend',
    ),
    /** How the service learns of it: from events by number, the poll, the success page, or not at all. */
    notifications: fc.array(fc.oneof(fc.nat(50), fc.constantFrom('poll' as const, 'page' as const)), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 14 },
);

type Step = { what: string; sale: number; amount: number };

/** What has happened at the payment processor. */
class Story {
  readonly disputes: { of: string; dispute: FakeDispute }[] = [];
  readonly refunds: { of: string; refund: FakeRefund }[] = [];
  readonly #service: BillingService;
  readonly #sessions: readonly string[];

  constructor(service: BillingService, sessions: readonly string[]) {
    this.#service = service;
    this.#sessions = sessions;
  }

  stateOf(session: string): 'paid' | 'expired' | 'open' {
    const { status, payment_status } = this.#service.stripe.sessions.get(session) ?? {};
    if (payment_status === 'paid') return 'paid';
    return status === 'expired' || this.#refused.has(session) ? 'expired' : 'open';
  }

  readonly #refused = new Set<string>();

  /** Applies the step if it is possible. */
  apply({ what, sale, amount }: Step): void {
    const { stripe } = this.#service;
    const session = this.#sessions[sale] ?? '';
    const { status, payment_status } = stripe.sessions.get(session) ?? {};
    const [isOpen, isPaid] = [status === 'open', payment_status === 'paid'];
    const isWaiting = status === 'complete' && !isPaid && !this.#refused.has(session);
    if (what === 'pay' && isOpen) stripe.pay(session);
    if (what === 'later' && isOpen) stripe.payLater(session);
    if (what === 'expire' && isOpen) stripe.expire(session);
    if (what === 'clear' && isWaiting) stripe.clear(session, true);
    if (what === 'refuse' && isWaiting) {
      stripe.clear(session, false);
      this.#refused.add(session);
    }
    if (what === 'refund' && isPaid) {
      const cents = Math.min(amount, 1_000 - this.refundedOf(session));
      if (cents > 0) this.refunds.push({ of: session, refund: stripe.refund(session, cents) });
    }
    const paidBack = this.refunds.find(({ of, refund }) => of === session && refund.status === 'succeeded');
    if (what === 'fail' && paidBack) stripe.setRefund(paidBack.refund, 'failed');
    if (what === 'dispute' && isPaid) this.disputes.push({ of: session, dispute: stripe.dispute(session, amount) });
    if (what === 'won' || what === 'lost') {
      const mine = this.disputes.filter(({ of }) => of === session);
      const one = mine[amount % mine.length];
      if (one) stripe.setDispute(one.dispute, what);
    }
  }

  targetOf(session: string): number {
    const mine = this.disputes.filter(({ of, dispute }) => of === session && dispute.status !== 'won');
    const disputed = mine.reduce((sum, { dispute }) => sum + dispute.amount, 0);
    return Math.min(1_000, this.refundedOf(session) + disputed) * 10_000;
  }

  refundedOf(session: string): number {
    const mine = this.refunds.filter(({ of, refund }) => of === session && refund.status === 'succeeded');
    return mine.reduce((sum, { refund }) => sum + refund.amount, 0);
  }
}

describe('the books of two sales', () => {
  let service: BillingService;
  beforeAll(async () => {
    service = await startBilling();
  });
  afterAll(() => service.close());

  async function notifyAll(
    notifications: readonly (number | string)[],
    from: number,
    sessions: readonly string[],
  ): Promise<void> {
    const mine = service.stripe.events.slice(from);
    await Promise.all(
      notifications.map((one) => {
        if (one === 'poll') return service.settling.pollOpen();
        if (one === 'page') return Promise.all(sessions.map((session) => service.billing.settle(session)));
        const event = mine[Number(one) % Math.max(1, mine.length)];
        return event && service.deliver(event);
      }),
    );
  }

  async function check(buyer: Buyer, sessions: readonly string[], story: Story, spent: number): Promise<void> {
    let left = 0 - spent * 1_000;
    let paidUsd = 0;
    for (const session of sessions) {
      const sale = await service.sale(session);
      if (!sale) throw new Error('no sale');
      const state = story.stateOf(session);
      expect([sale.state, sale.refundedCents]).toEqual([state, story.refundedOf(session)]);
      expect(sale.reversed + sale.shortfall).toBe(state === 'paid' ? story.targetOf(session) : 0);
      const states = story.disputes.filter(({ of }) => of === session).map(({ dispute }) => dispute.status);
      expect(sale.disputes.map((one) => (one.state === 'open' ? 'needs_response' : one.state)).sort()).toEqual(
        states.sort(),
      );
      if (state === 'paid') {
        left += sale.credits - sale.reversed;
        paidUsd += 10;
      }
    }
    expect([(await buyer.balance()) * 1_000, await buyer.paidUsd()]).toEqual([left, paidUsd]);
    const { frozen } = (await service.accounts.get(buyer.accountId)) ?? {};
    expect(frozen).toBe(story.disputes.some(({ dispute }) => dispute.status === 'lost'));
  }

  it('end the same for any order, repetition and loss of events, amid spending (W1, W2, W6, W7)', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (mix) => {
        const buyer = await service.buyer();
        const sessions = [await buyer.checkout(), await buyer.checkout()];
        const story = new Story(service, sessions);
        const from = service.stripe.events.length;
        let spent = 0;
        for (const step of mix) {
          service.clock.advance(60_000);
          story.apply(step);
          if (step.what === 'spend') {
            const before = await buyer.balance();
            await buyer.spend(step.amount);
            spent += before - (await buyer.balance());
          }
          await notifyAll(step.notifications, from, sessions);
        }
        // In the end, every event is seen, twice and concurrently.
        await Promise.all([...sessions, ...sessions].map((session) => service.settling.reconcile(session)));
        await check(buyer, sessions, story, spent);
        await notifyAll(
          service.stripe.events.slice(from).map((_, index) => index),
          from,
          sessions,
        );
        await check(buyer, sessions, story, spent);
      }),
      { numRuns: 20 },
    );
    expect((await service.ledger.check()).faults).toEqual([]);
  }, 120_000);
});
