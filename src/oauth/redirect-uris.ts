/** Addresses that an authorization answer may be sent to (A16, RFC 8252). */

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Private-use schemes without a dot that well-known clients already use. */
const KNOWN_APPS: ReadonlySet<string> = new Set(
  'chatgpt claude cursor goose kiro lmstudio raycast trae vscode vscode-insiders vscodium warp windsurf zed'
    .split(' ')
    .map((name) => `${name}:`),
);

/**
 * Schemes that the system or the browser itself would open, run or search. Most are refused because they have no dot
 * and are not a known app's, but these families may have a dot: `x-apple.systempreferences:`,
 * `microsoft.windows.camera:`.
 */
const OF_THE_SYSTEM =
  /^(?:ms-|microsoft[.-]|windows[.-]|x-apple|apple[.-]|search|shell|android|chrome|moz-|web\+|ext\+)|-extension:$/;

const MOST_CHARS = 2000;

/** Plain http on the user's own machine, whatever the port (RFC 8252 7.3). */
export const isLoopback = (url: URL): boolean => url.protocol === 'http:' && LOOPBACK.has(url.hostname);

/**
 * Why an address is not allowed, or null. Allowed: https, loopback http, or a private-use scheme; no fragment, no user,
 * plain ASCII.
 */
export function redirectUriFault(uri: string): string | null {
  if (uri.length > MOST_CHARS) return `is longer than ${MOST_CHARS} characters`;
  if (!/^[\x21-\x7e]+$/.test(uri) || /["<>\\^`{|}]/.test(uri) || !URL.canParse(uri)) return 'is not an absolute URI';
  if (uri.includes('#')) return 'has a fragment';
  const url = new URL(uri);
  // The page shows the host; a parser allows more characters than any real host name has.
  if (!/^(?:[\w.-]*|\[[0-9a-f:.]+\])$/i.test(url.hostname)) return 'has a host that is not a valid name';
  if (url.username !== '' || url.password !== '') return 'contains a user name';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'uses http: only https, or http on loopback, is allowed';
  return url.protocol === 'https:' || isLoopback(url) ? null : schemeFault(url.protocol);
}

/** A private-use scheme is its owner's domain name, reversed, so it has a dot (RFC 8252 7.1). */
function schemeFault(scheme: string): string | null {
  if (KNOWN_APPS.has(scheme)) return null;
  if (OF_THE_SYSTEM.test(scheme)) return `has a scheme not allowed for redirects (${scheme})`;
  if (scheme.includes('.')) return null;
  return `has the scheme ${scheme} but a custom scheme must contain a dot, as com.example.app: does`;
}

/** Exact match, except for the port of a loopback address. */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (registered.includes(uri)) return true;
  const requested = portless(uri);
  return requested !== null && registered.some((known) => portless(known) === requested);
}

/** A valid loopback address without its port; null for any other. */
function portless(uri: string): string | null {
  if (redirectUriFault(uri) !== null) return null;
  const url = new URL(uri);
  if (!isLoopback(url)) return null;
  // Uses the text, not the parsed address: what a parser would normalise is not an exact match.
  return uri.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+))(?::\d*)?(?=[/?]|$)/i, '$1');
}

/** The address with additional parameters; its existing query is left as written. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  const joint = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${joint}${query}`;
}
