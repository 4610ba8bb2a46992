import type { Tweet, User } from '../../../src/domain/model.js';

/** A profile as a file contains it: fields that the network fills in may be missing. */
export type CorpusUser = Omit<User, 'createdAt'> & Partial<Pick<User, 'createdAt'>>;

/** A tweet as a file contains it. */
export type CorpusTweet = Tweet & {
  /** The ids of an edited tweet's earlier versions, which lists leave out. */
  readonly earlierIds?: readonly string[];
};

/** The type of row from every file reader, and from the demo network; the loader copies it into the corpus tables. */
export type CorpusRow =
  | { readonly kind: 'user'; readonly user: CorpusUser }
  | { readonly kind: 'tweet'; readonly tweet: CorpusTweet }
  | { readonly kind: 'follow'; readonly followerId: string; readonly followedId: string };
