/** What the operator's pages and commands read across all accounts. Every list is bounded by its `limit`. */
import type { Actor, AuditDetail, AuditKind } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';

/** An account as a list of accounts shows it. */
export interface ListedAccount {
  readonly accountId: string;
  readonly name: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  readonly paidUsd: number;
  readonly frozen: boolean;
  /** Keys that work now. */
  readonly keys: number;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** The settings of an account that only operators see and change. */
export interface AccountSettings {
  /** Null: none. */
  readonly note: string | null;
  /** Requests per second; null: as the tier says. */
  readonly qpsOverride: number | null;
  /** US dollars that count as paid, which decide the tier. */
  readonly paidUsd: number;
  /** How many of them were paid for packs. */
  readonly boughtUsd: number;
}

/** Undefined leaves it unchanged. */
export interface SettingsChange {
  readonly note?: string | null | undefined;
  readonly qpsOverride?: number | null | undefined;
  readonly paidUsd?: number | undefined;
  /** What each is changed from; undefined: from anything. */
  readonly noteBefore?: string | null | undefined;
  readonly qpsOverrideBefore?: number | null | undefined;
  readonly paidUsdBefore?: number | undefined;
}

export interface AccountsQuery {
  /** A part of the name or mail address, ignoring case; an account's id; a key, its prefix, or the end of that. */
  readonly matching?: string | undefined;
  /** The last account of the previous page: the list continues after it. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A change of an account, with the operator if one made it. */
export interface OperatorEvent {
  readonly at: string;
  readonly accountId: string;
  /** The name of the account that was changed. */
  readonly account: string;
  readonly what: AuditKind;
  readonly who: Actor['who'];
  /** The operator's mail address, or else their name; null if anyone else made the change, or the command line. */
  readonly operator: string | null;
  readonly address: string | null;
  readonly detail: AuditDetail;
}

/**
 * Credits of all accounts together, deleted ones included. `spent` is the rest: credits added, less credits taken back,
 * less credits left or lost.
 */
export interface MoneyTotals {
  /** Those that have not been deleted. */
  readonly accounts: number;
  readonly sold: Thousandths;
  readonly granted: Thousandths;
  /** `withdrawn`: taken back for good after refunds and lost disputes; `held`: set aside while disputes are open. */
  readonly withdrawn: Thousandths;
  readonly held: Thousandths;
  readonly spent: Thousandths;
  /** In wallets now; `lost`: in those of deleted accounts. */
  readonly outstanding: Thousandths;
  readonly lost: Thousandths;
  /** US cents paid for packs, and how many of them were refunded; both without tax. */
  readonly paidCents: number;
  readonly refundedCents: number;
}

/** What one pack brought in on a UTC day (`2026-11-23`), before refunds. */
export interface RevenueRow {
  readonly day: string;
  readonly pack: string;
  readonly sales: number;
  readonly usd: number;
  readonly credits: Thousandths;
}

export interface OperatorStore {
  /** The newest accounts first. */
  accounts(query: AccountsQuery): Promise<ListedAccount[]>;
  /** The newest changes first: those of one account, or those that operators made to any account. */
  events(of: { readonly accountId: string } | 'operators', limit: number): Promise<OperatorEvent[]>;
  /** Undefined if there is no such account, and for a test account, which has those of the account it belongs to. */
  settings(accountId: string): Promise<AccountSettings | undefined>;
  /**
   * Logs what has changed. Throws `not_found` if `settings` finds nothing, and `bad_request` if less would count as
   * paid than was paid for packs, or if a setting is no longer what it is changed from.
   */
  changeSettings(accountId: string, change: SettingsChange, by: Actor): Promise<void>;
  /** Writes to the account's log that a sign-in link was created. */
  linkCreated(accountId: string, by: Actor): Promise<void>;
  money(): Promise<MoneyTotals>;
  /** From the first day to the last, inclusive; by day and pack. */
  revenue(range: { readonly from: string; readonly to: string }): Promise<RevenueRow[]>;
}
