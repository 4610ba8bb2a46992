import { ERROR_CODES, type ErrorCode, type ServiceError } from '../../src/core/errors.js';

/** What a model can do about a failure, by its code; where waiting helps, the seconds are said beside it. */
export const ADVICE: Readonly<Record<ErrorCode, string>> = {
  missing_key: 'The connection has no key: ask the user to sign in or to configure one.',
  invalid_key: 'The key of the connection does not work: ask the user to sign in again or to replace it.',
  rate_limited: 'Call more slowly, and read in batches: a batch is one request.',
  no_credits:
    'Ask for fewer items, raise `max_credits` if the user allows it, or tell the user that credits are needed.',
  bad_request: 'Correct the argument that the message names; the same call fails again.',
  not_found: 'Do not repeat the call: check the handle or id, or look for people and tweets with `search_tweets`.',
  access_denied: 'Do not repeat the call: the network does not show this. Read something else.',
  product_unavailable: 'Call again with `product: "Latest"`, which is always there.',
  billing_disabled: 'Credits are not sold here: tell the user.',
  upstream_rate_limited: 'Call again later; what is held already can still be read.',
  no_account: 'Call again later; what is held already can still be read.',
  upstream_error: 'Call again later.',
  request_rejected: 'Call again later, once. If it fails again, tell the user the request id.',
  query_id_stale: 'Call again later.',
  internal: 'Call again once. If it fails again, tell the user the request id.',
};

/** Where the code alone does not tell. */
const BY_REASON: Readonly<Record<string, string>> = {
  list_not_served: 'Do not repeat the call: this service has no such list of anybody or anything. Read something else.',
  max_credits: 'One item costs more than `max_credits` allows: raise it if the user agrees.',
  key_cap: 'The spend cap of this key is reached: only the user can raise it.',
};

/** The next step after a failure, in a sentence or two. */
export function adviceOn({ code, detail, retryAfter }: ServiceError): string {
  const advice = BY_REASON[detail.reason ?? ''] ?? ADVICE[code];
  return retryAfter === undefined ? advice : `Wait ${retryAfter} s. ${advice}`;
}

/** All codes for reading. */
export const adviceTable = (): string =>
  [
    '# Error codes',
    '',
    'A failed call has `isError` and `structuredContent.error.code`. It is never charged.',
    '',
    '| Code | What | What to do |',
    '|---|---|---|',
    ...Object.entries(ERROR_CODES).map(
      ([code, { title }]) => `| \`${code}\` | ${title} | ${ADVICE[code as ErrorCode]} |`,
    ),
    '',
  ].join('\n');
