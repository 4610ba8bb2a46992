const LONGEST = 4096;

/** Only characters that a URL parser neither drops nor converts: no backslash, no space, no control character. */
const PLAIN = /^\/[!-[\]-~]*$/;
const ALLOWED = /^\/(?:(?:dashboard|operator)(?:\/[\w-]+)*|oauth\/authorize)\/?$/;

/**
 * The path that a user may be sent to after sign-in: a page of the dashboard or of the operator, or the consent page,
 * on this host; null for anything else. The path is checked after URL parsing as a browser does it, so that both agree.
 */
export function safeNext(text: string | null | undefined): string | null {
  if (!text || text.length > LONGEST || !PLAIN.test(text)) return null;
  if (!URL.canParse(text, 'https://here.invalid')) return null;
  const { host, pathname, search } = new URL(text, 'https://here.invalid');
  return host === 'here.invalid' && ALLOWED.test(pathname) ? pathname + search : null;
}

/** The path for signing in again, even if signed in already, before a change that requires a recent sign-in. */
export const signInAgainPath = (next: string): string => `${signInPath(next)}&again=1`;

/** The path of the sign-in page that says that the reader's account was deleted. */
export const DELETED_PATH = '/sign-in?deleted=1';

/** The path for signing in first, and then continuing to `next`. */
export const signInPath = (next: string | null): string =>
  next === null ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`;
