import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../src/billing/reconcile.js';
import type { Dispute, PaymentState } from '../../src/ports/payments.js';
import type { Sale } from '../../src/ports/sales.js';

const SALE: Sale = {
  saleId: 's',
  accountId: 'a',
  sessionId: 'cs',
  url: null,
  pack: 'starter',
  usd: 10,
  credits: 10_000_000,
  state: 'open',
  paymentIntent: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  paidAt: null,
  totalCents: null,
  receiptUrl: null,
  refundedCents: 0,
  reversed: 0,
  shortfall: 0,
  disputes: [],
};

const UNPAID: PaymentState = {
  sessionId: 'cs',
  saleId: 's',
  status: 'open',
  paymentIntent: null,
  currency: 'usd',
  subtotalCents: 1_000,
  totalCents: 1_000,
  receiptUrl: null,
  refundedCents: 0,
  disputes: [],
};
const PAID: PaymentState = { ...UNPAID, status: 'paid', paymentIntent: 'pi' };

/** A sale and its wallet, by looks one after the other. */
class Books {
  sale = SALE;
  balance = 0;
  paidUsd = 0;
  freezes = 0;

  look(seen: PaymentState): void {
    const change = reconcile({ sale: this.sale, balance: this.balance }, seen);
    if (change === null) return;
    const { entries, paidUsd, freeze, ...next } = change;
    this.sale = { ...this.sale, ...next };
    for (const { kind, amount } of entries) {
      expect(amount).toBeGreaterThan(0);
      this.balance += kind === 'reversal' ? -amount : amount;
    }
    this.paidUsd += paidUsd;
    this.freezes += Number(freeze);
    expect(this.balance).toBeGreaterThanOrEqual(0);
    expect(this.sale.reversed).toBeGreaterThanOrEqual(0);
    expect(this.sale.shortfall).toBeGreaterThanOrEqual(0);
    expect(this.sale.reversed + this.sale.shortfall).toBeLessThanOrEqual(this.sale.credits);
  }

  spend(amount: number): number {
    const spent = Math.min(amount, this.balance);
    this.balance -= spent;
    return spent;
  }
}

const step = fc.oneof(
  fc.record({ what: fc.constant('refund' as const), cents: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ what: fc.constant('dispute' as const), cents: fc.integer({ min: 1, max: 1_000 }) }),
  fc.record({ what: fc.constantFrom('won' as const, 'lost' as const), cents: fc.nat(3) }),
);

/** Each state that the processor shows, from the opened page on. */
function storyOf(steps: readonly { what: 'refund' | 'dispute' | 'won' | 'lost'; cents: number }[]): PaymentState[] {
  let disputes: Dispute[] = [];
  let refundedCents = 0;
  const story = [UNPAID, PAID];
  for (const { what, cents } of steps) {
    if (what === 'refund') refundedCents = Math.min(1_000, refundedCents + cents);
    else if (what === 'dispute') {
      disputes = [...disputes, { disputeId: `d${disputes.length}`, state: 'open', amountCents: cents }];
    } else disputes = disputes.map((one, at) => (at === cents && one.state === 'open' ? { ...one, state: what } : one));
    story.push({ ...PAID, refundedCents, disputes });
  }
  return story;
}

describe('reconciling a sale', () => {
  it('is the same whatever the order and number of looks, with spending in between (W1, W2)', () => {
    const looks = fc.array(fc.record({ at: fc.nat(40), spend: fc.nat(3_000_000) }), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), looks, (steps, mix) => {
        const story = storyOf(steps);
        const last = story.at(-1) ?? PAID;
        const books = new Books();
        let spent = 0;
        for (const { at, spend } of mix) {
          books.look(story[at % story.length] ?? PAID);
          spent += books.spend(spend);
        }
        books.look(last);
        const { state, refundedCents, disputes, reversed, shortfall } = books.sale;
        expect({ state, refundedCents, disputes }).toEqual({
          state: 'paid',
          refundedCents: last.refundedCents,
          disputes: last.disputes,
        });
        const held = disputes.reduce((sum, one) => sum + (one.state === 'won' ? 0 : one.amountCents), 0);
        expect(reversed + shortfall).toBe(Math.min(1_000, refundedCents + held) * 10_000);
        expect(books.balance).toBe(SALE.credits - reversed - spent);
        expect(books.paidUsd).toBe(10);
        expect(books.freezes > 0).toBe(disputes.some((one) => one.state === 'lost'));
        for (const seen of [...story, last]) expect(reconcile({ sale: books.sale, balance: 1 }, seen)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it('money that comes in after the page was over still counts (W2)', () => {
    const books = new Books();
    books.look({ ...UNPAID, status: 'over' });
    expect(books.sale.state).toBe('expired');
    books.look(PAID);
    books.look({ ...UNPAID, status: 'over' });
    expect([books.sale.state, books.balance, books.paidUsd]).toEqual(['paid', 10_000_000, 10]);
  });

  it.each([
    ['another currency', { currency: 'eur' }],
    ['no currency', { currency: null }],
    ['less', { subtotalCents: 999 }],
    ['more', { subtotalCents: 1_001 }],
    ['a discount', { totalCents: 0 }],
  ])('%s never becomes a sale, but a lost dispute of it freezes the account (W3, W8, W11)', (_what, wrong) => {
    const books = new Books();
    books.look({ ...PAID, ...wrong });
    books.look(PAID);
    expect([books.sale.state, books.balance, books.paidUsd, books.freezes]).toEqual(['mismatched', 0, 0, 0]);
    books.look({ ...PAID, ...wrong, disputes: [{ disputeId: 'd', state: 'lost', amountCents: 1 }] });
    books.look({ ...PAID, ...wrong, disputes: [{ disputeId: 'd', state: 'lost', amountCents: 1 }] });
    expect([books.balance, books.freezes]).toEqual([0, 1]);
  });
});
