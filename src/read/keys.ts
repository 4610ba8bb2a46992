import { createHash } from 'node:crypto';
import { handleKey, isInvalidHandle } from '../domain/ids.js';
import type { ListRef } from '../domain/lists.js';
import type { Tweet, User, UserRef } from '../domain/model.js';

/** Cache keys. The keys of one list share a hash tag, which puts them in one slot of a cluster. */
export const userKey = (ref: UserRef): string => ('id' in ref ? `user:${ref.id}` : `handle:${handleKey(ref.handle)}`);

/** Whether it is the key of a handle, which can pass to another account. */
export const isHandleKey = (key: string): boolean => key.startsWith('handle:');

export const tweetKey = (id: string): string => `tweet:${id}`;

/** The name of an account's posts and of its lists, which are withdrawn when only its profile is public (M33). */
export const postsKey = (userId: string): string => `by:${userId}`;

/**
 * The names under which a tombstone may exist for an item of a page: first its own; for a tweet also those of its
 * author, and of the author of the tweet that it retweets.
 */
export function namesOfItem(item: User | Tweet): string[] {
  if (!('text' in item)) return namesOfUser(item);
  const { id, authorId, author, retweetedAuthorId } = item;
  const names = [tweetKey(id), postsKey(authorId)];
  if (author) names.push(...namesOfUser(author));
  if (retweetedAuthorId !== undefined) names.push(postsKey(retweetedAuthorId));
  return names;
}

/**
 * The cache keys of a user, the id first. The placeholder handle for unresolved accounts is not one of them, nor is a
 * handle that another account has taken.
 */
export const namesOfUser = (user: User): string[] =>
  user.lostHandle || isInvalidHandle(user.handle) ? [userKey(user)] : [userKey(user), userKey({ handle: user.handle })];

export const absentKey = (key: string): string => `absent:${key}`;

/** A short name for a list. Cursors are bound to it. */
export const listHash = (list: ListRef): string =>
  createHash('sha256')
    .update(`${list.kind}\n${list.product ?? ''}\n${list.subject}`)
    .digest('base64url')
    .slice(0, 16);

/**
 * The cache key of a page. `place` is its key in the list: `''` for the newest first page, `@…` for a first page kept
 * for its chain, otherwise the network's token.
 */
export const pageKey = (list: string, place: string): string => `page:{${list}}:${place}`;
