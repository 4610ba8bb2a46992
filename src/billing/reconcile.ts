import type { Thousandths } from '../core/credits.js';
import type { Dispute, PaymentState } from '../ports/payments.js';
import type { LockedSale, Movement, Sale, SaleChange } from '../ports/sales.js';

/**
 * The change of a sale that follows from the observed state of its payment: paid only once, and refunds and disputes
 * only advance, whatever the order and number of checks. Null: no change.
 */
export function reconcile({ sale, balance }: LockedSale, seen: PaymentState): SaleChange | null {
  const paymentIntent = sale.paymentIntent ?? seen.paymentIntent;
  if (seen.status !== 'paid') {
    // Late money still counts: `expired` is not final.
    const isOver = sale.state === 'open' && seen.status === 'over';
    return isOver ? { ...unchanged(sale), state: 'expired', paymentIntent } : null;
  }
  const refundedCents = Math.max(sale.refundedCents, seen.refundedCents);
  const disputes = merged(sale.disputes, seen.disputes);
  const freeze = disputes.some(({ disputeId, state }) => state === 'lost' && !wasLost(sale, disputeId));
  const receiptUrl = seen.receiptUrl ?? sale.receiptUrl;
  const paid = { paymentIntent, totalCents: seen.totalCents, receiptUrl };
  const facts = { ...unchanged(sale), ...paid, refundedCents, disputes, freeze };
  if (sale.state === 'open' || sale.state === 'expired') {
    if (!isAsSold(sale, seen)) return { ...facts, state: 'mismatched' };
    const purchase: Movement = { kind: 'purchase', amount: sale.credits, reason: `${sale.pack} pack` };
    const { entries, ...rest } = moved(sale, balance + sale.credits, targetOf(sale, seen.totalCents, facts));
    return { ...facts, ...rest, state: 'paid', entries: [purchase, ...entries], paidUsd: sale.usd };
  }
  const isPaid = sale.state === 'paid';
  const change = isPaid ? { ...facts, ...moved(sale, balance, targetOf(sale, seen.totalCents, facts)) } : facts;
  return isNews(sale, change) ? change : null;
}

const unchanged = (sale: Sale): SaleChange => ({
  state: sale.state,
  paymentIntent: sale.paymentIntent,
  totalCents: sale.totalCents,
  receiptUrl: sale.receiptUrl,
  refundedCents: sale.refundedCents,
  reversed: sale.reversed,
  shortfall: sale.shortfall,
  disputes: sale.disputes,
  entries: [],
  paidUsd: 0,
  freeze: false,
});

/** The currency and the amount before tax are those of the pack as it was sold (W3, W11), and nothing was deducted. */
const isAsSold = (sale: Sale, { currency, subtotalCents, totalCents }: PaymentState): boolean =>
  currency === 'usd' && subtotalCents === sale.usd * 100 && totalCents >= subtotalCents;

const wasLost = (sale: Sale, id: string): boolean =>
  sale.disputes.some(({ disputeId, state }) => disputeId === id && state === 'lost');

function merged(before: readonly Dispute[], seen: readonly Dispute[]): Dispute[] {
  const disputes = new Map(seen.map((dispute) => [dispute.disputeId, dispute]));
  for (const known of before)
    if (known.state !== 'open' || !disputes.has(known.disputeId)) disputes.set(known.disputeId, known);
  return [...disputes.values()].sort((a, b) => (a.disputeId < b.disputeId ? -1 : 1));
}

/** The total to take back: the share of the payment that was refunded, or disputed without being won (W6, W7). */
function targetOf(sale: Sale, totalCents: number, { refundedCents, disputes }: SaleChange): Thousandths {
  const disputed = disputes.reduce((sum, { state, amountCents }) => sum + (state === 'won' ? 0 : amountCents), 0);
  const share = Math.floor((sale.credits * (refundedCents + disputed)) / totalCents);
  return Math.min(sale.credits, share);
}

/**
 * Moves towards the target. Upwards by what the wallet has; the rest is a shortfall, which later top-ups don't pay.
 * Downwards by reducing the shortfall first: spent credits stay spent.
 */
function moved(
  sale: Sale,
  balance: Thousandths,
  target: Thousandths,
): Pick<SaleChange, 'reversed' | 'shortfall' | 'entries'> {
  const { reversed, shortfall, pack } = sale;
  const rise = target - reversed - shortfall;
  if (rise > 0) {
    const amount = Math.min(rise, balance);
    const reason = `${pack} pack: refunded or disputed`;
    const entries = amount > 0 ? [{ kind: 'reversal', amount, reason } as const] : [];
    return { reversed: reversed + amount, shortfall: shortfall + rise - amount, entries };
  }
  const forgiven = Math.min(-rise, shortfall);
  const amount = -rise - forgiven;
  const entries = amount > 0 ? [{ kind: 'return', amount, reason: `${pack} pack: dispute won` } as const] : [];
  return { reversed: reversed - amount, shortfall: shortfall - forgiven, entries };
}

const isNews = (sale: Sale, change: SaleChange): boolean =>
  change.entries.length > 0 ||
  change.freeze ||
  change.paymentIntent !== sale.paymentIntent ||
  change.refundedCents !== sale.refundedCents ||
  change.shortfall !== sale.shortfall ||
  textOf(change.disputes) !== textOf(sale.disputes);

const textOf = (disputes: readonly Dispute[]): string =>
  disputes.map(({ disputeId, state, amountCents }) => `${disputeId} ${state} ${amountCents}`).join();
