import type { Tweet, User } from '../../../src/core/model.js';

/** A profile as a file gives it: what the network fills in when it is not there (T17) may be missing. */
export type CorpusUser = Omit<User, 'followersCount' | 'followingCount' | 'tweetsCount' | 'createdAt'> &
  Partial<Pick<User, 'followersCount' | 'followingCount' | 'tweetsCount' | 'createdAt'>>;

/** What every reader of a file, and the demo network, yields; the loader copies it into the corpus tables. */
export type CorpusRow =
  | { readonly kind: 'user'; readonly user: CorpusUser }
  | { readonly kind: 'tweet'; readonly tweet: Tweet }
  | { readonly kind: 'follow'; readonly followerId: string; readonly followedId: string };
