import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcile } from '../../../src/billing/reconcile.js';
import type { Dispute, PaymentState } from '../../../src/ports/payments.js';
import type { Sale } from '../../../src/ports/sales.js';

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
  held: 0,
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

/** A sale and its wallet, to which successive looks are applied. */
class Books {
  sale = SALE;
  balance = 0;
  paidUsd = 0;
  /** Lost disputes for which the account is frozen. */
  readonly frozenFor = new Set<string>();

  look(seen: PaymentState): void {
    const change = reconcile({ sale: this.sale, balance: this.balance }, seen);
    if (change === null) return;
    const { entries, paidUsd, lost, overturned, ...next } = change;
    this.sale = { ...this.sale, ...next };
    for (const { kind, amount } of entries) {
      expect(amount).toBeGreaterThan(0);
      this.balance += kind === 'reversal' || kind === 'hold' ? -amount : amount;
    }
    this.paidUsd += paidUsd;
    for (const id of lost) this.frozenFor.add(id);
    for (const id of overturned) this.frozenFor.delete(id);
    expect(this.balance).toBeGreaterThanOrEqual(0);
    expect(this.sale.reversed).toBeGreaterThanOrEqual(this.sale.held);
    expect(this.sale.held).toBeGreaterThanOrEqual(0);
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
  fc.record({ what: fc.constantFrom('refund' as const, 'failure' as const), cents: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ what: fc.constant('dispute' as const), cents: fc.integer({ min: 1, max: 1_000 }) }),
  fc.record({ what: fc.constantFrom('open' as const, 'won' as const, 'lost' as const), cents: fc.nat(3) }),
);

/** The states that the processor shows in turn, beginning with the opened page. */
function storyOf(
  steps: readonly { what: 'refund' | 'failure' | 'dispute' | Dispute['state']; cents: number }[],
): PaymentState[] {
  let disputes: Dispute[] = [];
  let refundedCents = 0;
  const story = [UNPAID, PAID];
  for (const { what, cents } of steps) {
    if (what === 'refund') refundedCents = Math.min(1_000, refundedCents + cents);
    else if (what === 'failure') refundedCents = Math.max(0, refundedCents - cents);
    else if (what === 'dispute') {
      disputes = [...disputes, { disputeId: `d${disputes.length}`, state: 'open', amountCents: cents }];
    } else disputes = disputes.map((one, at) => (at === cents ? { ...one, state: what } : one));
    story.push({ ...PAID, refundedCents, disputes });
  }
  return story;
}

describe('reconciling a sale', () => {
  it('ends in the state that was seen last, whatever was seen before, with spending in between (W1, W2, W13)', () => {
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
        expect({ state, refundedCents }).toEqual({ state: 'paid', refundedCents: last.refundedCents });
        expect(disputes).toEqual(last.disputes);
        const centsOf = (...states: string[]) =>
          disputes.reduce((sum, one) => sum + (states.includes(one.state) ? one.amountCents : 0), 0);
        const [decided, all] = [centsOf('lost'), centsOf('lost', 'open')].map(
          (cents) => Math.min(1_000, refundedCents + cents) * 10_000,
        );
        expect(reversed + shortfall).toBe(all);
        expect(books.sale.held).toBe(Math.max(0, reversed - (decided ?? 0)));
        expect(books.balance).toBe(SALE.credits - reversed - spent);
        expect(books.paidUsd).toBe(10);
        expect(books.frozenFor.size).toBe(disputes.filter((one) => one.state === 'lost').length);
        expect(reconcile({ sale: books.sale, balance: 1 }, last)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  /** A pack of 10,000 credits for $10, of which $5 are disputed: the dispute, the refund in cents, and the result. */
  const table = [
    ['open', 0, { balance: 5_000_000, reversed: 5_000_000, held: 5_000_000, frozen: false }],
    ['won', 0, { balance: 10_000_000, reversed: 0, held: 0, frozen: false }],
    ['lost', 0, { balance: 5_000_000, reversed: 5_000_000, held: 0, frozen: true }],
    ['open', 400, { balance: 1_000_000, reversed: 9_000_000, held: 5_000_000, frozen: false }],
    ['won', 400, { balance: 6_000_000, reversed: 4_000_000, held: 0, frozen: false }],
    ['lost', 400, { balance: 1_000_000, reversed: 9_000_000, held: 0, frozen: true }],
  ] as const;

  it('depends only on the last of every sequence of four states of a dispute and a refund (W6, W7, W8)', () => {
    const sequences = (length: number): (typeof table)[number][][] =>
      length === 0 ? [[]] : sequences(length - 1).flatMap((before) => table.map((row) => [...before, row]));
    for (const sequence of sequences(4)) {
      const books = new Books();
      for (const [state, refundedCents, expected] of sequence) {
        books.look({ ...PAID, refundedCents, disputes: [{ disputeId: 'd', state, amountCents: 500 }] });
        const { balance, frozenFor, sale } = books;
        const now = { balance, reversed: sale.reversed, held: sale.held, frozen: frozenFor.size > 0 };
        if (JSON.stringify(now) !== JSON.stringify(expected)) expect({ sequence, now }).toEqual({ sequence, expected });
        expect(sale.shortfall).toBe(0);
      }
    }
  });

  it('still counts money that arrives after the page has expired (W2)', () => {
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
  ])('never sells anything for %s, but freezes the account for a lost dispute of it (W3, W8, W11)', (_what, wrong) => {
    const books = new Books();
    books.look({ ...PAID, ...wrong });
    books.look(PAID);
    expect([books.sale.state, books.balance, books.paidUsd, books.frozenFor.size]).toEqual(['mismatched', 0, 0, 0]);
    books.look({ ...PAID, ...wrong, disputes: [{ disputeId: 'd', state: 'lost', amountCents: 1 }] });
    books.look({ ...PAID, ...wrong, disputes: [{ disputeId: 'd', state: 'lost', amountCents: 1 }] });
    expect([books.balance, books.frozenFor.size]).toEqual([0, 1]);
  });
});
