import type { Tweet } from '../../../src/domain/model.js';

/**
 * A tweet's counter that searches can ask for. Its name is also its column in the corpus, and the kind of its marks in
 * the text index. Mastodon has no such operators.
 */
interface CounterRow {
  /** As in `min_faves:10`. */
  readonly operator: string;
  readonly field: CounterField;
  /** Whether Bluesky's posts have it. It cannot be searched for there, so it is checked on the posts that are found. */
  readonly isOnBluesky: boolean;
  /** X's own operator; null: X cannot search for it. */
  readonly onX: string | null;
}

export type CounterField = Extract<keyof Tweet, `${string}Count`>;

const ROWS = {
  likes: { operator: 'min_faves', field: 'likesCount', isOnBluesky: true, onX: 'min_likes' },
  retweets: { operator: 'min_retweets', field: 'retweetsCount', isOnBluesky: true, onX: 'min_reposts' },
  replies: { operator: 'min_replies', field: 'repliesCount', isOnBluesky: true, onX: 'min_replies' },
} satisfies Record<string, CounterRow>;

export type Counter = keyof typeof ROWS;

export const COUNTERS: Readonly<Record<Counter, CounterRow>> = ROWS;

export const COUNTER_NAMES = Object.keys(ROWS) as Counter[];
