import type { Query } from '../../search/query.js';

/** A place in an order: a time or a rank (`computeRank`), in Unix milliseconds, and the id of the tweet that has it. */
export interface IndexPosition {
  readonly value: number;
  readonly id: string;
}

export interface TweetSearch {
  readonly query: Query;
  /** The greatest first; among equals, the greater id first. */
  readonly order: 'time' | 'rank';
  /** Only tweets after this position; null starts at the beginning. */
  readonly after: IndexPosition | null;
  readonly limit: number;
}

/**
 * Finds tweets: an inverted index over the tokens and marks that each tweet gets when its row is imported (vector.ts). The
 * only implementation is in Postgres. docs/search-engines.md says what another one has to do, and
 * `test/networks/tweet-index/tweet-index.suite.ts` shows whether it does.
 */
export interface TweetIndex {
  /**
   * Returns the positions of the first tweets that match, each once. A tweet is not found if its author is protected, or if
   * a later version of it is there.
   */
  find(search: TweetSearch, signal: AbortSignal): Promise<readonly IndexPosition[]>;
}
