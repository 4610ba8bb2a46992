/** Accounts and their keys, which must never be lost. Any implementation must pass the suite in `test/engine/ports`. */
import type { Actor, AuditDetail, AuditKind, GivenRole, Role } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { Scope } from '../domain/lists.js';
import type { Mode } from '../domain/mode.js';

/** An account's log of changes and who made them, which its owner can read. Append only. */
export interface AuditEvent {
  /** Higher than those of older events of the account. */
  readonly eventId: string;
  readonly at: string;
  readonly what: AuditKind;
  readonly who: Actor['who'];
  /** The member who made it; null for changes that no signed-in member made. `email` is null once they are gone. */
  readonly by: { readonly personId: string; readonly email: string | null } | null;
  readonly address: string | null;
  readonly detail: AuditDetail;
}

export interface AuditLog {
  /**
   * The newest first, at most `limit`; those before an event, if one is given. Bounded like the ledger's queries;
   * cancelled when the signal fires.
   */
  list(accountId: string, limit: number, signal?: AbortSignal, before?: string): Promise<AuditEvent[]>;
}

/** Facts about a key without a cap that spare the ledger a lookup. */
export interface UncappedKey {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** The number by which debits refer to the key. */
  readonly keyNumber: number;
  /** The version of its wallet's caps: while the wallet still has it, the key has no cap. */
  readonly capsVersion: number;
}

/** The account and limits behind a live key; resolved once per request. */
export interface Caller {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** What the account is for: a test account never reads live data, nor spends live credits. */
  readonly mode: Mode;
  /** `perch_live_` or `perch_test_`, and six characters. */
  readonly keyPrefix: string;
  /** Requests per second of the account (section 8.1, or an operator's override). */
  readonly qps: number;
  /** The key's cap on spending in a period, or null. */
  readonly capThousandths: Thousandths | null;
  /** Null if the key has a cap. */
  readonly uncapped: UncappedKey | null;
  /** What the key may read, and the addresses (CIDR) that it may be used from; null: all. */
  readonly scopes: readonly Scope[] | null;
  readonly allowedFrom: readonly string[] | null;
}

/** The limits of a key besides its cap. */
export interface KeyLimits {
  readonly scopes: readonly Scope[] | null;
  readonly allowedFrom: readonly string[] | null;
  /** When it stops working (RFC 3339), or null. */
  readonly expiresAt: string | null;
}

/** Calendar days and months of UTC; `total`: the key's whole life. */
export type CapPeriod = 'total' | 'month' | 'day';

/** A spend cap (U6): `amount` per period. Keys that replace each other share one. */
export interface Cap {
  readonly amount: Thousandths;
  readonly period: CapPeriod;
}

export type KeyLookup =
  | { readonly state: 'live'; readonly caller: Caller }
  | { readonly state: 'revoked'; readonly revokedAt: string }
  | { readonly state: 'expired'; readonly expiredAt: string }
  | { readonly state: 'frozen' };

/**
 * Most working keys of an account, not counting those of clients. Keys that expire later count until then, because
 * otherwise repeated rotation could create any number.
 */
export const MOST_LIVE_KEYS = 100;

export interface AccountRecord {
  readonly accountId: string;
  readonly walletId: string;
  readonly name: string;
  /** The owner's mail address. */
  readonly email: string | null;
  readonly balance: Thousandths;
  readonly paidUsd: number;
  readonly qps: number;
  /** All keys are refused: a payment dispute was lost (W8), or the operator froze the account. */
  readonly frozen: boolean;
  /** The customer's account that a test account belongs to; null for a live account. */
  readonly testOf: string | null;
  /** The UTC day on which a test account was last refilled; null before its first refill, and for a live account. */
  readonly refilledOn: string | null;
  /** All that work and belong to no client, then the newest of the others that work, then the newest of the rest. */
  readonly keys: readonly AccountKey[];
}

export interface KeyRecord extends KeyLimits {
  readonly keyId: string;
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: string;
  /** `spent`: by all keys that share the cap, in its current period. */
  readonly cap: (Cap & { readonly spent: Thousandths }) | null;
  readonly spent: Thousandths;
  /** The grant under which a client received it, or null. */
  readonly grantId: string | null;
  /** Whether it was rotated: it ends at its expiry, and cannot be rotated again. */
  readonly isReplaced: boolean;
  readonly revokedAt: string | null;
}

