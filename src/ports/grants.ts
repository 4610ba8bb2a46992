/** What customers let clients do (OAuth 2.0): the clients, the grants, and what proves them. Secrets are stored as hashes only. */
import type { Actor } from '../core/audit.js';
import type { Thousandths } from '../core/credits.js';
import type { Cap } from './accounts.js';

/** A client that registered itself (RFC 7591), or that is a document (A13): then its id is the document's address. */
export interface Client {
  readonly clientId: string;
  /** As it calls itself; nobody has checked that. */
  readonly name: string;
  /** Its own page, https, or null. */
  readonly uri: string | null;
  readonly redirectUris: readonly string[];
}

export interface ClientStore {
  add(client: Client, at: Date): Promise<void>;
  find(clientId: string): Promise<Client | undefined>;
}

/** What an authorization code stands for: a customer said yes to this. */
export interface Approval {
  readonly accountId: string;
  /** The id that the grant gets when the code is redeemed. */
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** Whether the client named the address itself; then it must name it again (RFC 6749 4.1.3). */
  readonly redirectNamed: boolean;
  /** PKCE, S256. */
  readonly challenge: string;
  /** RFC 8707; null when the client named none. */
  readonly resource: string | null;
  readonly cap: Cap | null;
}

/** A key and a refresh token as the store may know them. */
export interface TokenPairHashes {
  readonly keyHash: Buffer;
  /** The part of the key that may be shown (A11). */
  readonly keyPrefix: string;
  readonly refreshHash: Buffer;
}

/** A pair to be stored, and when its halves end. */
export interface NewTokenPair extends TokenPairHashes {
  readonly keyEndsAt: Date;
  readonly refreshEndsAt: Date;
}

export type Redeemed =
  | { readonly state: 'redeemed' }
  /** No such code, or too late. */
  | { readonly state: 'unknown' }
  /** It had been redeemed before; the grant is revoked now. */
  | { readonly state: 'reused' };

export type Refreshed =
  /** `again`: a predecessor within its grace; the pair that took its place is still the newest. */
  | { readonly state: 'rotated' | 'again'; readonly keyEndsAt: Date }
  /** No such token of this client, or too old, or its grant is revoked. */
  | { readonly state: 'unknown' }
  /** It had been used before; the grant is revoked now. */
  | { readonly state: 'reused' }
  /** Refreshed too often; nothing has changed. */
  | { readonly state: 'limited'; readonly retryAfterSeconds: number };

export interface RefreshRequest {
  readonly clientId: string;
  readonly refreshHash: Buffer;
  /** What takes the place of the presented token; always the same for the same token. */
  readonly successor: NewTokenPair;
  readonly now: Date;
  /** How long a used token still gives its successor, and the old key still works, milliseconds. */
  readonly overlapMs: number;
  /** How long a grant lasts at most: nothing of it ends later, milliseconds. */
  readonly maxLifetimeMs: number;
  /** So many rotations of one grant in so many milliseconds. */
  readonly most: { readonly count: number; readonly windowMs: number };
  readonly by: Actor;
}

/** Of a grant, for its owner. */
export interface GrantRecord {
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  /** Of its newest key. */
  readonly keyPrefix: string;
  /** Of its newest key, with what was spent under it in its current period. */
  readonly cap: (Cap & { readonly spent: Thousandths }) | null;
  /** By all its keys so far. */
  readonly spent: Thousandths;
}

/** Every method is one transaction; every change is in the account's log. `now` is the caller's clock. */
export interface GrantStore {
  /** Remembers an approval under the hash of its code. */
  approve(code: { hash: Buffer; approval: Approval; now: Date; endsAt: Date }, by: Actor): Promise<void>;
  /**
   * Once: makes the grant, its key and its refresh token. `issue` checks what the code is bound to and gives the pair; what it
   * throws leaves the code as it was.
   */
  redeem(
    request: { hash: Buffer; now: Date; by: Actor },
    issue: (approval: Approval) => NewTokenPair,
  ): Promise<Redeemed>;
  /** A new key and a new refresh token in the place of the old ones; name and cap carry on. */
  refresh(request: RefreshRequest): Promise<Refreshed>;
  /** Whose grant a key or a refresh token belongs to. */
  findByToken(hashes: {
    keyHash: Buffer;
    refreshHash: Buffer;
  }): Promise<{ accountId: string; grantId: string; clientId: string } | undefined>;
  /** Ends the grant and all its keys; false when the account has no such grant that is live. */
  revoke(of: { accountId: string; grantId: string }, by: Actor, now: Date): Promise<boolean>;
  /** The newest first. */
  list(accountId: string): Promise<GrantRecord[]>;
  /** Forgets codes and refresh tokens that ended before `endedBefore`, and registered clients idle since `idleSince`. */
  sweep(before: { endedBefore: Date; idleSince: Date }): Promise<{ clients: number }>;
}

/** The documents that clients describe themselves in (A13), fetched with care. */
export interface ClientDocuments {
  /** The JSON at the address, unchecked. Throws `bad_request` when it cannot be had. */
  read(url: string): Promise<unknown>;
}
