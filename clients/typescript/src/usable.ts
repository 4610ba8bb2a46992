import { PerchError } from './errors.js';

/** A base address without trailing slashes. Throws a TypeError that does not quote it: it may contain a password. */
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

const IN_HEADER = /^[\x21-\x7e]+$/;

/** A key that is valid in a header. Checked here because the runtime's own error would quote the key. */
export function usableKey(key: string): string {
  // A key from an unset environment variable is undefined, whatever its type says.
  if (typeof key === 'string' && IN_HEADER.test(key)) return key;
  const message = 'The key is missing, or contains spaces or other characters that no key has.';
  throw new PerchError('missing_key', message, { status: 0 });
}

/** Refuses path segments with a special meaning in addresses: `..` as a handle would call another endpoint. */
export function checkSegments(path: Readonly<Record<string, unknown>> = {}): void {
  for (const [param, value] of Object.entries(path)) {
    if (value !== '.' && value !== '..') continue;
    throw new PerchError('bad_request', `${param} can't be ${JSON.stringify(value)}.`, { status: 0, param });
  }
}

/** Whole milliseconds that a timer can wait, or `Infinity`. A timer waits 1 ms instead of a time that is too long. */
export function usableTimeout(timeoutMs: number): number {
  const ms = Math.ceil(timeoutMs);
  if (ms === Number.POSITIVE_INFINITY || (ms >= 0 && ms < 2 ** 31)) return ms;
  throw new PerchError('bad_request', 'timeoutMs must be Infinity or from 0 to 2,147,483,647 milliseconds.', {
    status: 0,
    param: 'timeoutMs',
  });
}

/** For a parameter that no address can hold. */
export const notText = (): PerchError =>
  new PerchError('bad_request', 'A parameter contains half of a surrogate pair, which is no character.', { status: 0 });

/** Refuses values that cannot be sent in a header, as the service would. */
export function checkHeaders(header: Readonly<Record<string, unknown>> = {}): void {
  for (const [param, value] of Object.entries(header)) {
    if (value === undefined || (typeof value === 'string' && IN_HEADER.test(value))) continue;
    throw new PerchError('bad_request', `${param} must be visible ASCII characters without spaces.`, {
      status: 0,
      param,
    });
  }
}
