/** The account that a mail address belongs to. */
import type { Actor } from '../domain/audit.js';
import type { NewDelivery } from './deliveries.js';

/** Secrets that work only once, by their hash. Times are Unix milliseconds. */

export type OneTimeKind = 'sign_in' | 'passkey' | 'email_change';

export interface OneTimeTokens {
  /** `subject` is plain JSON: what the secret is for. */
  put(token: { hash: Buffer; kind: OneTimeKind; subject: object; at: number; expiresAt: number }): Promise<void>;
  /** The subject of a token that works; the token stays valid. */
  peek(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** The subject, for the first caller while the token works: undefined for all others, however many ask at once. */
  spend(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** Deletes tokens that expired before `at`, but keeps a spent one until a day after it was spent. */
  forget(at: number): Promise<void>;
}

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
