import type { Audio, Media, Poll, Tweet, User } from '../../../src/domain/model.js';
import { FIRST_SNOWFLAKE, type MediaValue, type TweetRow, type UserRow } from './columns.js';

const SNOWFLAKE_EPOCH_MS = 1288834974657;

export function rowToUser(row: UserRow & { user_id: string }): User {
  return known<User>({
    id: row.user_id,
    handle: row.user_handle,
    name: row.user_name,
    bio: row.user_bio,
    location: row.user_location,
    url: row.user_url,
    avatarUrl: row.user_avatar_url,
    bannerUrl: row.user_banner_url,
    verified: row.user_verified,
    protected: row.user_protected,
    followersCount: row.user_followers,
    followingCount: row.user_following,
    tweetsCount: row.user_tweets,
    likesCount: row.user_likes,
    listedCount: row.user_listed,
    createdAt: (row.user_created_at ?? timeOfId(row.user_id) ?? row.user_first_tweet_at ?? new Date(0)).toISOString(),
    pinnedTweetIds: row.user_pinned,
    lostHandle: row.user_lost_handle || null,
  });
}

/** The tweets of one statement, each with its author, although only one row of each author has the author's columns. */
export function rowsToTweets(rows: readonly TweetRow[]): Tweet[] {
  const authors = new Map(rows.filter(hasUser).map((row) => [row.user_id, rowToUser(row)]));
  return rows.map((row) => rowToTweet(row, authors.get(row.author_id) ?? null));
}

function rowToTweet(row: TweetRow, author: User | null): Tweet {
  return known<Tweet>({
    id: row.id,
    text: row.text,
    lang: row.lang,
    createdAt: row.created_at.toISOString(),
    authorId: row.author_id,
    author,
    conversationId: row.conversation_id,
    inReplyToId: row.in_reply_to_id,
    inReplyToUserId: row.in_reply_to_user_id,
    quotedId: row.quoted_id,
    retweetedId: row.retweeted_id,
    retweetedAuthorId: null,
    repliesCount: row.replies,
    retweetsCount: row.retweets,
    likesCount: row.likes,
    quotesCount: row.quotes,
    bookmarksCount: row.bookmarks,
    viewsCount: row.views,
    media: row.media?.map(toMedia) ?? null,
    audio: row.audio?.map(({ url, alt_text: altText }) => known<Audio>({ url, altText })) ?? null,
    poll: row.poll && known<Poll>({ options: row.poll.options, endsAt: row.poll.ends_at }),
    articles: row.articles,
    urls: row.urls,
    hashtags: row.hashtags,
    mentions: row.mentions,
    isRetweet: row.is_retweet,
    isQuote: row.is_quote,
    isReply: row.is_reply,
    source: row.source,
  });
}

const toMedia = (value: MediaValue): Media =>
  known<Media>({
    type: value.type,
    url: value.url,
    previewUrl: value.preview_url,
    width: value.width,
    height: value.height,
    altText: value.alt_text,
  });

const hasUser = (row: TweetRow): row is TweetRow & { user_id: string } => row.user_id !== null;

function timeOfId(id: string): Date | null {
  const number = BigInt(id);
  return number < FIRST_SNOWFLAKE ? null : new Date(Number(number >> 22n) + SNOWFLAKE_EPOCH_MS);
}

/** The object without unknown fields. */
function known<T extends object>(fields: { [K in keyof T]-?: T[K] | null | undefined }): T {
  const kept: Partial<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== null && value !== undefined) kept[key] = value;
  }
  return kept as T;
}
