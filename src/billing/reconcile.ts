import type { Thousandths } from '../domain/credits.js';
import type { Dispute, PaymentState } from '../ports/payments.js';
import type { LockedSale, Movement, Sale, SaleChange } from '../ports/sales.js';

/**
 * The change of a sale that follows from the state in which its payment was last seen. Credits are added once, and are
 * taken back or returned as refunds and disputes require. Null if nothing changes.
 */
export function reconcile({ sale, balance }: LockedSale, seen: PaymentState): SaleChange | null {
  const paymentIntent = sale.paymentIntent ?? seen.paymentIntent;
  if (seen.status !== 'paid') {
    // Late money still counts: `expired` is not final.
    const isOver = sale.state === 'open' && seen.status === 'over';
    return isOver ? { ...unchanged(sale), state: 'expired', paymentIntent } : null;
  }
  const disputes = merged(sale.disputes, seen.disputes);
  const facts = {
    ...unchanged(sale),
    paymentIntent,
    totalCents: seen.totalCents,
    receiptUrl: seen.receiptUrl ?? sale.receiptUrl,
    refundedCents: seen.refundedCents,
    disputes,
    lost: lostOnlyIn(disputes, sale.disputes),
    overturned: lostOnlyIn(sale.disputes, disputes),
  };
  if (sale.state === 'open' || sale.state === 'expired') {
    if (!isAsSold(sale, seen)) return { ...facts, state: 'mismatched' };
    const purchase: Movement = { kind: 'purchase', amount: sale.credits, reason: `${sale.pack} pack` };
    const { entries, ...rest } = moved(sale, balance + sale.credits, facts);
    return { ...facts, ...rest, state: 'paid', entries: [purchase, ...entries], paidUsd: sale.usd };
  }
  const change = sale.state === 'paid' ? { ...facts, ...moved(sale, balance, facts) } : facts;
  return isNews(sale, change) ? change : null;
}

const unchanged = (sale: Sale): SaleChange => ({
  state: sale.state,
  paymentIntent: sale.paymentIntent,
  totalCents: sale.totalCents,
  receiptUrl: sale.receiptUrl,
  refundedCents: sale.refundedCents,
  reversed: sale.reversed,
  held: sale.held,
  shortfall: sale.shortfall,
  disputes: sale.disputes,
  entries: [],
  paidUsd: 0,
  lost: [],
  overturned: [],
});

/** Whether currency and amount before tax match the pack as sold (W3, W11), and nothing was deducted. */
const isAsSold = (sale: Sale, { currency, subtotalCents, totalCents }: PaymentState): boolean =>
  currency === 'usd' && subtotalCents === sale.usd * 100 && totalCents >= subtotalCents;

/** Disputes that the processor no longer lists keep the state that was seen last. */
function merged(before: readonly Dispute[], seen: readonly Dispute[]): Dispute[] {
  const disputes = new Map([...before, ...seen].map((dispute) => [dispute.disputeId, dispute]));
  return [...disputes.values()].sort((a, b) => (a.disputeId < b.disputeId ? -1 : 1));
}

const lostOnlyIn = (these: readonly Dispute[], those: readonly Dispute[]): string[] => {
  const lostIn = (disputes: readonly Dispute[]) =>
    disputes.filter(({ state }) => state === 'lost').map(({ disputeId }) => disputeId);
  const others = new Set(lostIn(those));
  return lostIn(these).filter((id) => !others.has(id));
};

/** The credits that correspond to a part of the payment. */
const creditShare = (sale: Sale, cents: number, totalCents: number): Thousandths =>
  Math.min(sale.credits, Math.floor((sale.credits * cents) / totalCents));

const disputedCents = (disputes: readonly Dispute[], which: Dispute['state']): number =>
  disputes.reduce((sum, { state, amountCents }) => sum + (state === which ? amountCents : 0), 0);

/**
 * Moves credits towards the target, which is the amount to take back: the share of the payment that was refunded or
 * lost, for good, plus the share under dispute while the dispute is open (W6, W7). If the target rises, takes what the
 * wallet has; the rest is a shortfall, which later top-ups do not pay. If it falls, reduces the shortfall first,
 * because spent credits stay spent, and returns the rest. Losing a dispute moves no credits: those set aside become
 * taken back for good.
 */
function moved(
  sale: Sale,
  balance: Thousandths,
  facts: Pick<SaleChange, 'refundedCents' | 'disputes'> & { readonly totalCents: number },
): Pick<SaleChange, 'reversed' | 'held' | 'shortfall' | 'entries'> {
  const { refundedCents, disputes, totalCents } = facts;
  const gone = refundedCents + disputedCents(disputes, 'lost');
  const decided = creditShare(sale, gone, totalCents);
  const target = creditShare(sale, gone + disputedCents(disputes, 'open'), totalCents);
  const rise = target - sale.reversed - sale.shortfall;
  const taken = Math.min(Math.max(0, rise), balance);
  const returned = Math.max(0, -rise - sale.shortfall);
  const reversed = sale.reversed + taken - returned;
  const held = Math.max(0, reversed - decided);
  const setAside = Math.min(taken, Math.max(0, held - sale.held));
  const entries: Movement[] = [
    {
      kind: 'return',
      amount: returned,
      reason: `${sale.pack} pack: ${refundedCents < sale.refundedCents ? 'refund failed' : 'dispute won'}`,
    },
    {
      kind: 'reversal',
      amount: taken - setAside,
      reason: `${sale.pack} pack: ${refundedCents > sale.refundedCents ? 'refunded' : 'dispute lost'}`,
    },
    { kind: 'hold', amount: setAside, reason: `${sale.pack} pack: disputed` },
  ];
  return { reversed, held, shortfall: target - reversed, entries: entries.filter(({ amount }) => amount > 0) };
}

const isNews = (sale: Sale, change: SaleChange): boolean =>
  change.entries.length > 0 ||
  change.paymentIntent !== sale.paymentIntent ||
  change.refundedCents !== sale.refundedCents ||
  change.held !== sale.held ||
  change.shortfall !== sale.shortfall ||
  disputesKey(change.disputes) !== disputesKey(sale.disputes);

const disputesKey = (disputes: readonly Dispute[]): string =>
  disputes.map(({ disputeId, state, amountCents }) => `${disputeId} ${state} ${amountCents}`).join();
