import type { KeyRecord } from '../ports/accounts.js';

/** The words for a key's state, on pages and on the command line. `expiring`: replaced, and still working for a while. */
export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked';

/** `replaced`: its client has a newer one. */
export function keyState(
  key: Pick<KeyRecord, 'revokedAt' | 'expiresAt' | 'isReplaced'>,
  nowMs: number,
  replaced = false,
): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt === null) return 'active';
  if (Date.parse(key.expiresAt) <= nowMs) return 'expired';
  // A key may have an end of its own, and a client's always has one: it is renewed before then.
  return key.isReplaced || replaced ? 'expiring' : 'active';
}

export const isWorking = (state: KeyState): boolean => state === 'active' || state === 'expiring';
