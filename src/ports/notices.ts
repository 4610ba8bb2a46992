/** Which low-balance notices were sent. */
import type { Thousandths } from '../core/credits.js';

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
   * Marks the percentages as notified for that top-up. True for only one caller, on any node, the first with the
   * lowest: it notifies the customer.
   */
  claim(accountId: string, topupSeq: number, percents: readonly NoticePercent[]): Promise<boolean>;
}
