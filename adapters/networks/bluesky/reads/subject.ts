import { ServiceError } from '../../../../src/core/errors.js';

/** Somebody who has opted out of being shown is nobody, too. */
export const noUser = (): ServiceError => new ServiceError('not_found', 'No such user on Bluesky.');
export const noTweet = (): ServiceError => new ServiceError('not_found', 'No such tweet on Bluesky.');
