import type { KeyRecord } from '../ports/accounts.js';

/** The words for a key's state, on pages and on the command line. `expiring`: replaced, and still working for a while. */
export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

/** `replaced`: its client has a newer one. */
export function keyState(
  key: Pick<KeyRecord, 'revokedAt' | 'expiresAt' | 'grantId'>,
  nowMs: number,
  replaced = false,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'active';
  if (Date.parse(key.expiresAt) <= nowMs) return 'expired';
  // A client's key always has an end; it is renewed before then.
  return key.grantId === null || replaced ? 'expiring' : 'active';
}

export const isWorking = (state: KeyState): boolean => state === 'active' || state === 'expiring';
