/**
 * An account of the invented network that posts by the clock, so that a client can see something new without waiting
 * long. Its tweets are computed from the time alone, and nothing is stored. It is in no list, and no search finds it.
 */
import type { ListRef } from '../../src/domain/lists.js';
import type { Tweet, User, UserRef } from '../../src/domain/model.js';
import type { NetworkPage } from '../../src/ports/network.js';
import { SITE } from '../account.js';
import { snowflake, timeOfSnowflake } from '../snowflake.js';

export const POSTING_HANDLE = 'posts_often';
/** Milliseconds between two of its tweets. */
export const POSTS_EVERY_MS = 30_000;

/** How many tweets it shows: those of the last day. */
const SHOWN = (24 * 3600 * 1000) / POSTS_EVERY_MS;
const PAGE = 40;

const USER: User = {
  ...{ id: '1103', handle: POSTING_HANDLE, name: 'The harbor bell', bio: 'Rings every 30 seconds.' },
  ...{ avatarUrl: `${SITE}/avatar/${POSTING_HANDLE}.png`, verified: false, protected: false },
  ...{ followersCount: 0, followingCount: 0, tweetsCount: SHOWN, likesCount: 0, listedCount: 0, pinnedTweetIds: [] },
  createdAt: '2020-01-01T00:00:00.000Z',
};

const tweetOf = (atMs: number): Tweet => ({
  id: snowflake(atMs),
  text: `The harbor bell rang at ${new Date(atMs).toISOString().slice(11, 19)} UTC.`,
  lang: 'en',
  ...{ createdAt: new Date(atMs).toISOString(), authorId: USER.id, author: USER, conversationId: snowflake(atMs) },
  ...{ repliesCount: 0, retweetsCount: 0, likesCount: 0, quotesCount: 0, bookmarksCount: 0, viewsCount: 0 },
  ...{ isRetweet: false, isQuote: false, isReply: false },
});

const lastPostMs = (nowMs: number): number => nowMs - (nowMs % POSTS_EVERY_MS);

export function postingUser(ref: UserRef): User | undefined {
  const isMeant = 'id' in ref ? ref.id === USER.id : ref.handle.toLowerCase() === POSTING_HANDLE;
  return isMeant ? USER : undefined;
}

/** The tweet with this id. No tweet in the invented network's data has such an id: none is at a whole half minute. */
export function postingTweet(id: string, nowMs: number): Tweet | undefined {
  const atMs = timeOfSnowflake(id);
  const isShown = atMs <= nowMs && atMs > lastPostMs(nowMs) - SHOWN * POSTS_EVERY_MS;
  return isShown && atMs % POSTS_EVERY_MS === 0 && snowflake(atMs) === id ? tweetOf(atMs) : undefined;
}

export function postingPage({ kind, subject }: ListRef, token: string | null, nowMs: number): NetworkPage | undefined {
  if (subject !== USER.id) return undefined;
  if (kind !== 'timeline')
    return { ...(kind === 'followers' || kind === 'following' ? { users: [] } : { tweets: [] }), next: null };
  const newestMs = lastPostMs(nowMs);
  const fromMs = token === null ? newestMs : Number(token) - POSTS_EVERY_MS;
  const left = Math.max(0, SHOWN - (newestMs - fromMs) / POSTS_EVERY_MS);
  const tweets = Array.from({ length: Math.min(PAGE, left) }, (_, nth) => tweetOf(fromMs - nth * POSTS_EVERY_MS));
  const last = fromMs - (tweets.length - 1) * POSTS_EVERY_MS;
  return { tweets, next: left > PAGE ? String(last) : null };
}
