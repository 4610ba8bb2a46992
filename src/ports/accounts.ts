/** Accounts and their keys, which must never be lost. `test/ports` has a suite that any implementation must pass. */
import type { Actor } from '../core/audit.js';
import type { Thousandths } from '../core/credits.js';

/** Whoever holds a live key: resolved once per request. */
export interface Caller {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** `perch_live_` and six characters (A11). */
  readonly keyPrefix: string;
  /** Requests per second of the account (section 8, or an operator's override). */
  readonly qps: number;
  /** The ceiling on what the key may spend in a period, or null (U6). */
  readonly capThousandths: Thousandths | null;
}

/** Calendar days and months of UTC; `total`: the key's whole life. */
export type CapPeriod = 'total' | 'month' | 'day';

/** A spend cap (U6): `amount` per period. Keys that replace each other share one (A10). */
export interface Cap {
  readonly amount: Thousandths;
  readonly period: CapPeriod;
}

export type KeyLookup =
  | { readonly state: 'live'; readonly caller: Caller }
  | { readonly state: 'revoked'; readonly revokedAt: string }
  | { readonly state: 'frozen' };

export interface AccountRecord {
  readonly accountId: string;
  readonly walletId: string;
  readonly name: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  readonly paidUsd: number;
  readonly qps: number;
  /** All keys stop: a payment was disputed and lost (W8), or the operator said so. */
  readonly frozen: boolean;
  readonly keys: readonly KeyRecord[];
}

export interface KeyRecord {
  readonly keyId: string;
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: string;
  /** With what was spent under it in its current period, by all keys that share it. */
  readonly cap: (Cap & { readonly spent: Thousandths }) | null;
  readonly spent: Thousandths;
  /** The client it was given to by consent (A14), or null. */
  readonly grantId: string | null;
  /** When it stops or stopped working; null while it is live without an end. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewKey {
  readonly accountId: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly name: string;
  readonly cap: Cap | null;
}

/** What takes the place of a key, with its name, cap, wallet and grant (A10). */
export interface Successor {
  readonly hash: Buffer;
  readonly prefix: string;
  /** When the new key ends by itself (RFC 3339), or null. */
  readonly expiresAt: string | null;
}

/** Accounts and their keys. What changes something takes who did it (`Actor`) and writes it into the account's log. */
export interface Accounts {
  /** By the key's hash (A11); undefined when there is no such key. */
  findKey(hash: Buffer): Promise<KeyLookup | undefined>;
  create(
    account: { name: string; email: string | null; paidUsd: number; qpsOverride: number | null },
    by?: Actor,
  ): Promise<{ accountId: string; walletId: string }>;
  get(accountId: string): Promise<AccountRecord | undefined>;
  /** Stops all keys of the account, or lets them work again; what is so already stays. False: there is no such account. */
  freeze(accountId: string, frozen: boolean, by?: Actor): Promise<boolean>;
  addKey(key: NewKey, by?: Actor): Promise<KeyRecord>;
  /** Among all accounts, or those of one. */
  keyByPrefix(prefix: string, accountId?: string): Promise<(KeyRecord & { accountId: string }) | undefined>;
  /**
   * A new key in the place of a live one, which ends at a time (RFC 3339), or now (null). Throws `bad_request` for a key that
   * is not live, or was rotated already.
   */
  rotateKey(
    of: { accountId: string; keyId: string },
    successor: Successor,
    endsAt: string | null,
    by?: Actor,
  ): Promise<KeyRecord>;
  /** Another name or cap; what is undefined stays. Throws `bad_request` for a cap below what its period has spent already. */
  changeKey(
    of: { accountId: string; keyId: string },
    change: { name?: string | undefined; cap?: Cap | null | undefined },
    by?: Actor,
  ): Promise<KeyRecord>;
  /** Ends a key now; one that a client was given takes the client's grant with it. Again, nothing happens. */
  revokeKey(of: { accountId: string; keyId: string }, by?: Actor): Promise<KeyRecord>;
  /** Called with the hash (hex) of a key whose state changed on any node, as soon as the store tells. Returns an unsubscriber. */
  onKeyChange(listener: (hashHex: string) => void): Promise<() => Promise<void>>;
}
