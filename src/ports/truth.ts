/** What must never be lost: accounts, keys, the ledger. Each has a suite in `test/ports` that any implementation must pass. */
import type { Actor } from '../core/audit.js';
import type { Thousandths } from '../core/credits.js';
import type { ItemCache, Unit } from '../core/prices.js';
import type { UsageGroup } from '../core/usage.js';

/** Whoever holds a live key: resolved once per request. */
export interface Caller {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** `perch_live_` and six characters (A11). */
  readonly keyPrefix: string;
  /** Requests per second of the account (section 8, or an operator's override). */
  readonly qps: number;
  /** The ceiling on what the key may spend in a period, or null (U6). */
  readonly capThousandths: Thousandths | null;
}

/** Calendar days and months of UTC; `total`: the key's whole life. */
export type CapPeriod = 'total' | 'month' | 'day';

/** A spend cap (U6): `amount` per period. Keys that replace each other share one (A10). */
export interface Cap {
  readonly amount: Thousandths;
  readonly period: CapPeriod;
}

export type KeyLookup =
  | { readonly state: 'live'; readonly caller: Caller }
  | { readonly state: 'revoked'; readonly revokedAt: string }
  | { readonly state: 'frozen' };

export interface AccountRecord {
  readonly accountId: string;
  readonly walletId: string;
  readonly name: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  readonly paidUsd: number;
  readonly qps: number;
  /** All keys stop: a payment was disputed and lost (W8), or the operator said so. */
  readonly frozen: boolean;
  readonly keys: readonly KeyRecord[];
}

