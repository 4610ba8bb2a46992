import type { ErrorCode } from '../../../src/domain/errors.js';

/** What each code means, and what the reader can do, in a sentence or two. */
export const PROBLEM_TEXTS: Readonly<Record<ErrorCode, { means: string; todo: string }>> = {
  missing_key: {
    means: 'The request has no API key, and this read requires one.',
    todo: 'Send the key in the header x-api-key, or as Authorization: Bearer. Never put keys in the URL.',
  },
  invalid_key: {
    means:
      'The key is not an active key: it was mistyped, truncated or revoked, has expired, or belongs to another service.',
    todo: 'Check that you sent the whole key, or ask the operator for a new one. GET /v1/me checks a key for free.',
  },
  rate_limited: {
    means: 'The account (or, for keyless pages, the IP address) has exceeded its limit of requests per second.',
    todo: 'Wait for Retry-After, then continue. A batch or a GraphQL operation counts as a single request; paying raises the limit.',
  },
  no_credits: {
    means: 'The wallet, the spend cap of the key, or the budget of the request does not cover a single item.',
    todo: 'Buy credits, or raise the cap or the budget. Cached items cost half, so they may still be affordable.',
  },
  bad_request: {
    means: 'A parameter, cursor, body, list or query is invalid. The message says which one.',
    todo: 'Correct what message and error.param point to. Retrying the same request will fail again.',
  },
  not_found: {
    means:
      'The object does not exist or is not public. error.reason is private, suspended, deleted or unknown, if the network says so.',
    todo: 'Check the handle or id. Unknown paths under /v1 also return this code.',
  },
  access_denied: {
    means:
      'The network does not allow the current network session to read this list or object or, if error.reason is list_not_served, has no such list. A key may be limited to some kinds of reads (scope) or to some IP addresses (address_not_allowed). Checkout is denied to keys issued to a client (read_only) and to frozen accounts (frozen), and /mcp to remote web pages without https (origin).',
    todo: 'Do what the message says. If the network denied it, try later, when another network session may have access, or read something else. The account that owns the key decides what the key may do.',
  },
  product_unavailable: {
    means: 'The network does not offer the requested search product to the current network session.',
    todo: 'Use the product Latest, which is always available.',
  },
  billing_disabled: {
    means: 'This service does not sell credits by card at the moment.',
    todo: 'Ask the operator for credits. You can keep reading as long as the wallet has credits.',
  },
  upstream_rate_limited: {
    means:
      'The network has asked Perch to slow down or, if there is an error.reason, Perch itself is busy: it is at capacity, its queue for the network is too long, your account or IP address has used its share, or (indexing) it is not ready for searches yet after an upgrade.',
    todo: 'Try again after Retry-After. While only the network is busy, cached items are still served.',
  },
  no_account: {
    means: 'All network sessions of Perch are paused.',
    todo: 'Try again after Retry-After, when the first of them is available again.',
  },
  upstream_error: {
    means:
      'The network (or, at checkout, the payment processor) failed or did not respond in time, or the call itself took too long. With the reason unreadable, the network sent the object in a form that Perch cannot read.',
    todo: 'Try again after Retry-After. If that header is missing, the reason says why: unreadable means that the object cannot be read; charge_unknown means that the call may have been charged, so look up GET /v1/usage/{request_id} before you repeat it. The status page shows whether the network is having problems.',
  },
  request_rejected: {
    means: 'The network rejected the request that Perch made on your behalf, for a reason you cannot change.',
    todo: 'Try again after Retry-After. If it keeps happening, send us the request_id.',
  },
  query_id_stale: {
    means: 'The network has changed its API, and Perch needs an update.',
    todo: 'Try again after Retry-After.',
  },
  internal: {
    means: 'Something went wrong inside Perch. It has been logged with the request_id of the response.',
    todo: 'Try again once. If it keeps happening, send us the request_id.',
  },
};
