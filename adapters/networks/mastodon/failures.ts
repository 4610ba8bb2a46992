import { ServiceError } from '../../../src/domain/errors.js';
import { failure, NO_ANSWER } from '../upstream/failures.js';
import type { UpstreamRefusal } from '../upstream/refusal.js';

export const notFound = (message = 'No such object.', reason?: string): ServiceError =>
  new ServiceError('not_found', message, reason === undefined ? {} : { reason });

/** These credentials may not read this kind; others may. */
export const needsToken = (what: string): ServiceError =>
  new ServiceError('access_denied', `${what} requires a user token of this server.`, { reason: 'session' });

/** The failure for a refusal that means something else on this network than usual. */
export function mastodonFailure(refusal: UpstreamRefusal): ServiceError | undefined {
  const { status, json } = refusal;
  const said = errorText(json);
  if (status === 422 && said !== undefined && /authenticated user/i.test(said)) return refused(refusal);
  // The server itself answers in JSON; anything else is from a proxy in front of it.
  if (status === 403 && said === undefined) return failure('upstream_error', NO_ANSWER, refusal);
  if ((status === 404 || status === 410) && said === undefined) {
    return failure('query_id_stale', 'The network no longer offers this read.', refusal);
  }
  return undefined;
}

export const refused = (refusal: UpstreamRefusal): ServiceError =>
  failure('access_denied', 'Our network session has no access to this.', refusal, { reason: 'session' });

function errorText(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null || !('error' in json)) return undefined;
  return typeof json.error === 'string' ? json.error : undefined;
}
