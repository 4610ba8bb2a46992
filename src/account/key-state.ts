import type { KeyRecord } from '../ports/accounts.js';

/** The words for a key's state, on pages and on the command line. `expiring`: replaced, and still working for a while. */
export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

/** `replaced`: whether the key belongs to a client that has a newer one. */
export function keyState(
  key: Pick<KeyRecord, 'revokedAt' | 'expiresAt' | 'isReplaced'>,
  nowMs: number,
  replaced = false,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'active';
  if (Date.parse(key.expiresAt) <= nowMs) return 'expired';
  // A future expiry alone does not make a key `expiring`: owners can set one, and every client's key has one.
  return key.isReplaced || replaced ? 'expiring' : 'active';
}

export const isWorking = (state: KeyState): boolean => state === 'active' || state === 'expiring';
