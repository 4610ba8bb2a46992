/**
 * What customers allow clients to do (OAuth 2.0): the clients, the grants, and their tokens. Secrets are stored as
 * hashes only.
 */
import type { Actor } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { Cap } from './accounts.js';

/** A client that registered itself (RFC 7591), or that a document describes (A13), whose address is then its id. */
export interface Client {
  readonly clientId: string;
  /** The name it gives itself, which nothing verifies. */
  readonly name: string;
  /** Its own page, https, or null. */
  readonly uri: string | null;
  readonly redirectUris: readonly string[];
}

export interface ClientStore {
  add(client: Client, at: Date): Promise<void>;
  find(clientId: string): Promise<Client | undefined>;
}

/** Most grants of an account that a client can still refresh. */
export const MOST_GRANTS = 200;

/** The consent that an authorization code stands for. */
export interface Approval {
  readonly accountId: string;
  /** The id that the grant gets when the code is redeemed. */
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** Whether the client sent the address itself; it must then send it again (RFC 6749 4.1.3). */
  readonly redirectNamed: boolean;
  /** PKCE, S256. */
  readonly challenge: string;
  /** RFC 8707; null if the client named none. */
  readonly resource: string | null;
  readonly cap: Cap | null;
  /** The member who gave the consent, as the store noted it. */
  readonly createdBy?: string | null;
}

/** A key and a refresh token as the store receives them, hashed. */
export interface TokenPairHashes {
  readonly keyHash: Buffer;
  /** The part of the key that may be shown. */
  readonly keyPrefix: string;
  readonly refreshHash: Buffer;
}

/** A pair to be stored, with the expiry of each. */
export interface NewTokenPair extends TokenPairHashes {
  readonly keyEndsAt: Date;
  readonly refreshEndsAt: Date;
}

export type Redeemed =
  | { readonly state: 'redeemed' }
  /** The account has `MOST_GRANTS`; the code is spent. */
  | { readonly state: 'full' }
  /** There is no such code, or it has expired. */
  | { readonly state: 'unknown' }
  /** It had been redeemed before; the grant is revoked now. */
  | { readonly state: 'reused' };

export type Refreshed =
  /** `again`: the token is a predecessor within its overlap; its successor is still the newest pair. */
  | { readonly state: 'rotated' | 'again'; readonly keyEndsAt: Date }
  /** This client has no such token, or it has expired, or its grant is revoked. */
  | { readonly state: 'unknown' }
  /** It had been used before; the grant is revoked now. */
  | { readonly state: 'reused' }
  /** Refreshed too often; nothing has changed. */
  | { readonly state: 'limited'; readonly retryAfterSeconds: number };

export interface RefreshRequest {
  readonly clientId: string;
  readonly refreshHash: Buffer;
  /** The pair that replaces the presented token; always the same for the same token. */
  readonly successor: NewTokenPair;
  readonly now: Date;
  /** How long a used token still returns its successor, and the old key still works, milliseconds. */
  readonly overlapMs: number;
  /** Longest life of a grant, milliseconds: none of its keys and tokens outlives it. */
  readonly maxLifetimeMs: number;
  /** At most `count` rotations of one grant in `windowMs`. */
  readonly most: { readonly count: number; readonly windowMs: number };
  readonly by: Actor;
}

/** A grant as its owner sees it. */
export interface GrantRecord {
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  /** Whether its key works, or the client can still get another one. */
  readonly isConnected: boolean;
  /** The prefix of its newest key. */
  readonly keyPrefix: string;
  /** The cap of its newest key, with what was spent under it in its current period. */
  readonly cap: (Cap & { readonly spent: Thousandths }) | null;
  /** By all its keys so far. */
  readonly spent: Thousandths;
}

/** Every method is one transaction; every change is written to the account's log. `now` is the caller's clock. */
export interface GrantStore {
  /**
   * Remembers an approval under the hash of its code. False, and nothing is done, if the account has `MOST_GRANTS`. Throws
   * `access_denied` unless the person may still allow apps.
   */
  approve(code: { hash: Buffer; approval: Approval; now: Date; endsAt: Date }, by: Actor): Promise<boolean>;
  /**
   * Works once: creates the grant, its key and its refresh token. `issue` checks what the code is bound to and returns
   * the pair; if it throws, the code stays as it was. `MOST_GRANTS` is exact for any number of concurrent calls, on all
   * nodes.
   */
  redeem(
    request: { hash: Buffer; now: Date; by: Actor },
    issue: (approval: Approval) => NewTokenPair,
  ): Promise<Redeemed>;
  /** Replaces the key and the refresh token with new ones; name and cap carry over. */
  refresh(request: RefreshRequest): Promise<Refreshed>;
  /** The grant that a key or a refresh token belongs to. */
  findByToken(hashes: {
    keyHash: Buffer;
    refreshHash: Buffer;
  }): Promise<{ accountId: string; grantId: string; clientId: string } | undefined>;
  /** Ends the grant and all its keys; idempotent. False if the account never had it. */
  revoke(of: { accountId: string; grantId: string }, by: Actor, now: Date): Promise<boolean>;
  /** The newest first, at most `limit`: all that a client can still refresh, and the newest of the others. */
  list(accountId: string, limit: number): Promise<GrantRecord[]>;
  /**
   * Deletes codes and refresh tokens that ended before `endedBefore`, and registered clients idle since `idleSince`.
   */
  sweep(before: { endedBefore: Date; idleSince: Date }): Promise<{ clients: number }>;
}

/** Documents in which clients describe themselves, fetched with precautions. */
export interface ClientDocuments {
  /** The JSON at the address, unvalidated. Throws `bad_request` if it cannot be fetched. */
  read(url: string): Promise<unknown>;
}
