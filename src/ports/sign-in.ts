/** The account that a mail address belongs to. */
import type { Actor } from '../domain/audit.js';
import type { NewDelivery } from './deliveries.js';

export interface EmailChangeRecord {
  readonly accountId: string;
  /** The address that it must still have. */
  readonly from: string | null;
  readonly to: string;
  /** Written down in the same transaction. */
  readonly notice: NewDelivery | null;
}

export interface EmailAccounts {
  /**
   * The oldest account with the address, ignoring case; if there is none, the one that `open` creates. Concurrent calls
   * for the same address, on any node, wait and get that one.
   */
  accountOf(email: string, open: () => Promise<string>): Promise<string>;
  /** The oldest account with the address, ignoring case. */
  find(email: string): Promise<string | undefined>;
  /**
   * Gives the account another address; a name that was its address changes with it. False, and nothing changed, if it no
   * longer has the one it had, or if the new one has an account, ignoring case: of concurrent calls for it, on any node,
   * one gets it.
   */
  change(change: EmailChangeRecord, by: Actor): Promise<boolean>;
  /**
   * Whether the account is to be granted starting credits: its owner opened it by signing in, it never received credits,
   * and no other account claimed them for the same mailbox, however its address is written (A35). From then on the mailbox
   * is this account's.
   */
  claimStartingCredits(accountId: string): Promise<boolean>;
}
