/**
 * An invented coast of 2,000 accounts and 30,000 tweets. Always true: the same seed and time give the same rows;
 * accounts, handles, follows and the ids in `entry-points.ts` don't depend on the time; every tweet refers only to
 * older ones; the counters agree with the rows. Nobody in it is real, and every address is under a reserved name.
 */

import type { CorpusRow } from '../adapters/networks/corpus/rows.js';
import type { Tweet } from '../src/domain/model.js';
import { type DemoAccount, toUser } from './account.js';
import { makeAccounts } from './accounts.js';
import { Classics } from './classics.js';
import { makeReplies, type Talk } from './conversations.js';
import type { Draft } from './draft.js';
import { DEMO_HANDLES } from './entry-points.js';
import { type Follow, followersByAccount, makeFollows } from './follows.js';
import { makePosts, Subjects } from './posts.js';
import { Chance } from './random.js';
import { Society } from './society.js';
import { makeQuotes, makeRetweets } from './spread.js';
import { toTweets, withIds } from './tweets.js';
import { Writer } from './writer.js';

export interface DemoOptions {
  readonly seed: number;
  /** Unix milliseconds: nothing is newer. An earlier time counts as the autumn of 2025. */
  readonly now: number;
}

export const DEMO_ACCOUNTS = 2_000;
export const DEMO_TWEETS = 30_000;
const POSTS = 11_600;
const REPLIES = 9_700;
const QUOTES = 1_900;
/** A clock before this is wrong, and would date tweets before their authors' accounts. */
const EARLIEST_NOW_MS = Date.UTC(2025, 8, 1);
const PINNED_LIKES = 4;

function writeTweets(society: Society, seed: Chance, nowMs: number): Draft[] {
  const writer = (label: string): Writer => new Writer(society, seed.fork(label));
  const observatory = society.accounts.find(({ handle }) => handle === DEMO_HANDLES.observatory);
  if (observatory === undefined) throw new RangeError('The observatory is missing.');
  const classics = new Classics(observatory, society, writer('classic words'), seed.fork('classics'));
  const old = [...classics.thread(), ...classics.celebrated()];
  const posts = makePosts(society.accounts, POSTS, {
    chance: seed.fork('posts'),
    writer: writer('words of posts'),
    subjects: new Subjects(),
    nowMs,
  });
  const talk: Talk = {
    chance: seed.fork('talk'),
    writer: writer('words of talk'),
    society,
    nowMs,
    received: new Map(),
  };
  const replies = makeReplies(posts, REPLIES, talk);
  const quotes = makeQuotes(posts, QUOTES, talk);
  const written = [...old, ...posts, ...replies, ...quotes];
  return [...written, ...makeRetweets([...posts, ...replies], DEMO_TWEETS - written.length, talk)];
}

/** An account's most successful tweet; people without admirers pin nothing. */
function pinnedTweets(tweets: readonly Tweet[]): Map<string, Tweet> {
  const best = new Map<string, Tweet>();
  for (const tweet of tweets) {
    if (tweet.isReply || tweet.isRetweet || tweet.isQuote) continue;
    const likes = tweet.likesCount ?? 0;
    if (likes >= PINNED_LIKES && likes > (best.get(tweet.authorId)?.likesCount ?? 0)) best.set(tweet.authorId, tweet);
  }
  return best;
}

function* userRows(
  accounts: readonly DemoAccount[],
  follows: readonly Follow[],
  tweets: readonly Tweet[],
): Generator<CorpusRow> {
  const followers = followersByAccount(accounts, follows);
  const tally = (ids: Iterable<string>): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const following = tally(follows.map(({ follower }) => follower.id));
  const written = tally(tweets.map(({ authorId }) => authorId));
  const pinned = pinnedTweets(tweets);
  for (const account of accounts) {
    const user = toUser(account, {
      followersCount: followers[account.index]?.length ?? 0,
      followingCount: following.get(account.id) ?? 0,
      tweetsCount: written.get(account.id) ?? 0,
      pinnedTweetId: pinned.get(account.id)?.id ?? null,
    });
    yield { kind: 'user', user };
  }
}

/** Users, then tweets in id order, then follows, newest first. About 92,000 rows. */
export function* demoNetwork({ seed, now }: DemoOptions): Generator<CorpusRow> {
  const chance = new Chance(seed);
  const accounts = makeAccounts(chance);
  const follows = makeFollows(accounts, chance);
  const society = new Society(accounts, followersByAccount(accounts, follows));
  const drafts = writeTweets(society, chance, Math.max(now, EARLIEST_NOW_MS));
  const tweets = toTweets(withIds(drafts), society, chance);
  yield* userRows(accounts, follows, tweets);
  for (const tweet of tweets) yield { kind: 'tweet', tweet };
  for (const { follower, followed } of follows) {
    yield { kind: 'follow', followerId: follower.id, followedId: followed.id };
  }
}
