import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import type { Impossible } from '../../../src/ports/network.js';

const EPOCH_MS = 1288834974657;
const FIRST_WITH_TIME = 29700859247n;

/** The day of the first post. */
export const FIRST_POST_MS = Date.UTC(2006, 2, 21);

/** Ids have 63 bits. */
const GREATEST_ID = 9223372036854775807n;

/** What X accepts as an id or a handle; an invalid one makes it refuse the whole request. */
export const isXId = (text: string): boolean => /^[0-9]{1,19}$/.test(text) && BigInt(text) <= GREATEST_ID;
export const isXHandle = (text: string): boolean => /^[A-Za-z0-9_]{1,15}$/.test(text);

/** Nothing can refer to a post before this time (Unix milliseconds): when it was written, as far as its id says so. */
export function timeOfId(id: string): number {
  const number = BigInt(id);
  return number < FIRST_WITH_TIME ? FIRST_POST_MS : Number(number >> 22n) + EPOCH_MS;
}

export const noUser = (): ServiceError => new ServiceError('not_found', 'No such user.');
export const noTweet = (): ServiceError => new ServiceError('not_found', 'No such tweet.');

const badId = (id: string): ServiceError | undefined =>
  isXId(id) ? undefined : badRequest(`An id on X is 1 to 19 digits, at most ${GREATEST_ID}.`);

export const IMPOSSIBLE: Impossible = {
  user(ref) {
    if ('id' in ref) return badId(ref.id);
    return isXHandle(ref.handle) ? undefined : badRequest('A handle on X is 1 to 15 letters, digits and _.');
  },
  tweet: badId,
};
