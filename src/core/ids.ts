import type { UserRef } from './model.js';

/** Canonical digit form: no sign, no leading zero, no spaces (I7). Networks with reversible ids have up to 56, rarely 700 digits. */
const ID = /^(0|[1-9][0-9]{0,699})$/;

/** The widest handle any network here knows: letters, digits, `_`, and on federated networks `.`, `-` and one `@` inside. */
const HANDLE =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)?$/;

export const isId = (text: string): boolean => ID.test(text);

/** Drops one leading `@` (I1); null when no handle can look like that (I5). The spelling is kept (I2). */
export function parseHandle(text: string): string | null {
  const bare = text.startsWith('@') ? text.slice(1) : text;
  return HANDLE.test(bare) ? bare : null;
}

/** All digits is always the id; a leading `@` forces the handle (I3). Null when it can be neither (I5, I7). */
export function parseUserRef(text: string): UserRef | null {
  if (/^[0-9]+$/.test(text)) return isId(text) ? { id: text } : null;
  const handle = parseHandle(text);
  return handle === null ? null : { handle };
}

/** A handle that stands for none: networks show it for accounts whose own does not resolve any more. It is nobody's. */
export const isInvalidHandle = (handle: string): boolean => handleKey(handle) === 'handle.invalid';

/** Handles are one thing whatever their case (I2, B3). */
export const handleKey = (handle: string): string => handle.toLowerCase();
