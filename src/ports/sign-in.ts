/** Whose a mail address is. */

export interface EmailAccounts {
  /**
   * The oldest account with the address, in whichever letters; where there is none, the one that `open` makes. Whoever asks for
   * the same address meanwhile, on any node, waits and gets that one.
   */
  accountOf(email: string, open: () => Promise<string>): Promise<string>;
  /** The oldest account with the address, in whichever letters. */
  find(email: string): Promise<string | undefined>;
  /** Whether its owner opened it, by sign-in, and no credits ever came in. */
  lacksStartingCredits(accountId: string): Promise<boolean>;
}
