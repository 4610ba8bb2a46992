import type { ErrorCode, ServiceError } from '../domain/errors.js';

const PASSING: ReadonlySet<ErrorCode> = new Set([
  'rate_limited',
  'upstream_rate_limited',
  'no_account',
  'upstream_error',
  'request_rejected',
  'query_id_stale',
  'internal',
]);

/** Whether a failure is temporary, so that the stream continues. Any other failure ends it. */
export const isPassing = (code: ErrorCode): boolean => PASSING.has(code);

const OWN_CODES: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'invalid_key', 'no_credits', 'bad_request']);

/** Reasons of other codes: what the key may not read, and shares of the process that the caller has used up. */
const OWN_REASONS: ReadonlySet<string> = new Set([
  'scope',
  'account_busy',
  'address_busy',
  'processor',
  'queue_share',
  'settling',
]);

/** Whether a call was refused because of its caller alone. That says nothing about the list or its network. */
export const isOwn = ({ code, detail: { reason } }: ServiceError): boolean =>
  OWN_CODES.has(code) || (reason !== undefined && OWN_REASONS.has(reason));
