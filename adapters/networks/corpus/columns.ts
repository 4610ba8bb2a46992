import sql, { raw, type Sql } from 'sql-template-tag';
import type { Article, PollOption } from '../../../src/domain/model.js';

/** Every id from here on is a snowflake (time in the bits above 22), and none below is. */
export const FIRST_SNOWFLAKE = 2199023255552n;

/**
 * A profile's columns, from `corpus_users u`, under names that do not collide with a tweet's columns. Counts that no
 * source had are computed from the corpus, as is the last fallback for a missing date (T17).
 */
export const USER_COLUMNS = raw(`
  u.id AS user_key, u.id::text AS user_id, u.handle AS user_handle, u.name AS user_name, u.bio AS user_bio, u.location AS user_location,
  u.url AS user_url, u.avatar_url AS user_avatar_url, u.banner_url AS user_banner_url, u.verified AS user_verified,
  u.protected AS user_protected,
  coalesce(u.followers, (SELECT count(*) FROM corpus_follows f WHERE f.followed_id = u.id))::float8 AS user_followers,
  coalesce(u.following, (SELECT count(*) FROM corpus_follows f WHERE f.follower_id = u.id))::float8 AS user_following,
  coalesce(u.tweets, (SELECT count(*) FROM corpus_tweets own WHERE own.author_id = u.id AND own.edited_to IS NULL))::float8 AS user_tweets,
  u.likes::float8 AS user_likes, u.listed::float8 AS user_listed, u.created_at AS user_created_at,
  CASE WHEN u.created_at IS NULL AND u.id < ${FIRST_SNOWFLAKE}
    THEN (SELECT min(own.created_at) FROM corpus_tweets own WHERE own.author_id = u.id) END AS user_first_tweet_at,
  u.pinned_tweet_ids::text[] AS user_pinned,
  EXISTS (SELECT FROM corpus_users later WHERE lower(later.handle) = lower(u.handle) AND later.id > u.id) AS user_lost_handle`);

export interface UserRow {
  user_id: string | null;
  user_handle: string;
  user_name: string;
  user_bio: string | null;
  user_location: string | null;
  user_url: string | null;
  user_avatar_url: string | null;
  user_banner_url: string | null;
  user_verified: boolean | null;
  user_protected: boolean | null;
  user_followers: number;
  user_following: number;
  user_tweets: number;
  user_likes: number | null;
  user_listed: number | null;
  user_created_at: Date | null;
  user_first_tweet_at: Date | null;
  user_pinned: string[] | null;
  /** A later account has this handle now, and `readUsers` finds that one by it. */
  user_lost_handle: boolean | null;
}

/** A tweet's columns, from `corpus_tweets t`. */
const TWEET_COLUMNS = raw(`
  t.id::text AS id, t.text, t.lang, t.created_at, t.author_id::text AS author_id, t.conversation_id::text AS conversation_id,
  t.in_reply_to_id::text AS in_reply_to_id, t.in_reply_to_user_id::text AS in_reply_to_user_id,
  t.quoted_id::text AS quoted_id, t.retweeted_id::text AS retweeted_id, t.replies::float8 AS replies,
  t.retweets::float8 AS retweets, t.likes::float8 AS likes, t.quotes::float8 AS quotes, t.bookmarks::float8 AS bookmarks,
  t.views::float8 AS views, t.media, t.audio, t.poll, t.articles, t.urls, t.hashtags, t.mentions, t.is_retweet, t.is_quote, t.is_reply, t.source,
  t.rank::float8 AS rank`);

/** The author's columns are null in all rows but one of each author, and where the author is unknown (`rowsToTweets`). */
export interface TweetRow extends UserRow {
  id: string;
  text: string;
  lang: string | null;
  created_at: Date;
  author_id: string;
  conversation_id: string | null;
  in_reply_to_id: string | null;
  in_reply_to_user_id: string | null;
  quoted_id: string | null;
  retweeted_id: string | null;
  replies: number | null;
  retweets: number | null;
  likes: number | null;
  quotes: number | null;
  bookmarks: number | null;
  views: number | null;
  media: readonly MediaValue[] | null;
  audio: readonly AudioValue[] | null;
  poll: PollValue | null;
  articles: readonly Article[] | null;
  urls: string[] | null;
  hashtags: string[] | null;
  mentions: string[] | null;
  is_retweet: boolean | null;
  is_quote: boolean | null;
  is_reply: boolean | null;
  source: string | null;
  /** What Top sorts by. */
  rank: number;
}

export interface MediaValue {
  type: 'photo' | 'video' | 'animated_gif';
  url?: string;
  preview_url?: string;
  width?: number;
  height?: number;
  alt_text?: string;
}

export interface AudioValue {
  url?: string;
  alt_text?: string;
}

export interface PollValue {
  options: readonly PollOption[];
  ends_at?: string;
}

/**
 * Tweets (a statement that returns whole rows of `corpus_tweets`) with their authors, in an order over `t`, as one
 * statement. One row of each author has the author's columns, the others have nulls, so that an author of many tweets
 * is read, if necessary counted, and sent only once.
 */
export const withAuthors = (tweets: Sql, order: Sql): Sql => sql`
  SELECT ${TWEET_COLUMNS}, w.* FROM (
    SELECT p.*, row_number() OVER (PARTITION BY p.author_id) AS nth_of_author FROM (${tweets}) p
  ) t LEFT JOIN LATERAL (
    -- The limit keeps it a look-up by key for each author; as a join, it reads every user of a small table.
    SELECT ${USER_COLUMNS} FROM corpus_users u WHERE t.nth_of_author = 1 AND u.id = t.author_id LIMIT 1
  ) w ON true
  ORDER BY ${order}`;
