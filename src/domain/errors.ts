import type { Soon } from '../lib/soon.js';
import { truncated } from '../lib/text.js';

/** The failure for a position that the network cannot read. Perch signed it, so it comes from another network. */
export const foreignCursor = (): ServiceError =>
  new ServiceError('bad_request', 'This cursor belongs to a different network. Start again without a cursor.', {
    param: 'cursor',
    reason: 'cursor_other_list',
  });

/** The failure for a text that is no cursor of Perch; `source`: where the right one is found. */
export const malformedCursor = (
  param: 'cursor' | 'since' = 'cursor',
  source = 'the next_cursor of the previous page',
): ServiceError =>
  new ServiceError('bad_request', `Invalid ${param}. Send ${source} unchanged, or leave it out.`, {
    param,
    reason: 'cursor_malformed',
  });

/** The failure for a cursor whose place can no longer be found; `why` is a sentence without its period (U24). */
export const expiredCursor = (why: string, param: 'cursor' | 'since' = 'cursor'): ServiceError =>
  new ServiceError('bad_request', `${why}. Start again without ${param === 'cursor' ? 'a cursor' : 'since'}.`, {
    param,
    reason: 'cursor_expired',
  });

/** It is unknown whether a charge was posted, or still may be, so the call must not be reported as free. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';
}

/** All error codes (section 7): HTTP status, default Retry-After in seconds, fixed title (H2, S1–S6). */
export const ERROR_CODES = {
  missing_key: { status: 401, title: 'API key required' },
  invalid_key: { status: 401, title: 'Invalid API key' },
  rate_limited: { status: 429, title: 'Too many requests', retryAfter: 1 },
  no_credits: { status: 402, title: 'Not enough credits' },
  bad_request: { status: 400, title: 'Invalid request' },
  not_found: { status: 404, title: 'Not found' },
  access_denied: { status: 403, title: 'Access denied' },
  product_unavailable: { status: 403, title: 'Search product unavailable' },
  billing_disabled: { status: 503, title: 'Card checkout is not available' },
  upstream_rate_limited: { status: 503, title: 'The network or Perch is busy', retryAfter: 5 },
  no_account: { status: 503, title: 'No network session available', retryAfter: 60 },
  upstream_error: { status: 503, title: 'Upstream failure or timeout', retryAfter: 2 },
  request_rejected: { status: 503, title: 'The network rejected our request', retryAfter: 30 },
  query_id_stale: { status: 503, title: 'The network changed its API', retryAfter: 60 },
  internal: { status: 500, title: 'Internal server error' },
} as const satisfies Record<string, { status: number; title: string; retryAfter?: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A place in a text, to be shown. */
export interface Place {
  /** The text, or a part of it around the place: at most `MOST_AROUND` characters, on one line. */
  readonly text: string;
  /** The number of the character in `text`, from 1; one more than its length for its end. */
  readonly position: number;
}

export interface ErrorDetail {
  /** Why, in one machine-readable word: `private`, `suspended`, `max_credits`, … (U35). */
  reason?: string;
  /** The parameter at fault (S10). */
  param?: string;
  /** Where in that parameter the fault is, if it is a text with a grammar of its own. */
  place?: Place;
  /** Seconds until another attempt makes sense (S3). */
  retryAfter?: number;
  /** An HTTP status other than the code's own: 405, 413, 414, 415, 422, 431 (S9, P13, G6). */
  status?: number;
  /** Set by a network: only an auxiliary call of the read was refused, so reads of its kind continue. Not shown. */
  isBeside?: boolean;
  /** Set by a network: the whole account is protected or suspended, not only the object or list. Not shown. */
  isOfAccount?: boolean;
  /** The underlying error: logged, never shown. */
  cause?: unknown;
}

/** The reason of a failure after which it is not known whether the call was charged. */
export const CHARGE_UNKNOWN = 'charge_unknown';

/** Longest message, in characters. Quoted text of a request is cut when it is quoted, the whole message here. */
const MOST_MESSAGE = 2000;

/**
 * A failure that is reported to the caller. Its message is public; the messages of other errors never leave the
 * process. Message and parameter may quote what the caller sent, so both are bounded: no refusal is larger than 3 KB.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly detail: ErrorDetail;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(truncated(message, MOST_MESSAGE), { cause: detail.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.detail = detail.param === undefined ? detail : { ...detail, param: truncated(detail.param) };
  }

  get status(): number {
    return this.detail.status ?? ERROR_CODES[this.code].status;
  }

  /**
   * Whether the call may have been charged although it failed. If so, the refusal must state neither a charge of 0 nor
   * a time to retry, because clients would repeat the call and pay twice (M36).
   */
  get isChargeUnknown(): boolean {
    return this.detail.reason === CHARGE_UNKNOWN;
  }

  /** Whole seconds, at least 1, or undefined if waiting does not help (S11). */
  get retryAfter(): number | undefined {
    if (isUnreadable(this) || this.isChargeUnknown) return undefined;
    const row: { status: number; retryAfter?: number } = ERROR_CODES[this.code];
    const seconds = this.detail.retryAfter ?? row.retryAfter;
    return seconds === undefined ? undefined : Math.max(1, Math.ceil(seconds));
  }
}

