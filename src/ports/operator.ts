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

/** What only operators see and change of an account. */
export interface AccountSettings {
  /** Null: none. */
  readonly note: string | null;
  /** Requests per second; null: by the tier. */
  readonly qpsOverride: number | null;
  /** US dollars that count as paid: they decide the tier. */
  readonly paidUsd: number;
  /** Those of them that were paid for packs. */
  readonly boughtUsd: number;
}

/** Undefined leaves it unchanged. */
export interface SettingsChange {
  readonly note?: string | null | undefined;
  readonly qpsOverride?: number | null | undefined;
  readonly paidUsd?: number | undefined;
}

export interface AccountsQuery {
  /** A part of the name or of the mail address, in any case, an account's id, or a key, its prefix, or the end of that. */
  readonly matching?: string | undefined;
  /** The last account of the page before: the list goes on after it. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A change of an account, with the operator who made it. */
export interface OperatorEvent {
  readonly at: string;
  readonly accountId: string;
  /** The name of the account that was changed. */
  readonly account: string;
  readonly what: AuditKind;
  readonly who: Actor['who'];
  /** The mail address, or else the name, of the operator; null for other people, and for the command line. */
  readonly operator: string | null;
  readonly address: string | null;
  readonly detail: AuditDetail;
}

/** Credits of all accounts together. What was spent is the rest: in, less out, less what is left. */
export interface MoneyTotals {
  readonly accounts: number;
  readonly sold: Thousandths;
  readonly granted: Thousandths;
  /** Taken back for good with refunds and lost disputes; set aside while disputes are open. */
  readonly withdrawn: Thousandths;
  readonly held: Thousandths;
  readonly spent: Thousandths;
  /** In wallets now. */
  readonly outstanding: Thousandths;
  /** US cents paid for packs, and refunded of them. */
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
  /** The newest changes first: of one account, or those that operators made to any. */
  events(of: { readonly accountId: string } | 'operators', limit: number): Promise<OperatorEvent[]>;
  /** Undefined without such an account, and of a test account, which has those of the account that it belongs to. */
  settings(accountId: string): Promise<AccountSettings | undefined>;
  /**
   * Logs what has changed. Throws `not_found` where `settings` finds nothing, and `bad_request` when less would count as paid than was
   * paid for packs.
   */
  changeSettings(accountId: string, change: SettingsChange, by: Actor): Promise<void>;
  /** Writes into the account's log that a link which signs in was made. */
  linkCreated(accountId: string, by: Actor): Promise<void>;
  money(): Promise<MoneyTotals>;
  /** From the first day to the last, both included; by day and pack. */
  revenue(range: { readonly from: string; readonly to: string }): Promise<RevenueRow[]>;
}
