import { ERROR_CODES, type ErrorCode, type ErrorDetail, ServiceError } from '../../../src/domain/errors.js';
import { errorBody, problemBody } from '../../http/failure.js';
import { header, KEYLESS_HEADERS, V1_HEADERS } from './headers.js';
import { refTo } from './schema-text.js';
import type { ApiResponse, Example, Reference } from './types.js';

/** For each code, one of the messages that the service sends. */
const SAID: Readonly<Record<ErrorCode, readonly [message: string, detail?: ErrorDetail]>> = {
  missing_key: [
    'An API key is required. Send it in the header "x-api-key: <key>" or as "Authorization: Bearer <key>".',
  ],
  invalid_key: [
    'Malformed key: a key is "perch_live_" or "perch_test_" followed by 32 letters and digits. It may be truncated or mistyped.',
    { reason: 'malformed' },
  ],
  rate_limited: ['More than 20 requests per second. Try again in 1 s; nothing was charged.', { retryAfter: 1 }],
  no_credits: [
    'This read costs 1 credit per tweet; the wallet holds 0 credits. Add credits: GET /v1/billing/packs lists the packs.',
  ],
  bad_request: ['fresh must be true, false, 1 or 0, not "yes".', { param: 'fresh' }],
  not_found: ['No such user.'],
  access_denied: ['Our network session has no access to this.', { reason: 'session' }],
  product_unavailable: ['Top search is not available on this network; Latest always is. Nothing was charged.'],
  billing_disabled: ['Card checkout is not available on this server. Nothing was charged.'],
  upstream_rate_limited: ['The network has rate limited Perch. Nothing was charged.'],
  no_account: [
    'No network session is available for this read. Try again in 60 s; nothing was charged.',
    { retryAfter: 60 },
  ],
  upstream_error: ['The network did not respond in time.'],
  request_rejected: ['The network rejected our request.'],
  query_id_stale: ['The network no longer offers this read.'],
  internal: ['Something went wrong on our side. Nothing was charged.'],
};

/** A failure with this code as callers see it. `status` and `said` override the code's usual status and message. */
function exampleFailure(code: ErrorCode, status?: number, said?: string): ServiceError {
  const [message, detail] = SAID[code];
  return new ServiceError(code, said ?? message, { ...detail, ...(status !== undefined && { status }) });
}

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const codesWithStatus = (status: number): ErrorCode[] => CODES.filter((code) => ERROR_CODES[code].status === status);
const BUSY = codesWithStatus(503).filter((code) => code !== 'billing_disabled');

interface FailureRow {
  readonly status: number;
  readonly description: string;
  readonly codes: readonly ErrorCode[];
  readonly headers: Readonly<Record<string, Reference>>;
  /** The message of its examples, if the code's usual message would be wrong. */
  readonly said?: string;
  /** Whether browsers get a page instead. */
  readonly html?: true;
}

const KNOWN = { RateLimit: header('RateLimit'), ...V1_HEADERS };
/** Without a resolved key there is no bucket to report (section 8.1.5). */
const MAYBE_KNOWN = { RateLimit: header('RateLimitIfKnown'), ...V1_HEADERS };
/** A request whose path cannot be decoded takes nothing from any bucket. */
const UNCOUNTED = { ...KEYLESS_HEADERS, RateLimit: header('RateLimitIfKnown') };
const KEYLESS_FAILURE = { 'X-Credits-Charged': header('CreditsCharged') };
const WAIT = { 'Retry-After': header('RetryAfter') };
const MAYBE_WAIT = { 'Retry-After': header('RetryAfterIfKnown') };
const UNLESS_CHARGE_UNKNOWN = { 'X-Credits-Charged': header('CreditsChargedIfKnown'), ...MAYBE_WAIT };

