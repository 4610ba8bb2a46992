import { ServiceError } from '../domain/errors.js';
import { digestText } from '../lib/digest.js';
import { Memories } from '../lib/memories.js';
import type { Accounts, Caller, KeyLookup } from '../ports/accounts.js';
import type { Clock, Timers } from '../ports/clock.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import type { KeyHash } from './credential.js';
import { createFailedAttempts } from './failed-keys.js';
import { hashKey, isWellFormedKey, KEY_CHARS, modeOfKey } from './key.js';
import { Lookups } from './lookups.js';

/**
 * The hash of a key in hex, or null for a text that cannot be a key. Checksum and HMAC of recently used keys are
 * computed only once. The keys themselves are not kept: entries are found by SHA-256, which reveals nothing about 155
 * random bits.
 */
export function createKeyHashes(pepper: string | Uint8Array, memories: Memories): (key: string) => string | null {
  const known = memories.map<string>('key_hashes');
  return (key) => {
    if (key.length !== KEY_CHARS) return null;
    const digest = digestText(key);
    const hash = known.get(digest);
    if (hash !== undefined) return hash;
    if (!isWellFormedKey(key)) return null;
    const computed = hashKey(key, pepper).toString('hex');
    known.set(digest, computed);
    return computed;
  };
}

/**
 * Less than five seconds, so a revocation takes effect everywhere within five even if its notification is lost (A9).
 */
export const LOOKUP_TTL_MS = 3000;

export interface Identify {
  /** The account of a recently looked-up key. If undefined, call `identify`, which reads it or throws the reason. */
  known(key: string | KeyHash): Caller | undefined;
  /**
   * The account of the key. Throws `invalid_key` with the reason `malformed`, `unknown`, `revoked`, `expired` or
   * `frozen`, and `rate_limited` with the reason `failed_keys` if the address sent too many of those. If the store has
   * to be asked, `beforeWaiting` is called first, with the account that the key was last known to belong to; its errors
   * are passed on. A hash comes from the service itself: its failures count against no address, and `beforeWaiting` is
   * not called.
   */
  identify(key: string | KeyHash, address: string, beforeWaiting?: (accountId: string | null) => void): Promise<Caller>;
  close(): Promise<void>;
}

export interface IdentifyOptions {
  readonly accounts: Pick<Accounts, 'findKeys' | 'onKeyChange'>;
  readonly limiter: RateLimiter;
  /** A clock that is never set back, because the age of lookups is measured by it. */
  readonly monotonic: Clock;
  /** On the same clock; the process's own by default. */
  readonly timers?: Timers | undefined;
  readonly pepper: string | Uint8Array;
  readonly ttlMs?: number;
  /** Where its memory is counted. */
  readonly memories?: Memories;
}

const invalid = (reason: string, message: string): ServiceError => new ServiceError('invalid_key', message, { reason });

const malformed = () =>
  invalid(
    'malformed',
    'Malformed key: a key is "perch_live_" or "perch_test_" followed by 32 letters and digits. It may be truncated or mistyped.',
  );

function refusal(lookup: Exclude<KeyLookup, { state: 'live' }> | undefined): ServiceError {
  if (lookup === undefined) return invalid('unknown', 'Unknown key: it may be mistyped, or belong to another service.');
  if (lookup.state === 'frozen') {
    return invalid(
      'frozen',
      'The account this key belongs to is frozen: a payment was disputed, or the operator froze it. Contact support.',
    );
  }
  if (lookup.state === 'expired') {
    return invalid('expired', `This key expired at ${lookup.expiredAt}. Use another key.`);
  }
  return invalid('revoked', `This key was revoked at ${lookup.revokedAt}. Use another key.`);
}

/** Resolves once the store reports changed keys. */
export async function createIdentify(options: IdentifyOptions): Promise<Identify> {
  const { accounts, limiter, monotonic, timers, pepper, ttlMs = LOOKUP_TTL_MS, memories = new Memories() } = options;
  const hashApiKey = createKeyHashes(pepper, memories);
  const lookups = new Lookups({ accounts, monotonic, timers, ttlMs, memories });
  const close = await lookups.follow();
  const failedKeys = createFailedAttempts({ limiter, monotonic, memories });

  // The mode in a key's text is binding, whatever the store's row says.
  const liveCaller = (key: string, lookup: KeyLookup | undefined): Caller | undefined =>
    lookup?.state === 'live' && lookup.caller.mode === modeOfKey(key) ? lookup.caller : undefined;

  const identifyHash = async ({ keyHash }: KeyHash): Promise<Caller> => {
    const lookup = await lookups.find(keyHash);
    if (lookup?.state === 'live') return lookup.caller;
    throw refusal(lookup);
  };

  return {
    known(key) {
      if (typeof key !== 'string') {
        const lookup = lookups.recent(key.keyHash);
        return lookup?.state === 'live' ? lookup.caller : undefined;
      }
      const hashHex = hashApiKey(key);
      return hashHex === null ? undefined : liveCaller(key, lookups.recent(hashHex));
    },
    async identify(key, address, beforeWaiting = () => {}) {
      if (typeof key !== 'string') return identifyHash(key);
      const hashHex = hashApiKey(key);
      if (hashHex === null) {
        beforeWaiting(null);
        throw await failedKeys.count(address, malformed());
      }
      const { lookup: last, isFresh } = lookups.last(hashHex);
      if (!isFresh) beforeWaiting(last?.state === 'live' ? last.caller.accountId : null);
      // A key that the store knew before is not a guess.
      const mayBeGuess = !lookups.knows(hashHex) && failedKeys.isNoisy(address);
      const lookup = await lookups.find(hashHex, { mayBeGuess });
      const caller = liveCaller(key, lookup);
      if (caller !== undefined) return caller;
      throw await failedKeys.count(address, refusal(lookup?.state === 'live' ? undefined : lookup));
    },
    close,
  };
}
