import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { createCorpusNetwork } from '../../../adapters/networks/corpus/network.js';
import type { CorpusUser } from '../../../adapters/networks/corpus/rows.js';
import { DEMO_ACCOUNTS, DEMO_TWEETS, demoNetwork } from '../../../demo/demo-network.js';
import {
  CELEBRATED_TWEET_ID,
  COMET_THREAD_ID,
  DEMO_HANDLES,
  DEMO_SEARCHES,
  DEMO_SEED,
} from '../../../demo/entry-points.js';
import { timeOfSnowflake } from '../../../demo/snowflake.js';
import type { ListKind } from '../../../src/domain/lists.js';
import type { Tweet } from '../../../src/domain/model.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import type { NetworkPage } from '../../../src/ports/network.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

const NOW = Date.UTC(2026, 10, 21, 11, 30, 12);

interface Made {
  readonly users: CorpusUser[];
  readonly tweets: Tweet[];
  readonly follows: (readonly [string, string])[];
  readonly order: string[];
}

function make(seed: number, now: number): Made {
  const made: Made = { users: [], tweets: [], follows: [], order: [] };
  for (const row of demoNetwork({ seed, now })) {
    if (made.order.at(-1) !== row.kind) made.order.push(row.kind);
    if (row.kind === 'user') made.users.push(row.user);
    else if (row.kind === 'tweet') made.tweets.push(row.tweet);
    else made.follows.push([row.followerId, row.followedId]);
  }
  return made;
}

const countBy = (keys: Iterable<string | undefined>): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

/** A failure shows the first things that break the rule. */
const expectOfAll = <T>(things: readonly T[], rule: (thing: T) => boolean): void =>
  expect(things.filter((thing) => !rule(thing)).slice(0, 3)).toEqual([]);

let made: Made;
let tweetById: Map<string, Tweet>;
let userById: Map<string, CorpusUser>;

beforeAll(() => {
  made = make(DEMO_SEED, NOW);
  tweetById = new Map(made.tweets.map((tweet) => [tweet.id, tweet]));
  userById = new Map(made.users.map((user) => [user.id, user]));
});

const userOf = (handle: string): CorpusUser => {
  const user = made.users.find((candidate) => candidate.handle === handle);
  if (user === undefined) throw new Error(`No ${handle}.`);
  return user;
};

describe('the demo network as a whole', () => {
  it('has 2,000 accounts, then 30,000 tweets in id order, then some 60,000 follows', () => {
    expect(made.order).toEqual(['user', 'tweet', 'follow']);
    expect([made.users.length, made.tweets.length]).toEqual([DEMO_ACCOUNTS, DEMO_TWEETS]);
    expect(Math.abs(made.follows.length - 60_000)).toBeLessThan(8_000);
    const ids = made.tweets.map(({ id }) => BigInt(id));
    expectOfAll([...ids.keys()], (at) => at === 0 || (ids[at] ?? 0n) > (ids[at - 1] ?? 0n));
  });

  it('is the same for the same seed and time, and different for another seed', () => {
    expect(make(DEMO_SEED, NOW)).toEqual(made);
    const other = make(7, NOW);
    expect(other.tweets.length).toBe(DEMO_TWEETS);
    expect(other.users.map(({ handle }) => handle)).not.toEqual(made.users.map(({ handle }) => handle));
    expect(other.tweets.filter(({ id }) => id === CELEBRATED_TWEET_ID || id === COMET_THREAD_ID)).toHaveLength(2);
  });

  it('keeps accounts, follows and the entry points whenever it is made', () => {
    const later = make(DEMO_SEED, NOW + 400 * DAY_MS);
    const named = ({ users }: Made): unknown[] => users.map(({ id, handle, name, bio }) => [id, handle, name, bio]);
    expect(named(later)).toEqual(named(made));
    expect(later.follows).toEqual(made.follows);
    const classics = ({ tweets }: Made): string[] =>
      tweets.map(({ id }) => id).filter((id) => timeOfSnowflake(id) < Date.UTC(2025, 2, 10));
    expect(classics(later)).toEqual(classics(made));
    expect(classics(later)).toEqual(expect.arrayContaining([CELEBRATED_TWEET_ID, COMET_THREAD_ID]));
  });

  it('reaches back eighteen months, with the last tweets minutes old and none in the future', () => {
    const times = made.tweets.map(({ createdAt }) => Date.parse(createdAt));
    expect(Math.max(...times)).toBeLessThanOrEqual(NOW);
    expect(Math.max(...times)).toBeGreaterThan(NOW - 10 * 60_000);
    expect(times.filter((time) => time < NOW - 500 * DAY_MS).length).toBeGreaterThan(500);
    expect(times.filter((time) => time > NOW - 2 * DAY_MS).length).toBeGreaterThan(30);
  });

  it('is made as of the autumn of 2025 if the clock is earlier than its accounts', () => {
    expect(make(DEMO_SEED, 0).tweets.at(-1)?.createdAt.slice(0, 7)).toBe('2025-08');
  });
});

