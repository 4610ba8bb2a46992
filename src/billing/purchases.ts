import { toCredits } from '../domain/credits.js';
import type { Dispute } from '../ports/payments.js';
import type { Sale } from '../ports/sales.js';

/** A paid purchase as its receipt shows it. Amounts are in US cents. */
export interface PurchaseRecord {
  readonly saleId: string;
  readonly sessionId: string | null;
  /** The processor's id of the payment. */
  readonly paymentIntent: string | null;
  /** RFC 3339. */
  readonly paidAt: string;
  readonly pack: string;
  /** Whole credits. */
  readonly credits: number;
  /** Before tax. */
  readonly priceCents: number;
  /** Null if it is not known. */
  readonly taxCents: number | null;
  readonly refundedCents: number;
  /** Credits taken back for good, and those set aside while a dispute is open. */
  readonly reversed: number;
  readonly held: number;
  readonly disputes: readonly Dispute[];
  /** The processor's own receipt, or null. */
  readonly receiptUrl: string | null;
}

/** How much of the pack's price was refunded, in cents: without tax, as far as it is known. */
export function refundedPrice({ usd, totalCents, refundedCents }: Sale): number {
  const priceCents = usd * 100;
  const share = Math.round((refundedCents * priceCents) / Math.max(totalCents ?? 0, priceCents));
  return Math.min(share, priceCents);
}

/** Undefined for a sale that was not paid as sold, because it has no receipt. */
export function toPurchase(sale: Sale): PurchaseRecord | undefined {
  const { saleId, sessionId, paymentIntent, paidAt, pack, usd, totalCents, refundedCents, disputes, receiptUrl } = sale;
  if (sale.state !== 'paid' || paidAt === null) return undefined;
  const priceCents = usd * 100;
  return {
    ...{ saleId, sessionId, paymentIntent, paidAt, pack, priceCents, refundedCents, disputes, receiptUrl },
    credits: toCredits(sale.credits),
    // Nothing but tax is added to the price.
    taxCents: totalCents === null ? null : totalCents - priceCents,
    reversed: toCredits(sale.reversed - sale.held),
    held: toCredits(sale.held),
  };
}
