/** Sales of credits: one row per checkout, and what has come of it. */
import type { Actor } from '../core/audit.js';
import type { Thousandths } from '../core/credits.js';
import type { Dispute, PaymentEvent } from './payments.js';

/** `mismatched`: paid, but not what was asked; nothing was credited, the operator is told. */
export type SaleState = 'open' | 'paid' | 'expired' | 'mismatched';

export interface Sale {
  readonly saleId: string;
  readonly accountId: string;
  /** Null until the processor has opened its page. */
  readonly sessionId: string | null;
  readonly url: string | null;
  /** The pack as it was sold (W3); whole US dollars. */
  readonly pack: string;
  readonly usd: number;
  readonly credits: Thousandths;
  readonly state: SaleState;
  readonly paymentIntent: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly paidAt: string | null;
  readonly refundedCents: number;
  /** Taken back so far, and what the wallet did not have any more (W6). */
  readonly reversed: Thousandths;
  readonly shortfall: Thousandths;
  readonly disputes: readonly Dispute[];
}

/** Credits added or removed, as a ledger entry. */
export interface Movement {
  readonly kind: 'purchase' | 'reversal' | 'return';
  /** Above zero. */
  readonly amount: Thousandths;
  /** Shown on the statement. */
  readonly reason: string;
}

/** A change of a sale and of its account, written in one transaction. */
export interface SaleChange {
  readonly state: SaleState;
  readonly paymentIntent: string | null;
  readonly refundedCents: number;
  readonly reversed: Thousandths;
  readonly shortfall: Thousandths;
  readonly disputes: readonly Dispute[];
  /** In this order. */
  readonly entries: readonly Movement[];
  /** US dollars that the account has paid more (W8: never less). */
  readonly paidUsd: number;
  /** A dispute was lost: all keys stop (W8). */
  readonly freeze: boolean;
}

/** What a change of a sale is computed from, all of it locked. */
export interface LockedSale {
  readonly sale: Sale;
  /** Of the account's wallet. */
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
  /** A sale that is older does not count for its key any more. */
  readonly keyLastsMs: number;
  /** So many sales that nobody has paid for yet may have begun in so long a time. */
  readonly mostOpen: number;
  readonly countedForMs: number;
}

/** Why a sale cannot begin: the account is frozen (W8), or has too many unpaid sales. */
export type SaleRefusal = 'frozen' | 'too_many';

export interface Sales {
  /**
   * A new sale; with a key that the account used already, the sale it was used for, which no bound stops. The bound holds
   * for any number at once, on all nodes.
   */
  begin(sale: NewSale): Promise<Sale | SaleRefusal>;
  /** Notes the page that was opened for a sale, in the account's log, too; a second time, nothing happens. */
  opened(sale: Sale, page: { sessionId: string; url: string }, nowMs: number, by: Actor): Promise<void>;
  find(by: { sessionId: string } | { paymentIntent: string }): Promise<Sale | undefined>;
  /** Those whose page was opened, the newest first, at most `limit`. */
  list(accountId: string, limit: number): Promise<Sale[]>;
  /**
   * Changes a sale as `change` says of it, with the sale and the wallet locked, in one transaction with the ledger, the
   * account and its log. `change` may be called again should the transaction be; null: nothing is to be done. False where
   * there is no such sale: the session is not known here.
   */
  change(
    session: { sessionId: string; saleId: string | null },
    nowMs: number,
    change: (locked: LockedSale) => SaleChange | null,
  ): Promise<boolean>;
  /**
   * Takes open sales that are due for a look, the longest unseen first, so that no other node does. The time between looks
   * grows with the time since the page was opened; the last is `untilMs` after that.
   */
  takeDue(nowMs: number, untilMs: number, limit: number): Promise<string[]>;
  knowsEvent(eventId: string): Promise<boolean>;
  noteEvent(event: PaymentEvent): Promise<void>;
}
