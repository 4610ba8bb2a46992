import { ServiceError } from '../domain/errors.js';
import type { Visitor } from './sessions.js';

const RECENT_MS = 10 * 60_000;

/** The time until which a visitor's sign-in counts as recent, Unix milliseconds. */
export const recentUntil = ({ startedAt = Number.NEGATIVE_INFINITY }: Visitor): number => startedAt + RECENT_MS;

/**
 * Throws `access_denied` with the reason `sign_in_again` unless the visitor signed in recently: permanent credentials
 * (ASVS 7.5.1) and other people's accounts can only be changed then.
 */
export function needRecentSignIn(visitor: Visitor, nowMs: number): void {
  if (nowMs <= recentUntil(visitor)) return;
  throw new ServiceError('access_denied', 'You signed in more than 10 minutes ago. Sign in again to do this.', {
    reason: 'sign_in_again',
  });
}
