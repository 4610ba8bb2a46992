import { badRequest, ServiceError } from '../../../../src/domain/errors.js';

/** Also for an account that has opted out of being shown. */
export const noUser = (): ServiceError => new ServiceError('not_found', 'No such user on Bluesky.');
export const noTweet = (): ServiceError => new ServiceError('not_found', 'No such tweet on Bluesky.');

/** What Bluesky's grammar cannot have, or no account or post of it turns into (I13). */
export const badHandle = (): ServiceError =>
  badRequest('A handle on Bluesky is a domain name, such as name.bsky.social.');
export const badId = (): ServiceError =>
  badRequest('No account or post of Bluesky has such an id: use one from an answer of this service.');
