const LONGEST = 4096;

/** Only what a URL parser would neither drop nor turn into something else: no backslash, no space, no control character. */
const PLAIN = /^\/[!-[\]-~]*$/;
const ALLOWED = /^\/(?:dashboard(?:\/[\w-]+)*|oauth\/authorize)\/?$/;

/**
 * Where somebody may be sent after sign-in: a page of the dashboard or the consent page, on this host; null for all else. The
 * path is looked at after a browser's own parser has resolved it, so that both mean the same.
 */
export function safeNext(text: string | null | undefined): string | null {
  if (!text || text.length > LONGEST || !PLAIN.test(text)) return null;
  if (!URL.canParse(text, 'https://here.invalid')) return null;
  const { host, pathname, search } = new URL(text, 'https://here.invalid');
  return host === 'here.invalid' && ALLOWED.test(pathname) ? pathname + search : null;
}

/** Where somebody signs in once more, signed in or not, for a change that wants it. */
export const signInAgainPath = (next: string): string => `${signInPath(next)}&again=1`;

/** Where to sign in first, and then go on to `next`. */
export const signInPath = (next: string | null): string =>
  next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
