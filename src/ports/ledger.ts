/** The ledger of credits, which must never be lost. Any implementation must pass the suite in `test/engine/ports`. */

import type { Actor } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { ItemCache, Unit } from '../domain/prices.js';
import type { UsageGroup } from '../domain/usage.js';
import type { AbortState } from '../lib/abort.js';
import type { UncappedKey } from './accounts.js';

/** One line of a receipt: how many items of one unit were charged at one price, under one path of the operation. */
export interface ReceiptLine {
  readonly path: string;
  readonly unit: Unit;
  readonly cache: ItemCache;
  readonly items: number;
  /** Thousandths of a credit per item. */
  readonly unitPrice: Thousandths;
}

/** A key with its account and wallet. */
export interface Payer {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
}

/** One paid request as the ledger stores it. `amount` is the sum of the lines, above zero. */
export interface Debit extends Payer {
  readonly requestId: string;
  /** From the recent lookup of the key; null if the key had a cap, or if this is unknown. */
  readonly uncapped: UncappedKey | null;
  /** The endpoint's or operation's name, for usage. */
  readonly operation: string;
  readonly amount: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly lines: readonly ReceiptLine[];
}

/**
 * `seq`: the entry's number in its wallet. `amount`: what was posted first, if the request id is repeated. Not ok: the
 * wallet or the cap did not cover the amount, and nothing was written.
 */
export type Posted =
  | { readonly ok: true; readonly balance: Thousandths; readonly seq: number; readonly amount: Thousandths }
  | { readonly ok: false; readonly reason: 'balance' | 'key_cap' };

export interface UsageRow {
  /** `2026-11-21`, UTC. */
  readonly day?: string;
  /** Start of the hour: `2026-11-21T13:00:00Z`. */
  readonly hour?: string;
  readonly endpoint?: string;
  readonly keyPrefix?: string;
  readonly requests: number;
  readonly items: number;
  readonly cacheHits: number;
  readonly amount: Thousandths;
}

/** A replica may lag behind: its rows contain what was committed until `asOf`. Without it, nothing is missing. */
export type AsOf<Rows> = Rows & { readonly asOf?: Date };

export interface KeyUse {
  readonly keyId: string;
  /** `2026-11-21`, UTC. */
  readonly day: string;
}

export interface UsageQuery {
  /** Start of a UTC day, RFC 3339; inclusive. */
  readonly from: string;
  /** Start of a UTC day; exclusive. */
  readonly to: string;
  /** `hour` works only for the days for which hours are kept: earlier days have no rows. */
  readonly group: readonly UsageGroup[];
  /** Only what this key of the account paid for. */
  readonly keyId?: string | undefined;
  /** The group values of a row, in order. Only rows after that row are returned. */
  readonly after?: readonly string[] | undefined;
  /** Most rows. */
  readonly limit: number;
}

export interface Receipt {
  readonly requestId: string;
  readonly at: string;
  readonly operation: string;
  readonly keyPrefix: string;
  readonly amount: Thousandths;
  readonly balanceAfter: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly lines: readonly ReceiptLine[];
}

/** Credits added or removed other than by a read. */
export interface StatementEntry {
  readonly requestId: string;
  readonly at: string;
  readonly kind: 'grant' | 'purchase' | 'reversal' | 'hold' | 'return';
  readonly amount: Thousandths;
  readonly balanceAfter: Thousandths;
  readonly reason: string;
}

export interface LedgerFault {
  readonly invariant: string;
  readonly walletId: string;
  readonly detail: string;
}

export interface Ledger {
  /**
   * The debit is durable when this resolves; waiting debits are committed together. Idempotent by request id. Rejects
   * with `InDoubtError` if the debit may have been posted, and with the ServiceError `upstream_rate_limited` (reason
   * `settling`) if too many debits of its wallet are waiting; on any other error nothing was posted. Once `signal` is
   * aborted, posting no longer begins, and this soon rejects with the signal's reason, but not before it has determined
   * whether an earlier attempt was posted.
   */
  post(debit: Debit, signal?: AbortState): Promise<Posted>;
  /** Adds granted credits as a ledger row. Idempotent by request id. Returns the balance after it. */
  grant(
    grant: { requestId: string; accountId: string; amount: Thousandths; reason: string },
    by?: Actor,
  ): Promise<Thousandths>;
  /**
   * Raises the balance of a test account to `upTo` with a ledger row, once per UTC day (`2026-11-23`): further calls
   * for that day or for earlier days change nothing. Never changes the balance of a live account.
   */
  refill(refill: { accountId: string; day: string; upTo: Thousandths; requestId: string }): Promise<void>;
  /**
   * The current balance, and what the key has spent in the period of its cap (0 without a cap). `seq`: the number of
   * the wallet's last entry; of two balances, the one with the larger number is newer.
   */
  balance(payer: Payer): Promise<{ balance: Thousandths; keySpent: Thousandths; seq: number }>;
  /**
   * Queries about the past. They are free, so each is limited in time, and each account in how many it may run at once.
   * Beyond these limits they throw `upstream_rate_limited` or `upstream_error`. Cancelled when the signal fires.
   */
  usage(accountId: string, query: UsageQuery, signal?: AbortSignal): Promise<AsOf<readonly UsageRow[]>>;
  /** The UTC day on which each key was last used, for keys that paid for a request on or after `from`. */
  lastUses(accountId: string, from: string, signal?: AbortSignal): Promise<KeyUse[]>;
  receipt(accountId: string, requestId: string, signal?: AbortSignal): Promise<Receipt | undefined>;
  /** The month (`2025-12`) of a request with that id (a UUID), if that month's receipts have left the database. */
  archivedMonth(accountId: string, requestId: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * The newest debits first, at most `limit`: those with the latest times in their request ids. With `keyId`, only that
   * key's among the account's newest 1,000.
   */
  recent(accountId: string, limit: number, signal?: AbortSignal, keyId?: string): Promise<Receipt[]>;
  /** Every entry that is not a debit, the newest first, at most `limit`. */
  statement(accountId: string, limit: number, signal?: AbortSignal): Promise<StatementEntry[]>;
  /**
   * Claims names (at most 64 characters) that a caller gave its operations. Returns all names that the ledger keeps for
   * the account on that UTC day, which are the first 100, in the order in which they were first claimed.
   */
  claimNames(accountId: string, day: string, names: readonly string[]): Promise<string[]>;
  /**
   * Maintenance, on one node at a time; see the implementation. Rejects if the store is unreachable; ends early if the
   * signal fires.
   */
  runMaintenance(signal?: AbortSignal): Promise<void>;
  /** Checks every invariant over the whole database. `all`: also rereads past months that were checked before. */
  check(options?: { readonly all?: boolean }): Promise<{ wallets: number; entries: number; faults: LedgerFault[] }>;
}
