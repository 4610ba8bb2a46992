/** The account that a mail address belongs to. */

export interface EmailAccounts {
  /**
   * The oldest account with the address, ignoring case; if there is none, the one that `open` creates. Concurrent calls
   * for the same address, on any node, wait and get that one.
   */
  accountOf(email: string, open: () => Promise<string>): Promise<string>;
  /** The oldest account with the address, ignoring case. */
  find(email: string): Promise<string | undefined>;
  /** Whether its owner opened it by signing in, and it never received credits. */
  lacksStartingCredits(accountId: string): Promise<boolean>;
}
