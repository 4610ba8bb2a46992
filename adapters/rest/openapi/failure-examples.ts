import { type ErrorCode, type ErrorDetail, ServiceError } from '../../../src/core/errors.js';

/** How each code sounds: messages as the service gives them. */
const SAID: Readonly<Record<ErrorCode, readonly [message: string, detail?: ErrorDetail]>> = {
  missing_key: ['An API key is required: send it as x-api-key or Authorization: Bearer.'],
  invalid_key: [
    'Malformed key: a key is "perch_live_" followed by 32 letters and digits. It may be truncated or mistyped.',
    { reason: 'malformed' },
  ],
  rate_limited: ['More than 20 requests per second. Try again in 1 s; nothing was charged.', { retryAfter: 1 }],
  no_credits: [
    'This read costs 1 credit per tweet; the wallet holds 0 credits. Add credits: GET /v1/billing/packs lists the packs.',
  ],
  bad_request: ['fresh must be true, false, 1 or 0, not "yes".', { param: 'fresh' }],
  not_found: ['No such user'],
  access_denied: ['The network does not show this list to the current session.'],
  product_unavailable: [
    'The network does not offer this product at the moment. Latest is always available.',
    { param: 'product' },
  ],
  billing_disabled: ['Card checkout is not available on this server. Nothing was charged.'],
  upstream_rate_limited: ['The network has rate limited Perch. Nothing was charged.'],
  no_account: ['No network session is available.'],
  upstream_error: ['The network did not respond in time. Nothing was charged.'],
  request_rejected: ['The network rejected our request.'],
  query_id_stale: ['The network changed its API, and Perch needs an update.'],
  internal: ['Something went wrong on our side. Nothing was charged.'],
};

/** A failure with this code, as callers meet it. `status` where it is not the code's own. */
export function exampleFailure(code: ErrorCode, status?: number): ServiceError {
  const [message, detail] = SAID[code];
  return new ServiceError(code, message, { ...detail, ...(status !== undefined && { status }) });
}