const UNREADABLE = 'unreadable';

/**
 * The network answered, but the object in its answer could not be read (S20). Another attempt will not help, and other
 * reads are not affected.
 */
export const unreadableObject = (cause: unknown): ServiceError =>
  new ServiceError('upstream_error', 'The network sent this in a form that could not be read.', {
    reason: UNREADABLE,
    cause,
  });

export const isUnreadable = ({ code, detail }: ServiceError): boolean =>
  code === 'upstream_error' && detail.reason === UNREADABLE;

export const badRequest = (message: string, param?: string): ServiceError =>
  new ServiceError('bad_request', message, param === undefined ? {} : { param });

/** A failure as plain JSON without its cause, to be sent to other nodes. */
export interface PlainFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly detail: Omit<ErrorDetail, 'cause'>;
}

export function plainFailure({ code, message, detail: { cause: _, ...detail } }: ServiceError): PlainFailure {
  return { code, message, detail };
}

export const fromPlain = ({ code, message, detail }: PlainFailure): ServiceError =>
  new ServiceError(code, message, detail);

/** Any thrown value as a ServiceError: what is not one becomes `internal`, without its text. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('internal', 'Something went wrong on our side. Nothing was charged.', { cause: error });
}

/** The codes that a batch may report for an input (section 2); all others are replaced by `upstream_error` (X6). */
const BATCH_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not_found',
  'no_credits',
  'access_denied',
  'upstream_rate_limited',
  'no_account',
  'upstream_error',
  'request_rejected',
  'bad_request',
]);

export const batchCode = (code: ErrorCode): ErrorCode => (BATCH_CODES.has(code) ? code : 'upstream_error');

interface Decision {
  readonly allowed: boolean;
  readonly retryAfterSeconds: number;
}

/** A rate limiter, by its shape. */
interface Limiter {
  take(bucket: string, limit: number, windowSeconds: number): Soon<Decision>;
}

interface Refusal {
  readonly message: string | ((retryAfterSeconds: number) => string);
  readonly param?: string;
}

/** Takes one of so many in a window, or throws `rate_limited`. */
export async function takeOrThrow(
  limiter: Limiter,
  [bucket, limit, windowSeconds]: readonly [bucket: string, limit: number, windowSeconds: number],
  { message, param }: Refusal,
): Promise<void> {
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take(bucket, limit, windowSeconds);
  if (allowed) return;
  const text = typeof message === 'string' ? message : message(retryAfter);
  throw new ServiceError('rate_limited', text, { ...(param !== undefined && { param }), retryAfter });
}
