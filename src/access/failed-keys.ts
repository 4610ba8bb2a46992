import { ServiceError } from '../domain/errors.js';
import { shortName } from '../lib/digest.js';
import { Memories } from '../lib/memories.js';
import type { Clock } from '../ports/clock.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import { limitAddress } from './address.js';

const FAILURES_PER_WINDOW = 60;
const WINDOW_SECONDS = 60;

/** `reason` of the 429 that replaces a 401 here; it is answered under the policy `public`. */
export const FAILED_KEYS_REASON = 'failed_keys' satisfies keyof typeof KINDS;

/** The kinds of failure that are counted per address, with the message sent above 60 a minute. */
const KINDS = {
  failed_keys: 'Too many invalid keys from this IP address. Valid keys still work.',
  failed_events: 'Too many events without a valid signature from this IP address.',
} as const;

export interface FailedAttempts {
  /** Counts a failure of the address and returns what to throw: `invalid`, or 429 above 60 a minute. */
  count(address: string, invalid: ServiceError): Promise<ServiceError>;
  /** Whether the address failed too often in the last minute: the next attempt from it will probably fail. */
  isNoisy(address: string): boolean;
}

export interface FailedAttemptsOptions {
  readonly limiter: RateLimiter;
  readonly monotonic: Clock;
  readonly memories?: Memories;
  readonly kind?: keyof typeof KINDS;
}

/**
 * Limits guessing of keys (A8) and of signatures. 155 random bits cannot be guessed at any rate: the limit protects the
 * store and the log. So failures become 429, and unknown keys from a noisy address share one query at a time, but a
 * valid key is never refused because of what others send, since many customers may share one address.
 */
export function createFailedAttempts(options: FailedAttemptsOptions): FailedAttempts {
  const { limiter, monotonic, memories = new Memories(), kind = 'failed_keys' } = options;
  const maxBytes = memories.limitOf('failed_keys') / Object.keys(KINDS).length;
  const noisyUntilMs = memories.map<number>('failed_keys', { maxBytes });

  return {
    async count(rawAddress, invalid) {
      const address = shortName(limitAddress(rawAddress));
      const decision = await limiter.take(`${kind}:${address}`, FAILURES_PER_WINDOW, WINDOW_SECONDS);
      if (decision.allowed) return invalid;
      noisyUntilMs.set(address, monotonic.now() + WINDOW_SECONDS * 1000);
      return new ServiceError('rate_limited', KINDS[kind], { reason: kind, retryAfter: decision.retryAfterSeconds });
    },

    isNoisy: (address) => monotonic.now() < (noisyUntilMs.get(shortName(limitAddress(address))) ?? 0),
  };
}
