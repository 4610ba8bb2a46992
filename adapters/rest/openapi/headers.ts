import { refTo } from './schema-text.js';
import type { Header, Reference } from './types.js';

const RATE_LIMIT = {
  description: 'The state of the rate limit. `reset` is the number of seconds until it is full again.',
  schema: { type: 'string', pattern: '^limit=[0-9]+, remaining=[0-9]+, reset=[0-9]+$' },
  example: 'limit=20, remaining=19, reset=1',
} as const;

const HTTP_DATE = { type: 'string' } as const;

/** Every response header (section 8.1.5, 9.3; H8, H9). */
export const HEADERS: Readonly<Record<string, Header>> = {
  RateLimit: { ...RATE_LIMIT, required: true },
  RateLimitIfKnown: {
    ...RATE_LIMIT,
    description: `${RATE_LIMIT.description} Present if the request was counted; a request with a key is counted only if the key is valid.`,
  },
  RateLimitPolicy: {
    description: 'The policy in effect, `account` or, without a key, `public`: `q` requests in `w` seconds.',
    required: true,
    schema: { type: 'string', pattern: '^[a-z]+; q=[0-9]+; w=[0-9]+$' },
    example: 'account; q=20; w=1',
  },
  RetryAfter: {
    description: 'Whole seconds to wait.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  },
  RetryAfterIfKnown: {
    description: 'Whole seconds to wait, if waiting helps.',
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  },
  RequestId: {
    description: 'The same as `request_id` in the body.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  CreditsCharged: {
    description: 'The same as `credits_charged` in the body.',
    required: true,
    schema: { type: 'number' },
  },
  CreditsChargedIfKnown: {
    description: 'The same as `credits_charged` in the body; absent if `error.reason` is `charge_unknown`.',
    schema: { type: 'number' },
  },
  CreditsRemaining: {
    description: 'The same as `balance_remaining` in the body.',
    required: true,
    schema: { type: 'number' },
  },
  Age: {
    description: 'Seconds since the oldest part of the response was read from the network.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
  },
  ServerTiming: {
    description:
      'Milliseconds spent in the upstream queue (`queue`), reading from the network (`upstream`), and in total (`total`). Present if the key is valid; the first two only if something was read.',
    schema: { type: 'string' },
    example: 'queue;dur=84, upstream;dur=51.2, total;dur=137',
  },
  WwwAuthenticate: {
    description: 'How to authenticate (RFC 6750, RFC 9728).',
    schema: { type: 'string' },
    example: 'Bearer scope="read"',
  },
  Deprecation: { description: 'Only if this version is deprecated: since when.', schema: HTTP_DATE },
  Sunset: { description: 'Only if this version is deprecated: when it may stop responding.', schema: HTTP_DATE },
  DeprecationLink: {
    description: 'Only if this version is deprecated: what changed and how to migrate (`rel=deprecation`).',
    schema: { type: 'string' },
  },
  Location: { description: 'URL of the human-readable page.', required: true, schema: { type: 'string' } },
  ETag: { description: 'For `If-None-Match`.', required: true, schema: { type: 'string' } },
};

const header = (name: string): Reference => refTo('headers', name);

/** The headers of every answer below `/v1` (sections 8.1.5 and 9.3). */
export const V1_HEADERS = {
  'RateLimit-Policy': header('RateLimitPolicy'),
  'X-Request-Id': header('RequestId'),
  'X-Credits-Charged': header('CreditsCharged'),
  'Server-Timing': header('ServerTiming'),
  Deprecation: header('Deprecation'),
  Sunset: header('Sunset'),
  Link: header('DeprecationLink'),
} as const;

export const ANSWER_HEADERS = {
  RateLimit: header('RateLimit'),
  ...V1_HEADERS,
  'X-Credits-Remaining': header('CreditsRemaining'),
} as const;

/** The headers of paid answers, which also state how old the data is. */
export const READ_HEADERS = { ...ANSWER_HEADERS, Age: header('Age') } as const;

export const KEYLESS_HEADERS = {
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimitPolicy'),
  'X-Request-Id': header('RequestId'),
} as const;

export { header };
