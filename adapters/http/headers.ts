import type { FastifyReply } from 'fastify';
import { PUBLIC_QPS, policyHeader, rateLimitHeaders } from '../../src/access/rate-headers.js';
import { toCredits } from '../../src/domain/credits.js';
import { STARTING_QPS } from '../../src/domain/tiers.js';
import type { Answer, Outcome } from '../../src/serve/call.js';

/** Undefined values are left out. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** Sends the headers whose values are not undefined. */
export function setHeaders(reply: FastifyReply, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.header(name, value);
}

/** The headers whose names are not in `left`, and not Vary, as names and values in turn. */
export function headWithout(left: ReadonlySet<string>, headers: Readonly<Record<string, string>>): string[] {
  const head: string[] = [];
  addHeaders(head, Object.fromEntries(Object.entries(headers).filter(([name]) => !left.has(name))));
  return head;
}

/**
 * Adds the headers whose values are not undefined to a head of names and values in turn, as the framework writes them.
 * Leaves out Vary, whose values the caller joins.
 */
export function addHeaders(head: string[], headers: Headers): void {
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && name !== 'Vary') head.push(name.toLowerCase(), value);
  }
}

/** Always includes the policy; also the bucket's state, if the bucket was checked (section 8.1.5). */
export function limitHeaders({ rate, policy }: Pick<Outcome, 'rate' | 'policy'>): Record<string, string> {
  if (rate) return rateLimitHeaders(rate, policy);
  return policy === 'public' ? { 'RateLimit-Policy': policyHeader('public', PUBLIC_QPS) } : STARTING_POLICY;
}

/** The rate that a new account starts with, for calls whose key was not resolved. */
const STARTING_POLICY = { 'RateLimit-Policy': policyHeader('account', STARTING_QPS) };

/**
 * Where the time of an account's call was spent, in milliseconds: in the queue, at the network, and in total. Only
 * calls that went to the network have the first two.
 */
export function serverTiming({ accountId, upstream }: Outcome, totalMs: number): string | undefined {
  if (accountId === null) return undefined;
  const total = `total;dur=${tenths(totalMs)}`;
  if (upstream.calls + upstream.waitMs + upstream.readMs === 0) return total;
  return `queue;dur=${tenths(upstream.waitMs)}, upstream;dur=${tenths(upstream.readMs)}, ${total}`;
}

const tenths = (ms: number): string => String(Math.round(ms * 10) / 10);

/** The same figures as in the body, and how old the answer is. */
export function creditHeaders(answer: Answer, { ageSeconds }: Outcome): Record<string, string | undefined> {
  return {
    Age: ageSeconds === undefined ? undefined : String(ageSeconds),
    'X-Credits-Charged': String(toCredits(answer.charge.amount)),
    'X-Credits-Remaining': answer.balance === null ? undefined : String(toCredits(answer.balance)),
  };
}

export interface Notice {
  /** Unix milliseconds; null: the version is current and nothing is sent. */
  readonly deprecationMs: number | null;
  readonly sunsetMs: number | null;
  readonly url: string | null;
}

/** The only place that decides the format of these dates: an HTTP-date, as the interface prints it (X3). */
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
 * For everything but pages: a browser that displays such an answer loads and runs nothing. Pages send their own policy.
 */
const NO_PAGE_CSP = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The headers of every answer; `id` is its request's. The public addresses are known once the server has its port. */
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

export const isV1 = (url: string): boolean => /^\/v1(?:[/?#]|$)/.test(url);

/** The headers of everything under `/v1`, whatever the outcome; `versionHeaders` are those of section 9.3. */
export const v1Headers = (versionHeaders: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...STARTING_POLICY,
  ...versionHeaders,
  'Cache-Control': 'private, no-store',
});
