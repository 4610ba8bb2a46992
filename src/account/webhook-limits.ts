import { takeOrThrow } from '../domain/errors.js';
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
export const admitByHand = (limiter: RateLimiter, accountId: string): Promise<void> =>
  takeOrThrow(limiter, [`alert-tests:${accountId}`, BY_HAND, BY_HAND_SECONDS], {
    message: `Notices can be sent by hand ${BY_HAND} times an hour, including tests.`,
  });

/** Throws `rate_limited`. */
export const admitCheck = (limiter: RateLimiter, accountId: string): Promise<void> =>
  takeOrThrow(limiter, [`alert-checks:${accountId}`, CHECKS, CHECKS_SECONDS], {
    message: `Addresses of webhooks can be checked ${CHECKS} times an hour.`,
    param: 'webhook_url',
  });
