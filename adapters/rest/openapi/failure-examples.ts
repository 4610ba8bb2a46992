import { type ErrorCode, type ErrorDetail, ServiceError } from '../../../src/core/errors.js';

/** How each code sounds: messages as the service gives them. */
const SAID: Readonly<Record<ErrorCode, readonly [message: string, detail?: ErrorDetail]>> = {
  missing_key: ['A key is needed: send it as x-api-key, or as Authorization: Bearer.'],
  invalid_key: [
    'This is not a key: "perch_live_" and 32 letters and digits. It may be cut off or mistyped.',
    { reason: 'malformed' },
  ],
  rate_limited: ['More than 20 requests a second. Try again in 1 s; nothing was charged.', { retryAfter: 1 }],
  no_credits: [
    'One of the tweets costs 1 here; the wallet holds 0. Add credits: GET /v1/billing/packs lists the packs.',
  ],
  bad_request: ['fresh must be true, false, 1 or 0, not "yes".', { param: 'fresh' }],
  not_found: ['No such user'],
  access_denied: ['The network does not show this list to the current reading session.'],
  product_unavailable: [
    'The network does not serve this product now. Latest is always available.',
    { param: 'product' },
  ],
  billing_disabled: ['Card checkout is not open on this server. Nothing was charged.'],
  upstream_rate_limited: ['The network asks us to wait.'],
  no_account: ['No reading session is free.'],
  upstream_error: ['The network did not answer in time. Nothing was charged.'],
  request_rejected: ['The network refused our request.'],
  query_id_stale: ['The network changed its interface; we are catching up.'],
  internal: ['Something went wrong on our side. Nothing was charged.'],
};

/** A failure with this code, as callers meet it. `status` where it is not the code's own. */
export function exampleFailure(code: ErrorCode, status?: number): ServiceError {
  const [message, detail] = SAID[code];
  return new ServiceError(code, message, { ...detail, ...(status !== undefined && { status }) });
}
