import type { Tweet } from '../../../../src/domain/model.js';

/** The fields of a tweet that decide its place in Top; counters as a file or the database has them. */
export type RankedTweet = Readonly<
  Pick<Tweet, 'createdAt' | 'isRetweet' | 'retweetedId'> &
    Partial<Record<'likesCount' | 'retweetsCount' | 'quotesCount' | 'repliesCount', number | string | undefined>>
>;

const YEAR_MS = 365 * 24 * 3600 * 1000;
/** Before every time that a tweet can have. */
const LAST_MS = -100_000 * YEAR_MS;

/**
 * The value that Top sorts by, the greatest first: the tweet's time in Unix milliseconds, plus a year for each tenfold of
 * its engagement, which is likes + 2 × retweets + 2 × quotes + replies. So engagement decides among tweets of a few days,
 * while over the years of an archive a great old tweet stands beside a small new one. It depends on the tweet alone, so
 * places don't shift while a reader pages through them. A retweet carries the counters of its original and has none of its
 * own, so it comes last.
 */
export function computeRank(tweet: RankedTweet): number {
  const time = Date.parse(tweet.createdAt);
  if (tweet.isRetweet ?? tweet.retweetedId !== undefined) return LAST_MS + time;
  const counted = (value: number | string | undefined): number => Number(value ?? 0);
  const engagement =
    counted(tweet.likesCount) +
    2 * counted(tweet.retweetsCount) +
    2 * counted(tweet.quotesCount) +
    counted(tweet.repliesCount);
  return Math.round(time + YEAR_MS * Math.log10(1 + engagement));
}
