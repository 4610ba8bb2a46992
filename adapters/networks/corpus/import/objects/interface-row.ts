import { z } from 'zod';
import type { Article, Audio, Media, Poll, PollOption } from '../../../../../src/domain/model.js';
import { knownLanguage } from '../../../../../src/domain/model.js';
import type { CorpusRow, CorpusTweet, CorpusUser } from '../../rows.js';
import {
  addressText,
  altText,
  articleSchema,
  counter,
  flag,
  handle,
  id,
  list,
  moment,
  type optionSchema,
  pixels,
  pollSchema,
  text,
} from './fields.js';
import type { Given, Json } from './reading.js';

export type RowKind = CorpusRow['kind'];

/** Section 2, User, under the interface's names. Fields that a source may not know may be absent. */
const userSchema = z.object({
  id,
  handle,
  name: text(500),
  bio: text(5_000).nullish(),
  location: text(1_000).nullish(),
  url: addressText.nullish(),
  avatar_url: addressText.nullish(),
  banner_url: addressText.nullish(),
  verified: flag.nullish(),
  protected: flag.nullish(),
  followers: counter.nullish(),
  following: counter.nullish(),
  tweets: counter.nullish(),
  likes: counter.nullish(),
  listed: counter.nullish(),
  created_at: moment.nullish(),
  pinned_tweet_ids: list(id, 100).nullish(),
});

const mediaSchema = z.object({
  type: z.enum(['photo', 'video', 'animated_gif'], { error: 'must be photo, video or animated_gif' }),
  url: addressText.nullish(),
  preview_url: addressText.nullish(),
  width: pixels.nullish(),
  height: pixels.nullish(),
  alt_text: altText,
});

const audioSchema = z.object({ url: addressText.nullish(), alt_text: altText });

/** Section 2, Tweet; the lengths keep one row within the limits of a text index. */
const tweetSchema = z.object({
  id,
  text: text(50_000),
  lang: text(35).nullish(),
  created_at: moment,
  author_id: id,
  conversation_id: id.nullish(),
  in_reply_to_id: id.nullish(),
  in_reply_to_user_id: id.nullish(),
  quoted_id: id.nullish(),
  retweeted_id: id.nullish(),
  replies: counter.nullish(),
  retweets: counter.nullish(),
  likes: counter.nullish(),
  quotes: counter.nullish(),
  bookmarks: counter.nullish(),
  views: counter.nullish(),
  media: list(mediaSchema, 100).nullish(),
  audio: list(audioSchema, 100).nullish(),
  poll: pollSchema.nullish(),
  articles: list(articleSchema, 500).nullish(),
  urls: list(addressText, 500).nullish(),
  hashtags: list(text(500), 500).nullish(),
  mentions: list(text(500), 500).nullish(),
  is_retweet: flag.nullish(),
  is_quote: flag.nullish(),
  is_reply: flag.nullish(),
  source: text(500).nullish(),
  earlier_ids: list(id, 100).nullish(),
});

const followSchema = z.object({ follower_id: id, followed_id: id });

const USER_NAMES: Record<keyof z.output<typeof userSchema>, keyof CorpusUser> = {
  id: 'id',
  handle: 'handle',
  name: 'name',
  bio: 'bio',
  location: 'location',
  url: 'url',
  avatar_url: 'avatarUrl',
  banner_url: 'bannerUrl',
  verified: 'verified',
  protected: 'protected',
  followers: 'followersCount',
  following: 'followingCount',
  tweets: 'tweetsCount',
  likes: 'likesCount',
  listed: 'listedCount',
  created_at: 'createdAt',
  pinned_tweet_ids: 'pinnedTweetIds',
};

const MEDIA_NAMES: Record<keyof z.output<typeof mediaSchema>, keyof Media> = {
  type: 'type',
  url: 'url',
  preview_url: 'previewUrl',
  width: 'width',
  height: 'height',
  alt_text: 'altText',
};

const AUDIO_NAMES: Record<keyof z.output<typeof audioSchema>, keyof Audio> = { url: 'url', alt_text: 'altText' };
const OPTION_NAMES: Record<keyof z.output<typeof optionSchema>, keyof PollOption> = { text: 'text', votes: 'votes' };
const POLL_NAMES: Record<keyof z.output<typeof pollSchema>, keyof Poll> = { options: 'options', ends_at: 'endsAt' };
const ARTICLE_NAMES: Record<keyof z.output<typeof articleSchema>, keyof Article> = { title: 'title', url: 'url' };

