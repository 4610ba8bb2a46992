/** Which notices were told, and what is to be told. */
import type { Thousandths } from '../domain/credits.js';
import type { NewDelivery } from './deliveries.js';

/** Percent of an account's balance after its last top-up: below each of them, its owner is notified once. */
export type NoticePercent = 50 | 20 | 5;

export interface WalletLevel {
  readonly accountId: string;
  readonly email: string;
  readonly balance: Thousandths;
  /** The balance right after the last entry that was not a debit, which is 100 %, and that entry's number. */
  readonly full: Thousandths;
  readonly topupSeq: number;
  /** The lowest percentage already notified for that top-up; null: none. */
  readonly told: number | null;
}

export interface Notices {
  /** For those of the accounts that have a mail address and ever had credits. */
  levels(accountIds: readonly string[]): Promise<WalletLevel[]>;
  /**
   * Marks the percentages as notified for that top-up, and in the same transaction writes the notice down to be
   * delivered. True for only one caller, on any node, the first with the lowest.
   */
  claim(level: WalletLevel, percents: readonly NoticePercent[], notice: NewDelivery): Promise<boolean>;
  /**
   * Accounts that spent lately: those whose debits are not summed up yet, at most `limit`. A process that has just
   * started looks after them too.
   */
  recentSpenders(limit: number): Promise<string[]>;
}