/** The new key. */
export interface RotatedKey extends KeyRecord {
  readonly oldEndsAt: string;
}

/** Without what the key has spent, which takes longer to find out. */
export type AccountKey = Omit<KeyRecord, 'spent'>;

export interface NewKey extends Partial<KeyLimits> {
  readonly accountId: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly name: string;
  readonly cap: Cap | null;
  /** For a key of a browser's session: it ends with the session, at `expiresAt` (RFC 3339) at the latest. */
  readonly session?: { readonly sessionId: string; readonly expiresAt: string } | undefined;
}

/** The key that replaces another, with its name, cap, limits, wallet and grant. */
export interface Successor {
  readonly hash: Buffer;
  readonly prefix: string;
  /** When the new key expires (RFC 3339); null: when the key it replaces would have expired. */
  readonly expiresAt: string | null;
}

/**
 * Accounts and their keys. Every change takes the `Actor` that made it and is recorded in the account's audit log. New
 * keys by a person who is no longer a member, or whose role no longer allows it, are refused with `access_denied`, even
 * if they were removed at the same moment.
 */
export interface Accounts {
  /** Looks up keys by their hashes, in that order; undefined where there is no such key. Always a single query. */
  findKeys(hashes: readonly Buffer[]): Promise<(KeyLookup | undefined)[]>;
  /**
   * Creates an account, owned by the person who has the mail address. If nobody has that address, the owner is a new
   * person, whose id is that of the account.
   */
  create(
    account: { name: string; email: string | null; paidUsd: number; qpsOverride: number | null },
    by?: Actor,
  ): Promise<{ accountId: string; walletId: string }>;
  /** Undefined if there is no such account, or if it was deleted. */
  get(accountId: string): Promise<AccountRecord | undefined>;
  /** The test account of a customer's account; undefined while it has none. */
  testAccount(accountId: string): Promise<string | undefined>;
  /**
   * Creates the test account, with an empty wallet of its own, or returns the one that exists already. Throws
   * `not_found` if there is no such account, or it is a test account itself.
   */
  openTestAccount(accountId: string, by?: Actor): Promise<string>;
  /** Renames the account and its test account; idempotent. Throws `not_found` if there is no such account. */
  rename(accountId: string, name: string, by?: Actor): Promise<void>;
  /** Freezes or unfreezes all keys of the account, test keys included; idempotent. False if there is no such account. */
  freeze(accountId: string, frozen: boolean, by?: Actor): Promise<boolean>;
  /**
   * The keys that `AccountRecord` lists, or at most `limit` in the same order, with what they have spent. Empty if there
   * is no such account.
   */
  keys(accountId: string, limit?: number): Promise<KeyRecord[]>;
  /** A key of the account, whether it works or not; undefined if it has no such key. */
  key(of: { accountId: string; keyId: string }): Promise<KeyRecord | undefined>;
  /**
   * Throws `not_found` if there is no such account, and `bad_request` if it has `MOST_LIVE_KEYS`. The caller (`Keys`)
   * checks that the key is of the account's mode. A session's key is added only once: adding it again returns it
   * unchanged.
   */
  addKey(key: NewKey, by?: Actor): Promise<KeyRecord>;
  /** Searches all accounts, or only the given one. */
  keyByPrefix(prefix: string, accountId?: string): Promise<(AccountKey & { accountId: string }) | undefined>;
  /**
   * Replaces a live key with a new one; the old one ends at `endsAt` (RFC 3339), now (null), or sooner if it had an end.
   * Throws `bad_request` for a key that is not live or was rotated already, and if both would be more than
   * `MOST_LIVE_KEYS`.
   */
  rotateKey(
    of: { accountId: string; keyId: string },
    successor: Successor,
    endsAt: string | null,
    by?: Actor,
  ): Promise<RotatedKey>;
  /**
   * Changes the name, cap or limits; undefined leaves each unchanged. Throws `bad_request` for a cap below what was
   * already spent in its period, for another expiry of a key that was rotated or belongs to a client, and if an expired
   * key would work again and be one more than `MOST_LIVE_KEYS`.
   */
  changeKey(
    of: { accountId: string; keyId: string },
    change: { name?: string | undefined; cap?: Cap | null | undefined } & Partial<KeyLimits>,
    by?: Actor,
  ): Promise<KeyRecord>;
  /** Ends a key now, and the client's grant if the key belongs to one. Idempotent. */
  revokeKey(of: { accountId: string; keyId: string }, by?: Actor): Promise<KeyRecord>;
  /** Calls the listener with the hash (hex) of each key whose state changes on any node. Returns an unsubscriber. */
  onKeyChange(listener: (hashHex: string) => void): Promise<() => Promise<void>>;
}

