import { hkdfSync } from 'node:crypto';
import { hashKey, keyPrefix, mintKey } from '../access/key.js';
import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import { DAY_MS, HOUR_MS } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import {
  type Approval,
  type GrantStore,
  MOST_GRANTS,
  type NewTokenPair,
  type TokenPairHashes,
} from '../ports/grants.js';
import { proves } from './authorization.js';
import type { Clients } from './clients.js';
import { SCOPE } from './metadata.js';
import { OAuthError } from './oauth-error.js';
import { type Addresses, parseResource } from './resources.js';

/** The secrets that a client receives. Never stored. */
export interface TokenPair {
  readonly key: string;
  readonly refreshToken: string;
}

const REFRESH_PREFIX = 'perch_refresh_';

/** The first pair of a grant or, if the bytes are derived from a refresh token, the pair that succeeds it. */
const mintTokenPair = (randomBytes: RandomBytes): TokenPair => ({
  refreshToken: REFRESH_PREFIX + newSecret(randomBytes),
  key: mintKey(randomBytes),
});

/** The pair that replaces a refresh token: always the same one, and unpredictable without the secret. */
function deriveSuccessor(refreshToken: string, secret: Uint8Array): TokenPair {
  let block = 0;
  return mintTokenPair((length) => {
    block += 1;
    return new Uint8Array(hkdfSync('sha256', refreshToken, secret, `perch oauth successor ${block}`, length));
  });
}

const hashPair = ({ key, refreshToken }: TokenPair, pepper: string | Uint8Array): TokenPairHashes => ({
  keyHash: hashKey(key, pepper),
  keyPrefix: keyPrefix(key),
  refreshHash: hashSecret(refreshToken),
});

const KEY_MS = 30 * DAY_MS;
const REFRESH_MS = 90 * DAY_MS;
/** After this time a customer is asked again, however often the client refreshes (ASVS 10.4.8). */
const GRANT_MS = 365 * DAY_MS;
/** A client needs one refresh in 30 days; each one adds a key and a line in the customer's log. */
const MOST_REFRESHES = { count: 20, windowMs: HOUR_MS };
/** How long the old key works alongside the new one, and a lost answer can be requested again (A14). */
const OVERLAP_MS = 60_000;

export interface TokensOptions {
  readonly clients: Clients;
  readonly store: GrantStore;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** For the hashes of keys. */
  readonly pepper: string | Uint8Array;
  /** The secret that successors are derived with; not the pepper. */
  readonly secret: Uint8Array;
}

/** RFC 6749 5.1. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** The address that the request came from. */
type From = string | null;

/** The token and revocation endpoints. The access token is an ordinary key. All methods throw OAuthError. */
export class Tokens {
  readonly #options: TokensOptions;

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** RFC 6749 4.1.3 and 6. */
  async answer(fields: URLSearchParams, addresses: Addresses, address: From): Promise<TokenAnswer> {
    const type = fields.get('grant_type');
    if (type === null) throw new OAuthError('invalid_request', 'grant_type is missing.');
    if (type !== 'authorization_code' && type !== 'refresh_token') {
      throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
    }
    const clientId = await this.#clientOf(fields);
    const resource = parseResource(fields, addresses);
    if (type === 'refresh_token') refuseMoreScope(fields.get('scope'));
    if (type === 'refresh_token') return this.#refresh(clientId, needed(fields, 'refresh_token'), address);
    return this.#redeem(fields, clientId, resource, address);
  }

  /** RFC 7009: ends the whole grant. A token that is unknown or has expired counts as revoked. */
  async revoke(fields: URLSearchParams, address: From): Promise<void> {
    const { store, pepper, clock } = this.#options;
    const token = needed(fields, 'token');
    const clientId = fields.get('client_id');
    const found = await store.findByToken({ keyHash: hashKey(token, pepper), refreshHash: hashSecret(token) });
    if (!found) return;
    if (clientId !== null && clientId !== found.clientId) {
      throw new OAuthError('invalid_grant', 'This token was issued to another client.');
    }
    await store.revoke(found, { who: 'client', address }, new Date(clock.now()));
  }

