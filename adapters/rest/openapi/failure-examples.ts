import { type ErrorCode, type ErrorDetail, ServiceError } from '../../../src/domain/errors.js';

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
  not_found: ['No such user'],
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

/** A failure with this code as callers see it. `status` and `said` override those of the code. */
export function exampleFailure(code: ErrorCode, status?: number, said?: string): ServiceError {
  const [message, detail] = SAID[code];
  return new ServiceError(code, said ?? message, { ...detail, ...(status !== undefined && { status }) });
}
