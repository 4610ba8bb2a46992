import { ServiceError, unreadableObject } from '../../../src/domain/errors.js';
import { retryAfterSeconds } from './rate-headers.js';
import type { UpstreamRefusal } from './refusal.js';

const causeAt = (path: string, what: string): Error => new Error(`${path.split('?')[0]}: ${what}`);

/** For an answer that is not JSON. The details are for the log, not for callers. */
export const notJson = (path: string, text: string): ServiceError =>
  new ServiceError('upstream_error', 'The response from the network could not be read.', {
    cause: causeAt(path, `not JSON: ${text.slice(0, 200)}`),
  });

/** For JSON that does not have the form of the requested object. */
export const unreadable = (path: string, what: string): ServiceError => unreadableObject(causeAt(path, what));

/** The upstream's own message, for the log. */
const toCause = ({ status, text }: UpstreamRefusal): Error => new Error(`HTTP ${status}: ${text}`);

export function failure(
  code: ConstructorParameters<typeof ServiceError>[0],
  message: string,
  refusal: UpstreamRefusal,
  detail: { reason?: string; retryAfter?: number } = {},
): ServiceError {
  return new ServiceError(code, message, { ...detail, cause: toCause(refusal) });
}

/** For a network that responds with a fault of its own or a redirect instead of an answer. */
export const NO_ANSWER = 'The network failed to answer the request.';

/** The error for a status without a meaning specific to the network. */
export function defaultFailure(refusal: UpstreamRefusal): ServiceError {
  const { status, headers, limit } = refusal;
  if (status === 429) {
    const seconds = retryAfterSeconds(headers) ?? limit?.resetsInSeconds;
    // A time that has already passed by this clock does not mean that reads may continue at once.
    const detail = seconds === undefined ? {} : { retryAfter: Math.max(1, seconds) };
    return failure(
      'upstream_rate_limited',
      'The network has rate limited Perch. Nothing was charged.',
      refusal,
      detail,
    );
  }
  if (status === 401) {
    return failure('no_account', 'The network rejected our credentials.', refusal, { retryAfter: 900 });
  }
  if (status === 403) {
    return failure('access_denied', 'Our network session has no access to this.', refusal, { reason: 'session' });
  }
  if (status === 404 || status === 410) return failure('not_found', 'No such object.', refusal);
  if (status === 501) return failure('query_id_stale', 'The network no longer offers this read.', refusal);
  if (status >= 500 || status < 400) return failure('upstream_error', NO_ANSWER, refusal);
  return failure('request_rejected', 'The network rejected our request.', refusal);
}