export interface KeyRecord {
  readonly keyId: string;
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: string;
  /** With what was spent under it in its current period, by all keys that share it. */
  readonly cap: (Cap & { readonly spent: Thousandths }) | null;
  readonly spent: Thousandths;
  /** The client it was given to by consent (A14), or null. */
  readonly grantId: string | null;
  /** When it stops or stopped working; null while it is live without an end. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewKey {
  readonly accountId: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly name: string;
  readonly cap: Cap | null;
}

/** What takes the place of a key, with its name, cap, wallet and grant (A10). */
export interface Successor {
  readonly hash: Buffer;
  readonly prefix: string;
  /** When the new key ends by itself (RFC 3339), or null. */
  readonly expiresAt: string | null;
}

/** Accounts and their keys. What changes something takes who did it (`Actor`) and writes it into the account's log. */
export interface Accounts {
  /** By the key's hash (A11); undefined when there is no such key. */
  findKey(hash: Buffer): Promise<KeyLookup | undefined>;
  create(
    account: { name: string; email: string | null; paidUsd: number; qpsOverride: number | null },
    by?: Actor,
  ): Promise<{ accountId: string; walletId: string }>;
  get(accountId: string): Promise<AccountRecord | undefined>;
  /** Stops all keys of the account, or lets them work again; what is so already stays. False: there is no such account. */
  freeze(accountId: string, frozen: boolean, by?: Actor): Promise<boolean>;
  addKey(key: NewKey, by?: Actor): Promise<KeyRecord>;
  /** Among all accounts, or those of one. */
  keyByPrefix(prefix: string, accountId?: string): Promise<(KeyRecord & { accountId: string }) | undefined>;
  /**
   * A new key in the place of a live one, which ends at a time (RFC 3339), or now (null). Throws `bad_request` for a key that
   * is not live, or was rotated already.
   */
  rotateKey(
    of: { accountId: string; keyId: string },
    successor: Successor,
    endsAt: string | null,
    by?: Actor,
  ): Promise<KeyRecord>;
  /** Another name or cap; what is undefined stays. Throws `bad_request` for a cap below what its period has spent already. */
  changeKey(
    of: { accountId: string; keyId: string },
    change: { name?: string | undefined; cap?: Cap | null | undefined },
    by?: Actor,
  ): Promise<KeyRecord>;
  /** Ends a key now; one that a client was given takes the client's grant with it. Again, nothing happens. */
  revokeKey(of: { accountId: string; keyId: string }, by?: Actor): Promise<KeyRecord>;
  /** Called with the hash (hex) of a key whose state changed on any node, as soon as the store tells. Returns an unsubscriber. */
  onKeyChange(listener: (hashHex: string) => void): Promise<() => Promise<void>>;
}

/** One line of a receipt: so many items of one unit at one price, under one path of the operation. */
export interface ReceiptLine {
  readonly path: string;
  readonly unit: Unit;
  readonly cache: ItemCache;
  readonly items: number;
  /** Thousandths of a credit per item. */
  readonly unitPrice: Thousandths;
}

/** One paid request: what the ledger keeps of it. `amount` is the sum of the lines and above zero. */
export interface Debit {
  readonly requestId: string;
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** The endpoint's or operation's name, for usage. */
  readonly operation: string;
  readonly amount: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly lines: readonly ReceiptLine[];
}

/** `seq`: the entry's number in its wallet. Not ok: the wallet, or the key's cap, did not cover it; nothing was written (M17). */
export type Posted =
  | { readonly ok: true; readonly balance: Thousandths; readonly seq: number }
  | { readonly ok: false; readonly reason: 'balance' | 'key_cap' };

export interface UsageRow {
  /** `2026-11-21`, UTC. */
  readonly day?: string;
  /** `2026-11-21T13:00:00Z`: when the hour begins. */
  readonly hour?: string;
  readonly endpoint?: string;
  readonly keyPrefix?: string;
  readonly requests: number;
  readonly items: number;
  readonly cacheHits: number;
  readonly amount: Thousandths;
}

export interface UsageQuestion {
  /** Begin of a UTC day, RFC 3339; it counts. */
  readonly from: string;
  /** Begin of a UTC day; it does not count. */
  readonly to: string;
  /** `hour` only within the days that hours are kept for: nothing is found before them. */
  readonly group: readonly UsageGroup[];
  /** What a row is grouped by, in order: rows after it are wanted. */
  readonly after?: readonly string[] | undefined;
  /** Rows at most. */
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

/** Credits that came or went without a read. */
export interface StatementEntry {
  readonly requestId: string;
  readonly at: string;
  readonly kind: 'grant' | 'purchase' | 'reversal' | 'return';
  readonly amount: Thousandths;
  readonly balanceAfter: Thousandths;
  readonly reason: string;
}

export interface LedgerFault {
  readonly invariant: string;
  readonly walletId: string;
  readonly detail: string;
}

/** Whether nobody waits any more, and why: an AbortSignal, or whatever else can be asked. */
export type Gone = Pick<AbortSignal, 'aborted' | 'reason'>;

export interface Ledger {
  /**
   * Durable when it resolves; together with whatever else waits, in one statement. Idempotent under the request id. Rejects
   * with `InDoubt` when it may have been posted, with the ServiceError `upstream_rate_limited` (reason `settling`) when too
   * many debits of its wallet wait; else nothing was posted. Once `gone` is so it is not begun any more, and rejects within a
   * fraction of a second with its reason; what may have been done already is found out (M18).
   */
  post(debit: Debit, gone?: Gone): Promise<Posted>;
  /** A grant: credits in, as a ledger row. Idempotent under the request id. Returns the balance after. */
  grant(grant: { requestId: string; accountId: string; amount: Thousandths; reason: string }): Promise<Thousandths>;
  /**
   * The balance, and what the key has spent (under a cap: what that has counted in its period), as they are now; `seq`: the
   * number of the wallet's last entry. Of two balances the one with the larger number is the newer.
   */
  balance(walletId: string, keyId: string): Promise<{ balance: Thousandths; keySpent: Thousandths; seq: number }>;
  /**
   * The questions about the past. Free, so each is bounded in time, and an account in how many it has at work: beyond, they throw
   * `upstream_rate_limited` and `upstream_error`. Cancelled when the signal fires.
   */
  usage(accountId: string, ask: UsageQuestion, signal?: AbortSignal): Promise<UsageRow[]>;
  receipt(accountId: string, requestId: string, signal?: AbortSignal): Promise<Receipt | undefined>;
  /** The newest debits first, at most `limit`. */
  recent(accountId: string, limit: number, signal?: AbortSignal): Promise<Receipt[]>;
  /** Everything but debits, the newest first, at most `limit`. */
  statement(accountId: string, limit: number, signal?: AbortSignal): Promise<StatementEntry[]>;
  /**
   * Of names that a caller gave its operations (at most 64 characters), those the ledger may keep on a UTC day: the first 100
   * of the account's. In the order in which they were first claimed, those of before included.
   */
  claimNames(accountId: string, day: string, names: readonly string[]): Promise<string[]>;
  /** Housekeeping, on one node at a time; see the implementation. Rejects when the signal fires or the store is away. */
  tidy(signal?: AbortSignal): Promise<void>;
  /** Every invariant over the whole database. */
  check(): Promise<{ wallets: number; entries: number; faults: LedgerFault[] }>;
}
