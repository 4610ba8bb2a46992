import { CHARGE_UNKNOWN, ERROR_CODES, type ErrorCode, type ServiceError } from '../../src/domain/errors.js';

/** What a model can do about a failure, by its code; where waiting helps, the seconds are added. */
export const ADVICE: Readonly<Record<ErrorCode, string>> = {
  missing_key: 'The connection has no API key: ask the user to sign in or configure one.',
  invalid_key: 'The API key of the connection does not work: ask the user to sign in again or replace it.',
  rate_limited: 'Slow down and use batches: a batch counts as one request.',
  no_credits:
    'Request fewer items, raise `max_credits` if the user agrees, or tell the user that more credits are needed.',
  bad_request: 'Correct the argument named in the message; the same call would fail again.',
  not_found: 'Do not repeat the call. Check the handle or id, or find people and tweets with `search_tweets`.',
  access_denied: 'Do not repeat the call: the network denies access to this. Read something else.',
  product_unavailable: 'Call again with `product: "Latest"`, which is always available.',
  billing_disabled: 'Credits cannot be bought on this server: tell the user.',
  upstream_rate_limited: 'Call again later. While only the network is busy, cached items can still be read.',
  no_account: 'Call again later; cached items can still be read.',
  upstream_error: 'Call again later.',
  request_rejected: 'Call again later, once. If it fails again, tell the user the request id.',
  query_id_stale: 'Call again later.',
  internal: 'Call again once. If it fails again, tell the user the request id.',
};

/** Advice by the failure's reason, where its code alone is not enough. */
const BY_REASON: Readonly<Record<string, string>> = {
  list_not_served: 'Do not repeat the call: this service does not offer this list. Read something else.',
  max_credits: 'One item costs more than `max_credits` allows: raise it if the user agrees.',
  [CHARGE_UNKNOWN]:
    'The call may have been charged: look it up with `get_receipt` and its request id before you repeat it.',
  scope: 'This key may not read that: only the user can change what it may read. Read something else.',
  address_not_allowed: 'This key may not be used from this address: only the user can change that.',
  key_cap: 'This key has reached its spend cap: only the user can raise it.',
};

/** The next step after a failure, in a sentence or two. */
export function adviceOn({ code, detail, retryAfter }: ServiceError): string {
  const advice = BY_REASON[detail.reason ?? ''] ?? ADVICE[code];
  return retryAfter === undefined ? advice : `Wait ${retryAfter} s. ${advice}`;
}

/** All codes with their advice, as a document. */
export const adviceTable = (): string =>
  [
    '# Error codes',
    '',
    'A failed call has `isError` and `structuredContent.error.code`. It is not charged, unless its `reason` is `charge_unknown`.',
    '',
    '| Code | Meaning | What to do |',
    '|---|---|---|',
    ...Object.entries(ERROR_CODES).map(
      ([code, { title }]) => `| \`${code}\` | ${title} | ${ADVICE[code as ErrorCode]} |`,
    ),
    '',
  ].join('\n');
