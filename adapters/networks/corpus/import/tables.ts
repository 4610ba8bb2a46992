import type { Audio, Media, Poll } from '../../../../src/domain/model.js';
import type { CorpusTweet, CorpusUser } from '../rows.js';
import type { Tables } from '../run.js';
import { computeRank } from '../search/rank.js';
import { vectorOfTweet, vectorOfUser } from '../search/vector.js';
import { mergedMediaSql, mergedPollSql } from './merge-parts.js';
import { IMPORT_LOCK, INVENTED_LOCK } from './sql.js';

/** A column of a corpus table and its value from a row of the model. */
interface Column<Row> {
  readonly name: string;
  readonly type: string;
  readonly value: (row: Row) => unknown;
}

/** A column that a source fills: one field of the model. */
interface PlainColumn<Row> extends Column<Row> {
  readonly key: keyof Row & string;
  /** The text, or what was found in it: a text that its source cut has less of it than the whole one. */
  readonly isOfText?: true;
  /** SQL that merges a stored and a given value; where it is null, the one that is known is taken. */
  readonly merged?: (known: string, given: string) => string;
}

export interface EntityTable<Row> {
  readonly name: string;
  /** The first is the id. */
  readonly columns: readonly PlainColumn<Row>[];
  /** Computed from the plain ones, for searches; where one is null, the row is not yet indexed. */
  readonly derived: readonly Column<Row>[];
}

const column = <Row>(name: string, type: string, key: keyof Row & string): PlainColumn<Row> => ({
  name,
  type,
  key,
  value: (row) => row[key],
});

const ofText = (name: string, type: string, key: keyof CorpusTweet & string): PlainColumn<CorpusTweet> => ({
  ...column<CorpusTweet>(name, type, key),
  isOfText: true,
});

/** As JSON text: otherwise an array of objects would be taken for a database array. */
const mediaJson = (media: readonly Media[]): string =>
  JSON.stringify(
    media.map(({ previewUrl, altText, ...medium }) => ({ ...medium, preview_url: previewUrl, alt_text: altText })),
  );

const audioJson = (audio: readonly Audio[]): string =>
  JSON.stringify(audio.map(({ altText, ...one }) => ({ ...one, alt_text: altText })));

const pollJson = ({ endsAt, ...poll }: Poll): string => JSON.stringify({ ...poll, ends_at: endsAt });

const USERS: EntityTable<CorpusUser> = {
  name: 'corpus_users',
  columns: [
    column('id', 'bigint', 'id'),
    column('handle', 'text', 'handle'),
    column('name', 'text', 'name'),
    column('bio', 'text', 'bio'),
    column('location', 'text', 'location'),
    column('url', 'text', 'url'),
    column('avatar_url', 'text', 'avatarUrl'),
    column('banner_url', 'text', 'bannerUrl'),
    column('verified', 'boolean', 'verified'),
    column('protected', 'boolean', 'protected'),
    column('followers', 'bigint', 'followersCount'),
    column('following', 'bigint', 'followingCount'),
    column('tweets', 'bigint', 'tweetsCount'),
    column('likes', 'bigint', 'likesCount'),
    column('listed', 'bigint', 'listedCount'),
    column('created_at', 'timestamptz(3)', 'createdAt'),
    column('pinned_tweet_ids', 'bigint[]', 'pinnedTweetIds'),
  ],
  derived: [{ name: 'search', type: 'tsvector', value: vectorOfUser }],
};

const TWEETS: EntityTable<CorpusTweet> = {
  name: 'corpus_tweets',
  columns: [
    column('id', 'bigint', 'id'),
    ofText('text', 'text', 'text'),
    column('lang', 'text', 'lang'),
    column('created_at', 'timestamptz(3)', 'createdAt'),
    column('author_id', 'bigint', 'authorId'),
    column('conversation_id', 'bigint', 'conversationId'),
    column('in_reply_to_id', 'bigint', 'inReplyToId'),
    column('in_reply_to_user_id', 'bigint', 'inReplyToUserId'),
    column('quoted_id', 'bigint', 'quotedId'),
    column('retweeted_id', 'bigint', 'retweetedId'),
    column('replies', 'bigint', 'repliesCount'),
    column('retweets', 'bigint', 'retweetsCount'),
    column('likes', 'bigint', 'likesCount'),
    column('quotes', 'bigint', 'quotesCount'),
    column('bookmarks', 'bigint', 'bookmarksCount'),
    column('views', 'bigint', 'viewsCount'),
    {
      ...column<CorpusTweet>('media', 'jsonb', 'media'),
      value: (tweet) => tweet.media && mediaJson(tweet.media),
      merged: mergedMediaSql,
    },
    { ...column<CorpusTweet>('audio', 'jsonb', 'audio'), value: (tweet) => tweet.audio && audioJson(tweet.audio) },
    {
      ...column<CorpusTweet>('poll', 'jsonb', 'poll'),
      value: (tweet) => tweet.poll && pollJson(tweet.poll),
      merged: mergedPollSql,
    },
    {
      ...ofText('articles', 'jsonb', 'articles'),
      value: (tweet) => tweet.articles && JSON.stringify(tweet.articles),
    },
    ofText('urls', 'text[]', 'urls'),
    ofText('hashtags', 'text[]', 'hashtags'),
    ofText('mentions', 'text[]', 'mentions'),
    column('is_retweet', 'boolean', 'isRetweet'),
    column('is_quote', 'boolean', 'isQuote'),
    column('is_reply', 'boolean', 'isReply'),
    column('source', 'text', 'source'),
    column('earlier_ids', 'bigint[]', 'earlierIds'),
  ],
  derived: [
    { name: 'search', type: 'tsvector', value: vectorOfTweet },
    { name: 'rank', type: 'bigint', value: computeRank },
  ],
};

export interface Into {
  readonly users: EntityTable<CorpusUser>;
  readonly tweets: EntityTable<CorpusTweet>;
  readonly follows: string;
  /** The advisory lock under which one process at a time writes to these tables. */
  readonly lock: number;
}

export const intoTables = (tables: Tables = 'corpus'): Into => ({
  users: { ...USERS, name: `${tables}_users` },
  tweets: { ...TWEETS, name: `${tables}_tweets` },
  follows: `${tables}_follows`,
  lock: tables === 'corpus' ? IMPORT_LOCK : INVENTED_LOCK,
});
