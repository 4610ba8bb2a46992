import { shortName } from '../core/digest.js';
import { ServiceError } from '../core/errors.js';
import { Memories } from '../core/memories.js';
import type { Clock } from '../ports/clock.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import { limitAddress } from './address.js';

const FAILURES_PER_WINDOW = 60;
const WINDOW_SECONDS = 60;

/** `reason` of the 429 that replaces a 401 here; it is answered under the policy `public` (A8). */
export const FAILED_KEYS_REASON = 'failed_keys';

const tooMany = (retryAfter: number): ServiceError =>
  new ServiceError('rate_limited', 'Too many invalid keys from this IP address. Valid keys still work.', {
    reason: FAILED_KEYS_REASON,
    retryAfter,
  });

export interface FailedKeys {
  /** Counts a failure of the address and returns what to throw: `invalid`, or 429 above 60 a minute. */
  count(address: string, invalid: ServiceError): Promise<ServiceError>;
  /** Whether the address failed too often in the last minute: the next unknown key from it is probably a guess. */
  isNoisy(address: string): boolean;
}

/**
 * Limits guessing of keys (A8). No rate makes 155 random bits guessable; the limit spares the store and the log. So it
 * turns failures into 429, and unknown keys of a noisy address share one query at a time, but a valid key is never
 * refused for what others send: many customers may share one address.
 */
export function createFailedKeys(options: { limiter: RateLimiter; monotonic: Clock; memories?: Memories }): FailedKeys {
  const { limiter, monotonic, memories = new Memories() } = options;
  const noisyUntilMs = memories.map<number>('failed_keys');

  return {
    async count(rawAddress, invalid) {
      const address = shortName(limitAddress(rawAddress));
      const decision = await limiter.take(`failed_keys:${address}`, FAILURES_PER_WINDOW, WINDOW_SECONDS);
      if (decision.allowed) return invalid;
      noisyUntilMs.set(address, monotonic.now() + WINDOW_SECONDS * 1000);
      return tooMany(decision.retryAfterSeconds);
    },

    isNoisy: (address) => monotonic.now() < (noisyUntilMs.get(shortName(limitAddress(address))) ?? 0),
  };
}
