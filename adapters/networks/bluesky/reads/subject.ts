import { ServiceError } from '../../../../src/core/errors.js';

/** Also for an account that has opted out of being shown. */
export const noUser = (): ServiceError => new ServiceError('not_found', 'No such user on Bluesky.');
export const noTweet = (): ServiceError => new ServiceError('not_found', 'No such tweet on Bluesky.');
