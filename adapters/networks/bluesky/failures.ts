import { ServiceError } from '../../../src/domain/errors.js';
import type { Product } from '../../../src/domain/model.js';
import { sentence } from '../../../src/lib/text.js';
import { failure } from '../upstream/failures.js';
import type { UpstreamRefusal } from '../upstream/refusal.js';
import { errorBody } from './schemas.js';

/** Credentials that do not work are not retried for this long (seconds). */
export const BAD_CREDENTIALS_S = 900;

const absent = (refusal: UpstreamRefusal, reason?: string): ServiceError =>
  failure('not_found', 'No such object on Bluesky.', refusal, reason === undefined ? {} : { reason });

const blocked = (refusal: UpstreamRefusal): ServiceError =>
  failure('access_denied', 'Bluesky does not show this to our account.', refusal, { reason: 'session' });

/** The failure for a refusal with status 400, by the name of its error. */
const NAMES: Readonly<Record<string, (refusal: UpstreamRefusal) => ServiceError>> = {
  AccountDeactivated: (refusal) => absent(refusal, 'deactivated'),
  AccountTakedown: (refusal) => absent(refusal, 'suspended'),
  NotFound: (refusal) => absent(refusal),
  RecordNotFound: (refusal) => absent(refusal),
  BlockedActor: blocked,
  BlockedByActor: blocked,
  ExpiredToken: (refusal) => failure('no_account', 'The session has expired.', refusal),
  InvalidToken: (refusal) => noAccount(refusal),
};

/** These have the generic name, so only their text identifies them. */
const ABSENT = /^(profile|actor|post|could not (find|locate))\b.*\bnot found\b|^could not (find|locate)\b/i;

export const noAccount = (refusal: UpstreamRefusal, retryAfter = BAD_CREDENTIALS_S): ServiceError =>
  failure('no_account', 'Bluesky rejected our credentials.', refusal, { retryAfter });

/** The failure for a refusal of an XRPC method; undefined where the status says everything. */
export function xrpcFailure(refusal: UpstreamRefusal): ServiceError | undefined {
  const { status, json } = refusal;
  const { error = '', message = '' } = errorBody.safeParse(json).data ?? {};
  if (status === 403) return failure('upstream_error', 'Bluesky is refusing our requests for now.', refusal);
  // Methods are routes: a missing object has status 400.
  if (status === 404) return failure('query_id_stale', 'Bluesky no longer offers this read.', refusal);
  if (status !== 400) return undefined;
  if (error === 'InvalidRequest' && ABSENT.test(message)) return absent(refusal);
  return NAMES[error]?.(refusal);
}

export const SWITCH_ON =
  'set BLUESKY_IDENTIFIER and BLUESKY_APP_PASSWORD (an app password of any free Bluesky account) to enable it';

/** A search that is not available with these credentials. */
export function notServed(product: Product, cause?: unknown): ServiceError {
  const message = `Bluesky requires an account to search tweets; the operator of this service can ${SWITCH_ON}. Nothing was charged.`;
  const detail = { reason: 'session', cause };
  return product === 'Latest'
    ? new ServiceError('access_denied', message, detail)
    : new ServiceError('product_unavailable', message, detail);
}

/** The same for searches, where a 403 may have any body, and the query may be at fault. */
export const searchFailure =
  (product: Product) =>
  (refusal: UpstreamRefusal): ServiceError | undefined => {
    const { error, message } = errorBody.safeParse(refusal.json).data ?? {};
    if (refusal.status === 403) return notServed(product, new Error(refusal.text));
    if (refusal.status === 400 && error === 'BadQueryString') {
      const cause = new Error(refusal.text);
      return new ServiceError('bad_request', `Bluesky rejected this query: ${sentence(message ?? '')}`, {
        param: 'q',
        cause,
      });
    }
    if (refusal.status === 400 && /^search v2 is not enabled/i.test(message ?? '')) {
      return failure('query_id_stale', 'Bluesky does not offer this search.', refusal);
    }
    return xrpcFailure(refusal);
  };

/** The account is only for searches: without one, other reads work too, and return the same for everyone. */
export const notReadByAccount = (): ServiceError =>
  new ServiceError('access_denied', 'This read does not use an account.', { reason: 'session' });
