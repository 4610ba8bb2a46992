import type { UserRef } from './model.js';

/**
 * Canonical digits: no sign, leading zero or spaces (I7). Networks with reversible ids have up to 56, rarely 700
 * digits.
 */
const ID = /^(0|[1-9][0-9]{0,699})$/;

/**
 * The widest form of handle on any network here: letters, digits, `_`; on federated networks `.`, `-` and one `@`
 * inside.
 */
const HANDLE =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)?$/;

export const isId = (text: string): boolean => ID.test(text);

/** Drops one leading `@` (I1); null if no handle can look like that (I5). The spelling is kept (I2). */
export function parseHandle(text: string): string | null {
  const bare = text.startsWith('@') ? text.slice(1) : text;
  return HANDLE.test(bare) ? bare : null;
}

/** All digits always means an id; a leading `@` forces the handle (I3). Null if it can be neither (I5, I7). */
export function parseUserRef(text: string): UserRef | null {
  if (/^[0-9]+$/.test(text)) return isId(text) ? { id: text } : null;
  const handle = parseHandle(text);
  return handle === null ? null : { handle };
}

/**
 * A placeholder handle: networks show it for accounts whose own does not resolve any more. It identifies no account.
 */
export const isInvalidHandle = (handle: string): boolean => handleKey(handle) === 'handle.invalid';

/** Handles differing only in case are the same (I2, B3). */
export const handleKey = (handle: string): string => handle.toLowerCase();
