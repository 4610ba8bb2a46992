/** The person that a mail address belongs to. */
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
  readonly personId: string;
  /** The address that it must still have. */
  readonly from: string | null;
  readonly to: string;
  /** Written down in the same transaction. */
  readonly notice: NewDelivery | null;
}

export interface EmailAccounts {
  /**
   * The person with the address, ignoring case; if there is none, `open` creates an account, whose id is that of the
   * person who owns it. Concurrent calls for the same address, on any node, wait and get that one.
   */
  personOf(email: string, open: () => Promise<string>): Promise<string>;
  /** The person with the address, ignoring case. */
  find(email: string): Promise<string | undefined>;
  /** The address of a person; null if they have none, or are not there. */
  emailOf(personId: string): Promise<string | null>;
  /** Who owns the account; undefined if nobody does: it was deleted, is a test account, or not there. */
  ownerOf(accountId: string): Promise<string | undefined>;
  /** The oldest account that a person owns. */
  ownedBy(personId: string): Promise<string | undefined>;
  /**
   * Gives the person another address; a name of their accounts that was their address changes with it. False, and
   * nothing changed, if they no longer have the one they had, or if the new one is somebody's, ignoring case: of
   * concurrent calls for it, on any node, one gets it.
   */
  change(change: EmailChangeRecord, by: Actor): Promise<boolean>;
  /**
   * Whether the account is to be granted starting credits: somebody opened it by signing in, it never received credits,
   * and no other account claimed them for the same mailbox, however its address is written (A35). From then on the mailbox
   * is this account's.
   */
  claimStartingCredits(accountId: string): Promise<boolean>;
}
