import { ServiceError } from '../domain/errors.js';
import type { RateLimiter } from '../ports/rate-limiter.js';

/**
 * Notices an account can send by hand in an hour, tests included. Limited because the account chooses the addresses.
 */
const BY_HAND = 20;
const BY_HAND_SECONDS = 3600;

/**
 * Checks of webhook addresses for an account in an hour. Limited because each looks up a name that the account chose.
 */
const CHECKS = 30;
const CHECKS_SECONDS = 3600;

/** Throws `rate_limited`. */
export async function admitByHand(limiter: RateLimiter, accountId: string): Promise<void> {
  const rate = await limiter.take(`alert-tests:${accountId}`, BY_HAND, BY_HAND_SECONDS);
  if (rate.allowed) return;
  throw new ServiceError('rate_limited', `Notices can be sent by hand ${BY_HAND} times an hour, including tests.`, {
    retryAfter: rate.retryAfterSeconds,
  });
}

/** Throws `rate_limited`. */
export async function admitCheck(limiter: RateLimiter, accountId: string): Promise<void> {
  const rate = await limiter.take(`alert-checks:${accountId}`, CHECKS, CHECKS_SECONDS);
  if (rate.allowed) return;
  throw new ServiceError('rate_limited', `Addresses of webhooks can be checked ${CHECKS} times an hour.`, {
    param: 'webhook_url',
    retryAfter: rate.retryAfterSeconds,
  });
}
