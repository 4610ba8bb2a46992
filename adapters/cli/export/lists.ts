import { SIZES } from '../../../schema/sizes.js';

/** What one list is read by. */
export interface ListRow {
  /** The path of its endpoint for a subject; null: the subject is the query `q`. */
  readonly path: ((subject: string) => string) | null;
  /** The persisted operation: its fragments are the columns. */
  readonly operation: string;
  readonly of: 'user' | 'tweet' | 'query';
  readonly rows: 'User' | 'Tweet' | 'id';
  /** The most items of a page. */
  readonly most: number;
}

const ofUser = (operation: string, name: string, rows: ListRow['rows'], most: number): ListRow => ({
  path: (user) => `/v1/users/${encodeURIComponent(user)}/${name}`,
  operation,
  of: 'user',
  rows,
  most,
});

const ofTweet = (name: string, rows: ListRow['rows'], most: number): ListRow => ({
  path: (id) => `/v1/tweets/${encodeURIComponent(id)}/${name}`,
  operation: name,
  of: 'tweet',
  rows,
  most,
});

/** Every list read and search, by the name it has on the command line. */
export const LISTS: Readonly<Record<string, ListRow>> = {
  followers: ofUser('followers', 'followers', 'User', SIZES.followers.max),
  following: ofUser('following', 'following', 'User', SIZES.following.max),
  'follower-ids': ofUser('follower-ids', 'followers/ids', 'id', SIZES.followerIds.max),
  tweets: ofUser('user-tweets', 'tweets', 'Tweet', SIZES.timeline.max),
  thread: ofTweet('thread', 'Tweet', SIZES.thread.max),
  replies: ofTweet('replies', 'Tweet', SIZES.replies.max),
  quotes: ofTweet('quotes', 'Tweet', SIZES.quotes.max),
  retweeters: ofTweet('retweeters', 'User', SIZES.retweeters.max),
  search: { path: null, operation: 'search', of: 'query', rows: 'Tweet', most: SIZES.search.max },
};
