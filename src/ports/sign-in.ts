/** One-time secrets, and the people that mail addresses belong to. */
import type { Actor } from '../domain/audit.js';
import type { NewDelivery } from './deliveries.js';

/** Secrets that work only once, stored by their hash. Times are Unix milliseconds. */

export type OneTimeKind = 'sign_in' | 'passkey' | 'email_change';

export interface OneTimeTokens {
  /** `subject` is plain JSON: what the secret is for. */
  put(token: { hash: Buffer; kind: OneTimeKind; subject: object; at: number; expiresAt: number }): Promise<void>;
  /** The subject of a valid token, which stays valid. */
  peek(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** The subject of a valid token, for the first caller only: undefined for all others, even concurrent ones. */
  spend(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** Deletes tokens that expired before `at`, but keeps a spent one until a day after it was spent. */
  forget(at: number): Promise<void>;
}

export interface EmailChangeRecord {
  readonly personId: string;
  /** The address that the person must still have. */
  readonly from: string | null;
  readonly to: string;
  /** Stored in the same transaction. */
  readonly notice: NewDelivery | null;
  /** The session that confirms the change; the person's others end in the same transaction. */
  readonly sessionId: string;
  readonly at: number;
}

export interface EmailAccounts {
  /**
   * The person with the address, ignoring case. If there is none, `open` creates an account, whose id is also that of
   * the person who owns it. Concurrent calls for the same address, on any node, wait and return the same person.
   */
  personOf(email: string, open: () => Promise<string>): Promise<string>;
  /** The person with the address, ignoring case. */
  find(email: string): Promise<string | undefined>;
  /** The address of a person; null if the person has none, or does not exist. */
  emailOf(personId: string): Promise<string | null>;
  /** Who owns the account; undefined if nobody does: it was deleted, is a test account, or does not exist. */
  ownerOf(accountId: string): Promise<string | undefined>;
  /** The oldest account that a person owns. */
  ownedBy(personId: string): Promise<string | undefined>;
  /**
   * Gives the person another address, renames those of their accounts that were named after the old one, and ends their
   * other sessions. Returns false and changes nothing if the person no longer has the old address, or if the new one is taken, ignoring case.
   * Of concurrent calls for the same new address, on any node, one succeeds.
   */
  change(change: EmailChangeRecord, by: Actor): Promise<boolean>;
  /**
   * Whether the account is to be granted starting credits: it was opened by signing in, it never received credits, and
   * no other account has claimed them for the same mailbox, however its address is written (A35). If so, the claim for
   * the mailbox now belongs to this account.
   */
  claimStartingCredits(accountId: string): Promise<boolean>;
}