const TWEET_NAMES: Record<keyof z.output<typeof tweetSchema>, keyof CorpusTweet> = {
  id: 'id',
  text: 'text',
  lang: 'lang',
  created_at: 'createdAt',
  author_id: 'authorId',
  conversation_id: 'conversationId',
  in_reply_to_id: 'inReplyToId',
  in_reply_to_user_id: 'inReplyToUserId',
  quoted_id: 'quotedId',
  retweeted_id: 'retweetedId',
  replies: 'repliesCount',
  retweets: 'retweetsCount',
  likes: 'likesCount',
  quotes: 'quotesCount',
  bookmarks: 'bookmarksCount',
  views: 'viewsCount',
  media: 'media',
  audio: 'audio',
  poll: 'poll',
  articles: 'articles',
  urls: 'urls',
  hashtags: 'hashtags',
  mentions: 'mentions',
  is_retweet: 'isRetweet',
  is_quote: 'isQuote',
  is_reply: 'isReply',
  source: 'source',
  earlier_ids: 'earlierIds',
};

/** Texts that are kept even if they are empty. */
const REQUIRED = new Set(['text', 'name', 'title']);

/** The checked fields under the model's names; null and empty optional ones are absent. */
function renamed(value: Json, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name in names) {
    const field = value[name];
    if (field !== undefined && field !== null && (field !== '' || REQUIRED.has(name))) {
      out[names[name] as string] = field;
    }
  }
  return out;
}

/** Counts that the interface requires: `unknown_counts` names those that are 0 only for want of a number. */
const REQUIRED_COUNTS = ['followers', 'following', 'tweets'] as const;
/** What the interface gives for an unknown time. */
const UNKNOWN_TIME = '1970-01-01T00:00:00.000Z';

/** Without what stands for the unknown, which would replace what is known. */
function toUser(value: z.output<typeof userSchema>, unknownCounts: unknown): CorpusUser {
  const out = renamed(value, USER_NAMES);
  const unknown = Array.isArray(unknownCounts) ? unknownCounts : [];
  for (const name of REQUIRED_COUNTS) if (unknown.includes(name)) delete out[USER_NAMES[name]];
  if (value.created_at === UNKNOWN_TIME) delete out.createdAt;
  return out as unknown as CorpusUser;
}

function toTweet(value: z.output<typeof tweetSchema>): CorpusTweet {
  const out = renamed(value, TWEET_NAMES);
  if (knownLanguage(value.lang) === undefined) delete out.lang;
  if (value.media) out.media = value.media.map((item) => renamed(item, MEDIA_NAMES));
  if (value.audio) out.audio = value.audio.map((item) => renamed(item, AUDIO_NAMES));
  if (value.poll) {
    const options = value.poll.options.map((option) => renamed(option, OPTION_NAMES));
    out.poll = { ...renamed(value.poll, POLL_NAMES), options };
  }
  if (value.articles) out.articles = value.articles.map((item) => renamed(item, ARTICLE_NAMES));
  return out as unknown as CorpusTweet;
}

const NEEDS: Readonly<Record<RowKind | 'medium', string>> = {
  user: 'a user needs id, handle and name',
  tweet: 'a tweet needs id, text, created_at and author_id',
  follow: 'a follow needs follower_id and followed_id',
  medium: 'a medium needs type',
};

function issueText(kind: keyof typeof NEEDS, issue: z.core.$ZodIssue | undefined, value: Json): string {
  const path = issue?.path ?? [];
  const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const name = path.join('.');
  if (got === undefined) return `${name} is missing: ${NEEDS[kind]}`;
  const shown = JSON.stringify(got);
  return `${name} ${issue?.message}, not ${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}`;
}

/**
 * A tweet under the interface's snake_case names as a row, after a fault for each medium that is invalid and left out; or
 * what is wrong with the tweet's first invalid field. Unknown fields are ignored.
 */
export function tweetRows(value: Json): Given[] {
  const tweet = tweetSchema.safeParse(value);
  if (tweet.success) return [{ kind: 'tweet', tweet: toTweet(tweet.data) }];
  const { issues } = tweet.error;
  const inMedia = ({ path }: z.core.$ZodIssue): boolean => path[0] === 'media' && path.length > 1;
  const other = issues.find((issue) => !inMedia(issue));
  if (other !== undefined) return [issueText('tweet', other, value)];
  const invalid = new Set(issues.map(({ path }) => path[1]));
  const media = (value.media as unknown[]).filter((_, index) => !invalid.has(index));
  const faults = [...invalid].map((index) => {
    const issue = issues.find(({ path }) => path[1] === index);
    return `${issueText('medium', issue, value)}; only this medium is left out`;
  });
  // Of a tweet whose media are all invalid it is not known that it has none.
  return [...faults, ...tweetRows({ ...value, media: media.length > 0 ? media : undefined })];
}

/** Another object under these names as a row, or what is wrong with its first invalid field. */
export function interfaceRow(kind: Exclude<RowKind, 'tweet'>, value: Json): CorpusRow | string {
  if (kind === 'user') {
    const user = userSchema.safeParse(value);
    if (!user.success) return issueText(kind, user.error.issues[0], value);
    return { kind, user: toUser(user.data, value.unknown_counts) };
  }
  const follow = followSchema.safeParse(value);
  if (!follow.success) return issueText(kind, follow.error.issues[0], value);
  return { kind, followerId: follow.data.follower_id, followedId: follow.data.followed_id };
}
