import type { Query } from '../../search/query.js';

/** A place in an order: a time or a rank (`computeRank`), in Unix milliseconds, and the id of the tweet that has it. */
export interface IndexPosition {
  readonly value: number;
  readonly id: string;
}

export interface TweetSearch {
  readonly query: Query;
  /** The greatest first; of equal ones the greater id. */
  readonly order: 'time' | 'rank';
  /** Only what comes after it; null: from the beginning. */
  readonly after: IndexPosition | null;
  readonly limit: number;
}

/**
 * What finds tweets: an inverted index over the tokens and marks of each tweet (vector.ts), as its row is imported. The one
 * implementation is in Postgres. docs/search-engines.md says what another one has to do, and
 * `test/networks/tweet-index/tweet-index.suite.ts` shows whether it does.
 */
export interface TweetIndex {
  /**
   * The first tweets that match, as their places, each once. A tweet is not found if its author is protected (T8), or a later
   * version of it is there (T29).
   */
  find(search: TweetSearch, signal: AbortSignal): Promise<readonly IndexPosition[]>;
}
