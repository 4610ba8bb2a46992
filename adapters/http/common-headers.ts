import { STARTING_POLICY } from './headers.js';

export interface Notice {
  /** Unix milliseconds; null: the version is current and nothing is sent. */
  readonly deprecationMs: number | null;
  readonly sunsetMs: number | null;
  readonly url: string | null;
}

/** The only place that decides the format of the dates: an HTTP-date, as the interface prints it (X3). */
const dateForm = (ms: number): string => new Date(ms).toUTCString();

/** The headers that announce the end of `/v1` while it still answers (section 9.3). Empty while it is current. */
export function versionHeaders(notice: Notice): Record<string, string> {
  if (notice.deprecationMs === null) return {};
  return {
    Deprecation: dateForm(notice.deprecationMs),
    ...(notice.sunsetMs !== null && { Sunset: dateForm(notice.sunsetMs) }),
    ...(notice.url !== null && { Link: `<${notice.url}>; rel=deprecation` }),
  };
}

/**
 * For everything but pages: a browser that displays it anyway loads and runs nothing. Pages send a policy of their own.
 */
const NO_PAGE_CSP = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of every answer, from its request's id. The public addresses are known once the port is. */
export const commonHeaders = (
  id: string,
  { baseUrl, authUrl }: { readonly baseUrl: string; readonly authUrl: string },
): Readonly<Record<string, string>> => ({
  'X-Request-Id': id,
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': NO_PAGE_CSP,
  'Referrer-Policy': 'no-referrer',
  ...((baseUrl.startsWith('https:') || authUrl.startsWith('https:')) && {
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  }),
});

export const isV1 = (url: string): boolean => /^\/v1(?:[/?]|$)/.test(url);

/** The headers of everything under `/v1`, whatever the outcome; `versionHeaders` are those of section 9.3. */
export const v1Headers = (versionHeaders: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...STARTING_POLICY,
  ...versionHeaders,
  'Cache-Control': 'private, no-store',
});
