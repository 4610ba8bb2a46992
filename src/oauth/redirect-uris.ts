/** Where an answer may be sent (A16, RFC 8252). */

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What a browser would run, show or hand to somebody else instead of opening an app of the client's. */
const NEVER: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'chrome:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'intent:',
  'javascript:',
  'mailto:',
  'sms:',
  'tel:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

const MOST_CHARS = 2000;

/** Plain http on the user's own machine, whatever the port (RFC 8252 7.3). */
export const isLoopback = (url: URL): boolean => url.protocol === 'http:' && LOOPBACK.has(url.hostname);

/** Why it may not be one, or null: https, loopback http, or a private-use scheme; no fragment, no user, plain ASCII. */
export function faultOf(uri: string): string | null {
  if (uri.length > MOST_CHARS) return `is longer than ${MOST_CHARS} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri) || !URL.canParse(uri)) return 'is not an absolute URI';
  if (uri.includes('#')) return 'has a fragment';
  const url = new URL(uri);
  // It goes into the page's policy; a parser lets more through than any name has.
  if (!/^(?:[\w.-]*|\[[0-9a-f:.]+\])$/i.test(url.hostname)) return 'has a host that is no name';
  if (url.username !== '' || url.password !== '') return 'names a user';
  if (NEVER.has(url.protocol)) return `has a scheme that is not for redirects (${url.protocol})`;
  if (url.protocol === 'http:' && !isLoopback(url)) return 'is http: only https, or http on loopback, is taken';
  return null;
}

/** Exact match, but for the port of a loopback address (A16). */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const asked = portless(uri);
  return asked !== null && registered.some((known) => portless(known) === asked);
}

/** A sound loopback address without its port; null for any other. */
function portless(uri: string): string | null {
  if (faultOf(uri) !== null) return null;
  const url = new URL(uri);
  if (!isLoopback(url)) return null;
  // The text, not the parsed address: what a parser would tidy up is no exact match.
  return uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+))(?::\d*)?(?=[/?]|$)/i, '$1');
}

/** The address with more parameters; what was in its query stays as it was written. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  const joint = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${joint}${query}`;
}
