import { createHmac } from 'node:crypto';
import { hashKey, keyPrefix, mintKey, modeOfKey } from '../access/key.js';
import type { RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import { badRequest, takeOrThrow } from '../domain/errors.js';
import { counted } from '../domain/figures.js';
import type { Mode } from '../domain/mode.js';
import { HOUR_MS } from '../lib/durations.js';
import type { Accounts, Cap, KeyLimits, KeyRecord, RotatedKey } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { RateLimiter } from '../ports/rate-limiter.js';

/**
 * How often an account's keys can be created, rotated and changed in an hour. Each key that was ever made stays, and its
 * successors count what it spent.
 */
const MOST_CHANGES = 200;
const CHANGES_SECONDS = 3600;

/** The name of a session's test key: the pages that use it. */
const SESSION_KEY = 'GraphiQL and API reference';

export interface MintedKey {
  /** The whole key: shown once, never stored (5.1.1). */
  readonly key: string;
  readonly record: KeyRecord;
}

export interface KeysOptions {
  readonly accounts: Accounts;
  /** Part of the hash of every key. */
  readonly pepper: string | Uint8Array;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** Undefined for operators, who are not limited. */
  readonly limiter?: RateLimiter;
}

/** The keys of accounts, for their owners and for operators. Every change is recorded in the account's log. */
export class Keys {
  readonly #accounts: Accounts;
  readonly #pepper: string | Uint8Array;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  readonly #limiter: RateLimiter | undefined;

  constructor({ accounts, pepper, clock, randomBytes, limiter }: KeysOptions) {
    this.#accounts = accounts;
    this.#pepper = pepper;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
    this.#limiter = limiter;
  }

  /**
   * Creates a key on the account's wallet; `key` is one that was minted before. Throws `not_found` if there is no such
   * account, `bad_request` if it has too many working keys or the key is not of the account's mode, and `rate_limited`
   * after too many changes of its keys.
   */
  async create(
    accountId: string,
    given: { readonly name: string; readonly cap: Cap | null; readonly key?: string | undefined } & Partial<KeyLimits>,
    by: Actor,
  ): Promise<MintedKey> {
    const mode = await this.#modeOf(accountId);
    const { key = mintKey(this.#randomBytes, mode), ...rest } = given;
    this.#checkExpiry(rest.expiresAt);
    if (modeOfKey(key) !== mode) throw badRequest(`This account is for ${mode} keys, which begin with perch_${mode}_.`);
    await this.#admit(accountId);
    const hash = hashKey(key, this.#pepper);
    const record = await this.#accounts.addKey({ accountId, hash, prefix: keyPrefix(key), ...rest }, by);
    return { key, record };
  }

  /**
   * Creates a test key on the account's test account, which the first test key opens. Throws as `create` does, and
   * `not_found` if the account is itself a test account.
   */
  async createTest(accountId: string, given: Parameters<Keys['create']>[1], by: Actor): Promise<MintedKey> {
    return this.create(await this.#accounts.openTestAccount(accountId, by), given, by);
  }

  /**
   * The test key of a signed-in browser, for pages that send requests from there (A43). It is not stored but derived
   * from the session, the account and the hour, so a session gets one key an hour, in however many tabs. It works until
   * the end of the next hour, or until the session ends. Throws as `createTest` does, and `bad_request` if its owner
   * revoked it.
   */
  async forSession(
    { accountId, sessionId }: { readonly accountId: string; readonly sessionId: string },
    by: Actor,
  ): Promise<MintedKey> {
    const testId = await this.#accounts.openTestAccount(accountId, by);
    const hour = Math.floor(this.#clock.now() / HOUR_MS);
    const key = mintKey(
      derivedBytes(this.#pepper, `test key of session ${sessionId} on ${testId} in hour ${hour}`),
      'test',
    );
    const session = { sessionId, expiresAt: new Date((hour + 2) * HOUR_MS).toISOString() };
    const given = { accountId: testId, prefix: keyPrefix(key), name: SESSION_KEY, cap: null, session };
    const record = await this.#accounts.addKey({ ...given, hash: hashKey(key, this.#pepper) }, by);
    if (record.revokedAt === null) return { key, record };
    const minutes = Math.ceil(((hour + 1) * HOUR_MS - this.#clock.now()) / 60_000);
    throw badRequest(
      `You revoked this browser's test key. It gets another one in ${counted(minutes, 'minute')}; until then, create one in the dashboard.`,
    );
  }

  /**
   * Replaces a key with another of the same name, cap and wallet. The old one keeps working for `overlapMs`; 0 ends it
   * now (A10). Throws `bad_request` for a key that has ended, was already rotated, or belongs to a client, and if the
   * overlap would leave too many working keys; `rate_limited` as `create` does.
   */
  async rotate(
    accountId: string,
    keyId: string,
    overlapMs: number,
    by: Actor,
  ): Promise<MintedKey & { readonly record: RotatedKey }> {
    await this.#admit(accountId);
    const mode = await this.#modeOf(accountId);
    const key = mintKey(this.#randomBytes, mode);
    const successor = { hash: hashKey(key, this.#pepper), prefix: keyPrefix(key), expiresAt: null };
    const endsAt = overlapMs === 0 ? null : new Date(this.#clock.now() + overlapMs).toISOString();
    return { key, record: await this.#accounts.rotateKey({ accountId, keyId }, successor, endsAt, by) };
  }

  async #admit(accountId: string): Promise<void> {
    if (this.#limiter === undefined) return;
    await takeOrThrow(this.#limiter, [`keys:${accountId}`, MOST_CHANGES, CHANGES_SECONDS], {
      message: (seconds) =>
        `Keys can be created, rotated and changed ${MOST_CHANGES} times an hour. Try again in ${counted(seconds, 'second')}; revoking a key always works.`,
    });
  }

  async #modeOf(accountId: string): Promise<Mode> {
    const account = await this.#accounts.get(accountId);
    return account === undefined || account.testOf === null ? 'live' : 'test';
  }

  /**
   * Changes the name, cap or limits; undefined leaves a value unchanged. Throws `bad_request` for a cap below the
   * amount already spent under it, for an expiry in the past, and for a later one that would leave too many working
   * keys; `rate_limited` as `create` does.
   */
  async change(
    accountId: string,
    keyId: string,
    change: { readonly name?: string | undefined; readonly cap?: Cap | null | undefined } & Partial<KeyLimits>,
    by: Actor,
  ): Promise<KeyRecord> {
    this.#checkExpiry(change.expiresAt);
    await this.#admit(accountId);
    return this.#accounts.changeKey({ accountId, keyId }, change, by);
  }

  #checkExpiry(expiresAt: string | null | undefined): void {
    if (expiresAt == null || Date.parse(expiresAt) > this.#clock.now()) return;
    throw badRequest(`The expiry ${expiresAt} has passed. To end a key now, revoke it.`, 'expires');
  }

  /** A key that belongs to no client; undefined if the account has no such key. */
  async find(accountId: string, keyId: string): Promise<KeyRecord | undefined> {
    const key = await this.#accounts.key({ accountId, keyId });
    return key?.grantId === null ? key : undefined;
  }

  /** Ends the key now, on every node within seconds. Idempotent. */
  revoke(accountId: string, keyId: string, by: Actor): Promise<KeyRecord> {
    return this.#accounts.revokeKey({ accountId, keyId }, by);
  }
}

/** Bytes derived from a secret and a purpose: always the same for both, and unpredictable without the secret. */
function derivedBytes(secret: string | Uint8Array, purpose: string): RandomBytes {
  let block = 0;
  return (length) => {
    block += 1;
    return createHmac('sha256', secret).update(`${purpose}, block ${block}`).digest().subarray(0, length);
  };
}