  async #clientOf(fields: URLSearchParams): Promise<string> {
    const clientId = fields.get('client_id');
    if (clientId !== null && (await this.#options.clients.isKnown(clientId))) return clientId;
    // Clients register again on exactly this error.
    const message = clientId === null ? 'client_id is missing.' : 'Unknown client: it must register first.';
    throw new OAuthError('invalid_client', message, 401);
  }

  async #redeem(
    fields: URLSearchParams,
    clientId: string,
    resource: string | null,
    address: From,
  ): Promise<TokenAnswer> {
    const { store, clock, randomBytes } = this.#options;
    const hash = hashSecret(needed(fields, 'code'));
    const verifier = needed(fields, 'code_verifier');
    const redirectUri = fields.get('redirect_uri');
    const now = new Date(clock.now());
    const pair = mintTokenPair(randomBytes);
    const issued = this.#issued(pair, now);
    const { state } = await store.redeem({ hash, now, by: client(address) }, (approval) => {
      if (!isBound(approval, { clientId, redirectUri, verifier })) throw stale('code');
      if (!isFor(approval, resource)) throw otherResource(approval);
      return issued;
    });
    if (state === 'full') throw new OAuthError('invalid_grant', TOO_MANY);
    if (state !== 'redeemed') throw stale('code');
    return toTokenAnswer(pair, issued.keyEndsAt, now);
  }

  async #refresh(clientId: string, refreshToken: string, address: From): Promise<TokenAnswer> {
    const { store, clock, secret } = this.#options;
    const now = new Date(clock.now());
    const pair = deriveSuccessor(refreshToken, secret);
    const outcome = await store.refresh({
      clientId,
      refreshHash: hashSecret(refreshToken),
      successor: this.#issued(pair, now),
      now,
      overlapMs: OVERLAP_MS,
      maxLifetimeMs: GRANT_MS,
      most: MOST_REFRESHES,
      by: client(address),
    });
    if (outcome.state === 'limited') throw tooOften(outcome.retryAfterSeconds);
    if (outcome.state === 'unknown' || outcome.state === 'reused') throw stale('refresh_token');
    return toTokenAnswer(pair, outcome.keyEndsAt, now);
  }

  #issued(pair: TokenPair, now: Date): NewTokenPair {
    return {
      ...hashPair(pair, this.#options.pepper),
      keyEndsAt: new Date(now.getTime() + KEY_MS),
      refreshEndsAt: new Date(now.getTime() + REFRESH_MS),
    };
  }
}

const client = (address: From): Actor => ({ who: 'client', address });

function isBound(
  approval: Approval,
  shown: { clientId: string; redirectUri: string | null; verifier: string },
): boolean {
  const redirects = shown.redirectUri === null ? !approval.redirectNamed : shown.redirectUri === approval.redirectUri;
  return approval.clientId === shown.clientId && redirects && proves(shown.verifier, approval.challenge);
}

const isFor = (approval: Approval, resource: string | null): boolean =>
  resource === null || approval.resource === null || resource === approval.resource;

/** RFC 8707, 2.2. Told only to a client that has proven that the code is its own. */
const otherResource = ({ resource }: Approval): OAuthError =>
  new OAuthError('invalid_target', `This code was issued for ${resource}: ask for that resource, or for none.`);

/** RFC 6749, 6: a refresh may ask for what was granted, or less, and not for more. */
function refuseMoreScope(scope: string | null): void {
  const more = (scope ?? '').split(' ').filter((name) => name !== '' && name !== SCOPE);
  if (more.length > 0) throw new OAuthError('invalid_scope', `The only scope is ${SCOPE}.`);
}

function needed(fields: URLSearchParams, name: string): string {
  const value = fields.get(name);
  if (value === null || value === '') throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

const STALE = {
  code: 'Invalid code: unknown, expired, already used, revoked, issued to another client, or sent with another redirect_uri or code_verifier.',
  refresh_token: 'Invalid refresh_token: unknown, expired, already used, revoked, or issued to another client.',
} as const;

/** The same message for every fault, so that guessing codes reveals nothing. */
const stale = (what: 'code' | 'refresh_token'): OAuthError => new OAuthError('invalid_grant', STALE[what]);

const TOO_MANY = `The account has ${MOST_GRANTS} connected apps, the maximum. Its owner can disconnect one under Apps on the dashboard, and then allow this app again.`;

const tooOften = (seconds: number): OAuthError =>
  new OAuthError(
    'temporarily_unavailable',
    `This client has refreshed ${MOST_REFRESHES.count} times in the last hour. Its key still works. Try again in ${seconds} s.`,
    429,
    seconds,
  );

const toTokenAnswer = ({ key, refreshToken }: TokenPair, keyEndsAt: Date, now: Date): TokenAnswer => ({
  access_token: key,
  token_type: 'Bearer',
  expires_in: Math.max(0, Math.floor((keyEndsAt.getTime() - now.getTime()) / 1000)),
  refresh_token: refreshToken,
  scope: SCOPE,
});
