/** Which notices of a low balance went out. */
import type { Thousandths } from '../core/credits.js';

/** Percent of what an account had after its last top-up: below each of them, its owner is told once. */
export type NoticePercent = 50 | 20 | 5;

export interface WalletLevel {
  readonly accountId: string;
  readonly email: string;
  readonly balance: Thousandths;
  /** The balance right after the last entry that was no debit, which is 100 %, and that entry's number. */
  readonly full: Thousandths;
  readonly topupSeq: number;
  /** The lowest percentage told so far for that top-up; null: none. */
  readonly told: number | null;
}

export interface Notices {
  /** Of those accounts that have a mail address and ever had credits. */
  levels(accountIds: readonly string[]): Promise<WalletLevel[]>;
  /**
   * Marks the percentages as told for that top-up. True for the one caller, on any node, that was first with the lowest:
   * it is to tell the customer.
   */
  claim(accountId: string, topupSeq: number, percents: readonly NoticePercent[]): Promise<boolean>;
}
