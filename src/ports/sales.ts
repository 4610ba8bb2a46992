/** Sales of credits: one row per checkout, with its outcome. */
import type { Actor } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { Dispute, PaymentEvent } from './payments.js';

/**
 * How long after its page was opened a sale may still be paid (W4): the processor ends a page after 24 h, but a bank may
 * take days for a payment made on it.
 */
export const PAYABLE_FOR_MS = 14 * 86_400_000;

/** `mismatched`: paid, but not the amount asked for; nothing was credited, and the operator is notified. */
export type SaleState = 'open' | 'paid' | 'expired' | 'mismatched';

export interface Sale {
  readonly saleId: string;
  readonly accountId: string;
  /** Null until the processor has opened its page. */
  readonly sessionId: string | null;
  readonly url: string | null;
  /** The pack as it was sold; whole US dollars. */
  readonly pack: string;
  readonly usd: number;
  readonly credits: Thousandths;
  readonly state: SaleState;
  readonly paymentIntent: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly paidAt: string | null;
  /** Cents paid in all, with tax; null before it is paid, and for sales of older versions. */
  readonly totalCents: number | null;
  /** The processor's own receipt. */
  readonly receiptUrl: string | null;
  readonly refundedCents: number;
  /** Credits taken back so far, and how many of them are only set aside until a dispute is decided. */
  readonly reversed: Thousandths;
  readonly held: Thousandths;
  /** Credits to take back that the wallet no longer had. */
  readonly shortfall: Thousandths;
  readonly disputes: readonly Dispute[];
}

/** Credits added or removed, as a ledger entry: `hold` sets them aside for a dispute, `return` gives any of them back. */
export interface Movement {
  readonly kind: 'purchase' | 'reversal' | 'hold' | 'return';
  /** Above zero. */
  readonly amount: Thousandths;
  /** Shown on the statement. */
  readonly reason: string;
}

/** A change of a sale and of its account, written in one transaction. */
export interface SaleChange {
  readonly state: SaleState;
  readonly paymentIntent: string | null;
  readonly totalCents: number | null;
  readonly receiptUrl: string | null;
  readonly refundedCents: number;
  readonly reversed: Thousandths;
  readonly held: Thousandths;
  readonly shortfall: Thousandths;
  readonly disputes: readonly Dispute[];
  /** In this order. */
  readonly entries: readonly Movement[];
  /** US dollars added to what the account has paid in all (W8: never negative). */
  readonly paidUsd: number;
  /** Ids of disputes that have just been lost: all keys stop working. */
  readonly lost: readonly string[];
  /** Ids of disputes that were lost before and no longer are: the keys that were frozen because of them work again. */
  readonly overturned: readonly string[];
}

/** The input for a change of a sale. All of it is locked. */
export interface LockedSale {
  readonly sale: Sale;
  /** The balance of the account's wallet. */
  readonly balance: Thousandths;
}

export interface NewSale {
  readonly accountId: string;
  readonly pack: string;
  readonly usd: number;
  readonly credits: Thousandths;
  /** The caller's own name for this sale, or null. */
  readonly idempotencyKey: string | null;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** How long a sale counts for its idempotency key, milliseconds. */
  readonly keyLastsMs: number;
  /** Most unpaid sales begun within `countedForMs`. */
  readonly mostOpen: number;
  readonly countedForMs: number;
}

/** Why a sale cannot begin: the account is deleted, frozen or a test account, or has too many unpaid sales. */
export type SaleRefusal = 'deleted' | 'frozen' | 'test_mode' | 'too_many';

export interface Sales {
  /**
   * Begins a new sale. If the account has already used the idempotency key, returns the sale it was used for,
   * regardless of the bound. The bound is exact for any number of concurrent calls, on all nodes.
   */
  begin(sale: NewSale): Promise<Sale | SaleRefusal>;
  /** Records the page that was opened for a sale, also in the account's log; does nothing the second time. */
  opened(sale: Sale, page: { sessionId: string; url: string }, nowMs: number, by: Actor): Promise<void>;
  find(
    by: { sessionId: string } | { paymentIntent: string } | { accountId: string; saleId: string },
  ): Promise<Sale | undefined>;
  /** Sales whose page was opened, the newest first, at most `limit`. */
  list(accountId: string, limit: number): Promise<Sale[]>;
  /** Numbers a look at the processor that begins now: greater than the number of any look begun before, on any node. */
  beginLook(): Promise<number>;
  /**
   * Applies the result of `change` to a sale, with the sale and the wallet locked, in one transaction with the ledger,
   * the account and its log. Does nothing if a look that began later was applied already, because this one saw an older
   * state. `change` may be called again if the transaction is retried; if it returns null, nothing is changed. False if
   * there is no such sale: the session is unknown here.
   */
  change(
    session: { sessionId: string; saleId: string | null },
    at: { nowMs: number; look: number },
    change: (locked: LockedSale) => SaleChange | null,
  ): Promise<boolean>;
  /**
   * Claims open sales that are due for a check, the longest unchecked first, so that no other node checks them. The
   * interval grows with the time since the page was opened; the last check is `untilMs` after that.
   */
  takeDue(nowMs: number, untilMs: number, limit: number): Promise<string[]>;
  knowsEvent(eventId: string): Promise<boolean>;
  noteEvent(event: PaymentEvent): Promise<void>;
}
