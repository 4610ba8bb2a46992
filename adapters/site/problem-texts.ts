import type { ErrorCode } from '../../src/core/errors.js';

/** What a code means, and what its reader can do, in a sentence or two each (H2). */
export const PROBLEM_TEXTS: Readonly<Record<ErrorCode, { means: string; todo: string }>> = {
  missing_key: {
    means: 'The request carried no API key, and this read needs one.',
    todo: 'Send the key in the header x-api-key, or as Authorization: Bearer. Keys never go into the address.',
  },
  invalid_key: {
    means: 'There is no live key like the one sent: it was mistyped, cut off, revoked, or belongs to another service.',
    todo: 'Check that the whole key was sent, or ask whoever runs the service for a new one. GET /v1/me tests a key without cost.',
  },
  rate_limited: {
    means: 'The account, or for keyless pages the address, has sent more requests per second than its limit.',
    todo: 'Wait for Retry-After, then go on. A batch or one GraphQL operation counts as a single request; paying raises the limit.',
  },
  no_credits: {
    means: 'The wallet, the spend cap of the key, or the budget given with the request does not cover a single item.',
    todo: 'Buy a pack, raise the cap or the budget, or ask for items that are held already: they cost half.',
  },
  bad_request: {
    means: 'A parameter, cursor, body, list or query is not what the operation takes. The message names it.',
    todo: 'Correct what the message and error.param name. The same request will fail again.',
  },
  not_found: {
    means:
      'There is no such object, or it is not public. error.reason says private, suspended, deleted or unknown where the network tells.',
    todo: 'Check the handle or id. An unknown address below /v1 is answered with this code too.',
  },
  access_denied: {
    means:
      'The network does not let the current reading session see this list or object, or, as error.reason list_not_served says, has no such list.',
    todo: 'Try later or read something else: other sessions may be allowed to.',
  },
  product_unavailable: {
    means: 'The search product asked for is not served by the network to the current reading session.',
    todo: 'Use the product Latest: it is always available.',
  },
  billing_disabled: {
    means: 'This service does not sell credits by card at the moment.',
    todo: 'Ask whoever runs it for credits. Reading goes on as long as the wallet has some.',
  },
  upstream_rate_limited: {
    means: 'The network has asked Perch to slow down. Your own limit is not touched by this.',
    todo: 'Try again after Retry-After. Items that are held already are still served.',
  },
  no_account: {
    means: 'All of the sessions with which Perch reads the network are resting.',
    todo: 'Try again after Retry-After: that is when the first of them is free.',
  },
  upstream_error: {
    means: 'The network failed, or did not answer in time.',
    todo: 'Try again after Retry-After. The status page tells whether others see it too.',
  },
  request_rejected: {
    means: 'The network turned down the request that Perch made for you, for a reason that you cannot change.',
    todo: 'Try again after Retry-After, and tell us the request_id if it stays.',
  },
  query_id_stale: {
    means: 'The network has changed its interface and Perch is catching up.',
    todo: 'Try again after Retry-After.',
  },
  internal: {
    means: 'Something broke inside Perch. It has been logged under the request_id of the answer.',
    todo: 'Try once more; if it stays, tell us the request_id.',
  },
};
