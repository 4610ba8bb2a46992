import { domainToASCII } from 'node:url';
import type { UserRef } from './model.js';

/**
 * Canonical digits: no sign, leading zero or spaces. Networks with reversible ids have up to 56, rarely 700
 * digits.
 */
const ID = /^(0|[1-9][0-9]{0,699})$/;

/**
 * The widest form of a handle on any supported network: letters, digits, `_`; on federated networks also `.`, `-` and
 * one `@` inside.
 */
const HANDLE =
  /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)?$/;

export const isId = (text: string): boolean => ID.test(text);

/** Invisible characters: directions, joiners, a byte-order mark. Apps put them around the handles that they show. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * Drops invisible characters (I11) and one leading `@` (I1), and writes the name of a server in ASCII (I12). The
 * spelling is otherwise kept. Null if no handle can look like that.
 */
export function parseHandle(text: string): string | null {
  const shown = text.replace(INVISIBLE, '');
  const bare = shown.startsWith('@') ? shown.slice(1) : shown;
  const handle = withAsciiServer(bare);
  return HANDLE.test(handle) ? handle : null;
}

/** Converts what comes after an `@`, or the whole handle if it is a domain name itself. */
function withAsciiServer(handle: string): string {
  const at = handle.indexOf('@');
  const server = handle.slice(at + 1);
  // Only letters and digits of other scripts: anything else that `domainToASCII` would accept is not a handle.
  if (!server.includes('.') || !/^[\p{L}\p{M}\p{N}.-]{1,253}$/u.test(server) || /^\p{ASCII}*$/u.test(server))
    return handle;
  return handle.slice(0, at + 1) + domainToASCII(server);
}

/** All digits always means an id; a leading `@` forces the handle (I3). Null if it can be neither. */
export function parseUserRef(text: string): UserRef | null {
  const shown = text.replace(INVISIBLE, '');
  if (/^[0-9]+$/.test(shown)) return isId(shown) ? { id: shown } : null;
  const handle = parseHandle(text);
  return handle === null ? null : { handle };
}

interface NodeRef {
  readonly type: 'Tweet' | 'User';
  readonly id: string;
}

/** The global id of an object, unique across both types: Relay identifies objects by it. */
export const nodeId = (type: NodeRef['type'], id: string): string => `${type}:${id}`;

/** Null if it is not a global id. */
export function parseNodeId(text: string): NodeRef | null {
  const [, type, id = ''] = /^(Tweet|User):(.+)$/.exec(text) ?? [];
  return (type === 'Tweet' || type === 'User') && isId(id) ? { type, id } : null;
}

/**
 * A placeholder handle: networks show it for accounts whose own does not resolve any more. It identifies no account.
 */
export const isInvalidHandle = (handle: string): boolean => handleKey(handle) === 'handle.invalid';

/** Handles differing only in case are the same (I2, B3). */
export const handleKey = (handle: string): string => handle.toLowerCase();
