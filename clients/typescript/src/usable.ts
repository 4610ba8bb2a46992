import { PerchError } from './errors.js';

/** A base address without the slashes at its end. Throws a TypeError that does not quote it: it may hold a password. */
export function usableUrl(baseUrl: string): string {
  const wrong = new TypeError(
    'baseUrl must be an address such as https://perch.example, without a query or a password.',
  );
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw wrong;
  }
  const { protocol, username, password, search, hash } = url;
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '') throw wrong;
  return url.href.replace(/(?<![/?#])[/?#]+$/, '');
}

/** A key as it can stand in a header. The runtime's own complaint would quote it. */
export function usableKey(key: string): string {
  // A variable of the environment that is not set is no text, whatever its type says.
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return key;
  const message = 'The key is missing, or contains spaces or other characters that no key has.';
  throw new PerchError('missing_key', message, { status: 0 });
}

/** Refuses what addresses take for a step between folders: `..` as a handle would ask another endpoint. */
export function checkSegments(path: Readonly<Record<string, unknown>> = {}): void {
  for (const [param, value] of Object.entries(path)) {
    if (value !== '.' && value !== '..') continue;
    throw new PerchError('bad_request', `${param} can't be ${JSON.stringify(value)}.`, { status: 0, param });
  }
}