describe('its accounts', () => {
  it('have handles that a network would accept, unique whatever their case, and distinct ids', () => {
    expectOfAll(made.users, ({ handle }) => /^[A-Za-z][A-Za-z0-9_]{0,14}$/.test(handle));
    const distinct = new Set(made.users.map(({ handle }) => handle.toLowerCase())).size;
    expect([distinct, userById.size]).toEqual([DEMO_ACCOUNTS, DEMO_ACCOUNTS]);
  });

  it('are as old as their ids say, over about ten years (T17)', () => {
    expectOfAll(made.users, ({ id, createdAt }) => timeOfSnowflake(id) === Date.parse(createdAt ?? ''));
    const years = new Set(made.users.map(({ createdAt }) => createdAt?.slice(0, 4)));
    expect(years.size).toBeGreaterThanOrEqual(10);
  });

  it('count the existing followers, followed and tweets', () => {
    const followers = countBy(made.follows.map(([, followed]) => followed));
    const following = countBy(made.follows.map(([follower]) => follower));
    const tweets = countBy(made.tweets.map(({ authorId }) => authorId));
    const counted = (user: CorpusUser): boolean =>
      user.followersCount === (followers.get(user.id) ?? 0) &&
      user.followingCount === (following.get(user.id) ?? 0) &&
      user.tweetsCount === (tweets.get(user.id) ?? 0);
    expectOfAll(made.users, counted);
  });

  it('are followed unequally: a few by more than 1,000, most by few', () => {
    const counts = made.users.map(({ followersCount }) => followersCount ?? 0).sort((a, b) => b - a);
    expect(counts.filter((count) => count > 1_000).length).toBeGreaterThanOrEqual(3);
    expect(counts[DEMO_ACCOUNTS / 2]).toBeLessThan(40);
    expect(new Set(made.follows.map((edge) => edge.join())).size).toBe(made.follows.length);
    expectOfAll(made.follows, ([a, b]) => a !== b && userById.has(a) && userById.has(b));
  });

  it('include some 120 with a badge, and a few that are protected and show no tweet', () => {
    expect(made.users.filter(({ verified }) => verified)).toHaveLength(120);
    const closed = made.users.filter((user) => user.protected);
    expect(closed).toHaveLength(25);
    expectOfAll(closed, ({ tweetsCount }) => tweetsCount === 0);
  });

  it('pin tweets that they wrote themselves', () => {
    const pinned = made.users.flatMap(({ id, pinnedTweetIds = [] }) => pinnedTweetIds.map((tweet) => ({ id, tweet })));
    expect(pinned.length).toBeGreaterThan(300);
    expectOfAll(pinned, ({ id, tweet }) => tweetById.get(tweet)?.authorId === id);
  });
});