/** Section 7's table of statuses, and the statuses added by later decisions: 413, 414 and 415. */
const FAILURES = {
  BadRequest: {
    status: 400,
    description: 'A parameter, cursor, body, list or query is invalid, or two different keys were sent.',
    codes: ['bad_request'],
    headers: MAYBE_KNOWN,
  },
  Unauthorized: {
    status: 401,
    description: 'The key is missing or invalid. The policy shows the rate limit of a new account.',
    codes: codesWithStatus(401),
    headers: { ...V1_HEADERS, 'WWW-Authenticate': header('WwwAuthenticate') },
  },
  NoCredits: {
    status: 402,
    description: 'The wallet, the spend cap of the key or the budget of the call does not cover a single item.',
    codes: ['no_credits'],
    headers: { ...KNOWN, ...MAYBE_WAIT },
  },
  AccessDenied: {
    status: 403,
    description:
      'The key may not be used for this or from this IP address, the network session has no access to this, or the network has no such list: see `error.reason`.',
    codes: ['access_denied'],
    headers: KNOWN,
  },
  CheckoutDenied: {
    status: 403,
    description:
      'The key was issued to a client for reading only or may not be used from this IP address, or the account is frozen.',
    codes: ['access_denied'],
    headers: KNOWN,
    said: 'This account is frozen and cannot buy credits. Contact the operator first.',
  },
  WatchDenied: {
    status: 403,
    description:
      'The key was issued to a client for reading only, or may not read the list or be used from this IP address.',
    codes: ['access_denied'],
    headers: KNOWN,
    said: 'This key was issued to a client for reading only. For watches, use one of your own keys or the dashboard.',
  },
  SearchDenied: {
    status: 403,
    description:
      'The network denied the search or does not offer this product at the moment, or the key may not be used for searches or from this IP address. `Latest` is always available.',
    codes: codesWithStatus(403),
    headers: KNOWN,
  },
  NotFound: {
    status: 404,
    description: 'The object does not exist or is private, or the path is not percent-encoded correctly.',
    codes: ['not_found'],
    headers: MAYBE_KNOWN,
  },
  BodyTooLarge: {
    status: 413,
    description: 'The body is larger than 64 KiB.',
    codes: ['bad_request'],
    headers: MAYBE_KNOWN,
  },
  UrlTooLong: {
    status: 414,
    description: 'The URL is longer than 8 KiB.',
    codes: ['bad_request'],
    headers: MAYBE_KNOWN,
  },
  BodyEncoded: {
    status: 415,
    description: 'The body has a `Content-Encoding`: compressed bodies are not accepted.',
    codes: ['bad_request'],
    headers: MAYBE_KNOWN,
  },
  RateLimited: {
    status: 429,
    description: 'The rate limit of the account was exceeded, or too many invalid keys were sent from this IP address.',
    codes: ['rate_limited'],
    headers: { ...MAYBE_KNOWN, ...WAIT },
  },
  Internal: { status: 500, description: 'An internal server error.', codes: ['internal'], headers: MAYBE_KNOWN },
  UpstreamFailure: {
    status: 503,
    description: 'The network failed or has rate limited Perch, or Perch is at capacity: see `error.reason`.',
    codes: BUSY,
    headers: { ...MAYBE_KNOWN, ...UNLESS_CHARGE_UNKNOWN },
  },
  Busy: {
    status: 503,
    description: 'Perch is at capacity, or did not finish in time: see `error.reason`.',
    codes: BUSY,
    headers: { ...MAYBE_KNOWN, ...UNLESS_CHARGE_UNKNOWN },
  },
  CheckoutClosed: {
    status: 503,
    description:
      'Card checkout is not available, the payment processor did not respond, or Perch is at capacity. Nothing was charged.',
    codes: codesWithStatus(503),
    headers: { ...MAYBE_KNOWN, ...MAYBE_WAIT },
  },
  KeylessNotFound: {
    status: 404,
    description: 'There is no such page. Browsers get an HTML page that says so.',
    codes: ['not_found'],
    headers: { ...UNCOUNTED, ...KEYLESS_FAILURE },
    html: true,
  },
  KeylessRateLimited: {
    status: 429,
    description: 'More than 10 requests per second from this IP address (policy `public`).',
    codes: ['rate_limited'],
    headers: { ...KEYLESS_HEADERS, ...KEYLESS_FAILURE, ...WAIT },
  },
} as const satisfies Record<string, FailureRow>;

export type FailureName = keyof typeof FAILURES;

/** The named failures as responses of one operation, by status. */
export function failures(names: readonly FailureName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [String(FAILURES[name].status), refTo('responses', name)]));
}

/**
 * The failure for a status of an endpoint; 403 and 503 differ between endpoints. `reads`: it reads from the network.
 */
export function failureName(status: number, operation: string, reads: boolean): FailureName {
  if (status === 403 && operation === 'search') return 'SearchDenied';
  if (status === 403 && operation === 'checkout') return 'CheckoutDenied';
  if (status === 403 && operation.startsWith('watch')) return 'WatchDenied';
  if (status === 503 && operation === 'checkout') return 'CheckoutClosed';
  if (status === 503) return reads ? 'UpstreamFailure' : 'Busy';
  const name = (Object.keys(FAILURES) as FailureName[]).find((candidate) => FAILURES[candidate].status === status);
  if (!name) throw new TypeError(`No failure has the status ${status}.`);
  return name;
}

/** All failures as component responses, each in both media types (section 7). */
export function failureResponses(baseUrl: string, requestId: string): Record<string, ApiResponse> {
  const rows = Object.entries(FAILURES) as [FailureName, FailureRow][];
  return Object.fromEntries(
    rows.map(([name, { status, description, codes, headers, said, html }]) => {
      const of = (body: (code: ErrorCode) => unknown): Record<string, Example> =>
        Object.fromEntries(codes.map((code): [string, Example] => [code, { value: body(code) }]));
      const failure = (code: ErrorCode) => exampleFailure(code, status, said);
      const content = {
        'application/json': {
          schema: refTo('schemas', 'Error'),
          examples: of((code) => errorBody(failure(code), requestId, baseUrl)),
        },
        'application/problem+json': {
          schema: refTo('schemas', 'Problem'),
          examples: of((code) => problemBody(failure(code), requestId, baseUrl)),
        },
        ...(html && { 'text/html': { schema: { type: 'string' as const } } }),
      };
      return [name, { description, headers, content, 'x-codes': codes }];
    }),
  );
}