/** People, the accounts they are members of, and invitations. */

export interface Membership {
  readonly accountId: string;
  /** The account's name. */
  readonly name: string;
  readonly role: Role;
}

export interface PersonRecord {
  readonly personId: string;
  readonly email: string | null;
  /** First the accounts that the person owns, then the others, the oldest membership first; never empty. */
  readonly memberships: readonly Membership[];
}

export interface MemberRecord {
  readonly personId: string;
  readonly email: string | null;
  readonly role: Role;
  readonly joinedAt: string;
  /** How many working keys the member created, including those of apps that the member allowed. */
  readonly keys: number;
}

export interface InvitationRecord {
  readonly invitationId: string;
  readonly email: string;
  readonly role: GivenRole;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** An invitation as it is shown to someone who opens its link. */
export interface FoundInvitation extends InvitationRecord {
  readonly accountId: string;
  readonly accountName: string;
  /** An invitation to a deleted account is `withdrawn` as well. */
  readonly state: 'open' | 'accepted' | 'withdrawn';
}

export interface NewInvitation {
  readonly accountId: string;
  readonly email: string;
  readonly role: GivenRole;
  /** The hash of the secret in its link. */
  readonly hash: Buffer;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Every change is one transaction and is written to the account's log. Other accounts' ids are treated as unknown. */
export interface MemberStore {
  /** Undefined if there is no such person. Opens an empty account for a person who has none. */
  person(personId: string): Promise<PersonRecord | undefined>;
  /** The owner first. */
  members(accountId: string): Promise<MemberRecord[]>;
  /** Invitations that were neither accepted nor withdrawn, including expired ones. */
  invitations(accountId: string): Promise<InvitationRecord[]>;
  /**
   * Replaces an open invitation to the same address. Throws `bad_request` if the address is a member's, or if there
   * would be more than `most` members and invitations.
   */
  invite(invitation: NewInvitation, most: number, by: Actor): Promise<void>;
  withdraw(accountId: string, invitationId: string, by: Actor): Promise<void>;
  findInvitation(hash: Buffer): Promise<FoundInvitation | undefined>;
  /**
   * Returns false and changes nothing if the invitation is no longer open, or is not for the person's address. Of
   * several concurrent calls, one succeeds.
   */
  accept(hash: Buffer, personId: string, most: number, at: Date, by: Actor): Promise<boolean>;
  /** Throws `not_found` unless the person is a member, and `bad_request` for the owner. */
  changeRole(accountId: string, personId: string, role: GivenRole, by: Actor): Promise<void>;
  /**
   * The previous owner becomes a member with the role `then`. Throws `not_found` unless the first person is the owner
   * and the second a member.
   */
  transfer(accountId: string, fromPersonId: string, toPersonId: string, then: GivenRole, by: Actor): Promise<void>;
  /** Throws as `changeRole` does. `revokeKeys`: also revokes the keys they created and the apps they allowed. */
  remove(accountId: string, personId: string, revokeKeys: boolean, by: Actor): Promise<void>;
  /**
   * Deletes the account, except for what its ledger, sales and log refer to, and the people who belong to no other
   * account. Throws `bad_request` while one of its checkouts can still be paid.
   */
  deleteAccount(accountId: string, by: Actor): Promise<void>;
  /** Writes to the log that the account's data was exported. */
  exported(accountId: string, by: Actor): Promise<void>;
  /** Deletes invitations that expired before the given time. */
  forget(before: Date): Promise<void>;
}