describe('its tweets', () => {
  it('refer only to existing older tweets by older authors, and were written when their ids say (T11, T17)', () => {
    const older = (target: string | undefined, tweet: Tweet): boolean =>
      target === undefined || (tweetById.has(target) && BigInt(target) < BigInt(tweet.id));
    const whole = (tweet: Tweet): boolean =>
      older(tweet.inReplyToId, tweet) &&
      older(tweet.quotedId, tweet) &&
      older(tweet.retweetedId, tweet) &&
      timeOfSnowflake(tweet.id) === Date.parse(tweet.createdAt) &&
      Date.parse(userById.get(tweet.authorId)?.createdAt ?? '9999') < Date.parse(tweet.createdAt);
    expectOfAll(made.tweets, whole);
  });

  it('belong to the conversation of the tweet they answer, whose author they name', () => {
    const consistent = (tweet: Tweet): boolean => {
      const parent = tweet.inReplyToId === undefined ? undefined : tweetById.get(tweet.inReplyToId);
      return parent === undefined
        ? tweet.conversationId === tweet.id
        : tweet.conversationId === parent.conversationId && tweet.inReplyToUserId === parent.authorId;
    };
    expectOfAll(made.tweets, consistent);
    const flagged = ({ isReply, isQuote, isRetweet, inReplyToId, quotedId, retweetedId }: Tweet): boolean =>
      isReply === Boolean(inReplyToId) && isQuote === Boolean(quotedId) && isRetweet === Boolean(retweetedId);
    expectOfAll(made.tweets, flagged);
  });

  it('count the existing replies, retweets and quotes', () => {
    const replies = countBy(made.tweets.map(({ inReplyToId }) => inReplyToId));
    const retweets = countBy(made.tweets.map(({ retweetedId }) => retweetedId));
    const quotes = countBy(made.tweets.map(({ quotedId }) => quotedId));
    const counted = (tweet: Tweet): boolean =>
      tweet.repliesCount === (replies.get(tweet.id) ?? 0) &&
      tweet.retweetsCount === (retweets.get(tweet.id) ?? 0) &&
      tweet.quotesCount === (quotes.get(tweet.id) ?? 0);
    expectOfAll(made.tweets, counted);
  });

  it('are retweeted once by an account, never by the author', () => {
    const retweets = made.tweets.filter(({ retweetedId }) => retweetedId !== undefined);
    const distinct = new Set(retweets.map(({ authorId, retweetedId }) => `${authorId} ${retweetedId}`));
    expect(distinct.size).toBe(retweets.length);
    expectOfAll(retweets, (tweet) => tweetById.get(tweet.retweetedId ?? '')?.authorId !== tweet.authorId);
  });

  it('are short, finished sentences: no text over 280 characters, no slot left open', () => {
    expectOfAll(made.tweets, ({ text }) => text.length > 0 && text.length <= 280);
    expectOfAll(made.tweets, ({ text }) => !/[{}[\]|]|undefined| {2}|^\W*\((?:winter|spring|summer|autumn)/.test(text));
  });

  it('are varied: most texts occur once, and accounts hardly repeat themselves', () => {
    const posts = made.tweets.filter(({ isRetweet, isReply, isQuote }) => !(isRetweet || isReply || isQuote));
    const own = made.tweets.filter(({ isRetweet }) => !isRetweet);
    expect(new Set(posts.map(({ text }) => text)).size / posts.length).toBeGreaterThan(0.8);
    expect(new Set(own.map(({ text }) => text)).size / own.length).toBeGreaterThan(0.7);
    expect(new Set(posts.map(({ authorId, text }) => authorId + text)).size / posts.length).toBeGreaterThan(0.97);
  });

  it('mention existing accounts, and link only to the reserved name', () => {
    const handles = new Set(made.users.map(({ handle }) => handle));
    expectOfAll(made.tweets, ({ mentions = [] }) => mentions.every((handle) => handles.has(handle)));
    const addresses = [
      ...made.tweets.flatMap(({ urls = [] }) => urls),
      ...made.tweets.flatMap(({ media = [] }) => media.flatMap(({ url, previewUrl }) => [url, previewUrl])),
      ...made.users.flatMap(({ url, avatarUrl, bannerUrl }) => [url, avatarUrl, bannerUrl]),
    ].filter((address) => address !== undefined);
    expect(addresses.length).toBeGreaterThan(DEMO_ACCOUNTS);
    expectOfAll(addresses, (address) => new URL(address).host === 'demo.example');
  });

  it('have every kind of media, with its size, and several languages', () => {
    const media = made.tweets.flatMap((tweet) => tweet.media ?? []);
    expect([...new Set(media.map(({ type }) => type))].sort()).toEqual(['animated_gif', 'photo', 'video']);
    expectOfAll(media, ({ width = 0, height = 0 }) => width > 0 && height > 0);
    expect([...new Set(made.tweets.map(({ lang }) => lang))].sort()).toEqual(['de', 'en', 'es', 'fr', 'pt']);
  });

  it('answer each other several levels deep', () => {
    const depths = new Map<string, number>();
    for (const { id, inReplyToId } of made.tweets) depths.set(id, inReplyToId ? (depths.get(inReplyToId) ?? 0) + 1 : 0);
    const atLeast = (depth: number): number => [...depths.values()].filter((value) => value >= depth).length;
    expect(atLeast(3)).toBeGreaterThan(1_500);
    expect(atLeast(5)).toBeGreaterThan(10);
  });
});

describe('its entry points', () => {
  it('are accounts by their handles: an observatory with a long timeline and many followers, a protected one', () => {
    for (const handle of Object.values(DEMO_HANDLES)) expect(userOf(handle).handle).toBe(handle);
    expect(userOf(DEMO_HANDLES.protected).protected).toBe(true);
    const { followersCount, tweetsCount, pinnedTweetIds } = userOf(DEMO_HANDLES.observatory);
    expect(followersCount).toBeGreaterThan(1_000);
    expect(tweetsCount).toBeGreaterThan(200);
    expect(pinnedTweetIds).toHaveLength(1);
  });

  it('include a picture with more quotes, retweeters and replies than a page holds, and views above 2^31 (T12)', () => {
    const picture = tweetById.get(CELEBRATED_TWEET_ID);
    expect(picture?.viewsCount).toBeGreaterThan(2 ** 31);
    expect(picture?.quotesCount).toBeGreaterThan(150);
    expect(picture?.retweetsCount).toBeGreaterThan(800);
    expect(picture?.repliesCount).toBeGreaterThan(60);
  });

  it('include a thread of more than fifty tweets by many people', () => {
    const thread = made.tweets.filter(({ conversationId }) => conversationId === COMET_THREAD_ID);
    expect(thread.length).toBeGreaterThan(50);
    expect(new Set(thread.map(({ authorId }) => authorId)).size).toBeGreaterThan(10);
  });
});

describe('loaded into Postgres', () => {
  let database: FreshDatabase;
  let page: (kind: ListKind, subject: string) => Promise<NetworkPage>;

  beforeAll(async () => {
    database = await freshDatabase();
    await loadCorpus(database.sql, demoNetwork({ seed: DEMO_SEED, now: NOW }));
    const network = createCorpusNetwork(database.sql);
    const { signal } = new AbortController();
    page = (kind, subject) =>
      network.page({ kind, subject, ...(kind === 'search' ? { product: 'Latest' } : {}) }, null, { signal });
  });
  afterAll(() => database.drop());

  it('is complete and without a fault, and loading it again changes nothing', async () => {
    const rows = demoNetwork({ seed: DEMO_SEED, now: NOW });
    const { users, tweets, follows, faults } = await loadCorpus(database.sql, rows, { strict: true });
    expect(faults.count).toBe(0);
    expect([users.read, tweets.read, follows.read]).toEqual([DEMO_ACCOUNTS, DEMO_TWEETS, made.follows.length]);
    expect([users, tweets, follows].map(({ added, changed }) => added + changed)).toEqual([0, 0, 0]);
  });

  it.each(DEMO_SEARCHES)('finds something for %s', async (query) => {
    expect((await page('search', query)).tweets?.length).toBeGreaterThan(0);
  });

  it('has more than one page of the lists that the examples open, and hides the protected account (T8)', async () => {
    const { id } = userOf(DEMO_HANDLES.observatory);
    for (const kind of ['timeline', 'followers', 'replies', 'quotes', 'retweeters'] as const) {
      const subject = kind === 'timeline' || kind === 'followers' ? id : CELEBRATED_TWEET_ID;
      expect((await page(kind, subject)).next, kind).not.toBeNull();
    }
    const thread = (await page('thread', COMET_THREAD_ID)).tweets ?? [];
    expect(thread[0]?.id).toBe(COMET_THREAD_ID);
    expect(thread.length).toBeGreaterThan(15);
    await expect(page('timeline', userOf(DEMO_HANDLES.protected).id)).rejects.toThrow();
  });
});
