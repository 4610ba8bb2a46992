import { indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import type { Sql } from '../../../adapters/postgres/sql.js';

/** A small invented network: the ids of its people and tweets, by their purpose. */
export const PEOPLE = {
  observatory: '1',
  ferry: '2',
  library: '3',
  garden: '4',
  digits: '12345',
  lonely: '6',
} as const;
export const TWEETS = {
  root: '60001',
  answer: '60002',
  deeper: '60003',
  photo: '60100',
  video: '60101',
  hidden: '70001',
};

/** How many items the lists have. */
export const COUNTS = { timeline: 120, followers: 230, replies: 25, quotes: 30, retweeters: 60 } as const;

const START = '2019-05-01T08:00:00Z';

/** Fills the tables of the corpus: an observatory with followers, a timeline, a conversation, quotes and retweets. */
export async function fillSmallCorpus(sql: Sql): Promise<void> {
  await people(sql);
  await observatoryTweets(sql);
  await conversation(sql);
  await indexCorpus(sql);
}

async function people(sql: Sql): Promise<void> {
  await sql`insert into corpus_users (id, handle, name, bio, location, url, avatar_url, banner_url, verified, protected,
      followers, following, tweets, likes, listed, created_at, pinned_tweet_ids)
    values (1, 'Aurora_Obs', 'Aurora Observatory', 'Green nights & long exposures', 'Tromsø', 'https://aurora.example',
      'https://img.example/a.png', 'https://img.example/b.png', true, false, 230, 1, 120, 7, 3, ${START}, '{50001}')`;
  await sql`insert into corpus_users (id, handle, name, protected, created_at) values
    (2, 'harbour_ferry', 'Harbour Ferry', false, ${START}), (3, 'town_library', 'Town Library', null, ${START}),
    (4, 'quiet_garden', 'Quiet Garden', true, ${START}), (6, 'lonely_light', 'Lonely Lighthouse', false, ${START}),
    (12345, 'by_its_number', 'Number as id', false, ${START}), (7, '12345', 'Number as handle', false, ${START}),
    (8, 'batch', 'Batch Bakery', false, ${START})`;
  await sql`insert into corpus_users (id, handle, name, created_at)
    select 1000 + n, 'follower' || n, 'Follower ' || n, ${START} from generate_series(1, ${COUNTS.followers}) n`;
  await sql`insert into corpus_follows (follower_id, followed_id, ordinal)
    select 1000 + n, 1, n from generate_series(1, ${COUNTS.followers}) n`;
  await sql`insert into corpus_follows (follower_id, followed_id, ordinal) values (1, 2, 501), (1, 3, 502), (4, 2, 503)`;
  await sql`insert into corpus_follows (follower_id, followed_id, ordinal)
    select 3, 1000 + n, 600 + n from generate_series(1, 70) n`;
}

async function observatoryTweets(sql: Sql): Promise<void> {
  await sql`insert into corpus_tweets (id, text, lang, created_at, author_id, likes, hashtags)
    select 50000 + n, 'Night ' || n || ' over the fjord #aurora', 'en', timestamptz '2020-01-01T00:00:00Z' + n * interval '1 hour',
      1, n, '{aurora}' from generate_series(1, ${COUNTS.timeline}) n`;
  await sql`insert into corpus_tweets (id, text, created_at, author_id, media) values
    (60100, 'Sails in the harbour', '2020-02-01T00:00:00Z', 2,
      '[{"type":"photo","url":"https://img.example/sails.jpg","width":1200,"height":800}]'),
    (60101, 'The gangway moves', '2020-02-02T00:00:00Z', 2,
      '[{"type":"video","url":"https://img.example/gangway.mp4","preview_url":"https://img.example/gangway.jpg"}]')`;
}

async function conversation(sql: Sql): Promise<void> {
  await sql`insert into corpus_tweets (id, text, lang, created_at, author_id, conversation_id, in_reply_to_id,
      in_reply_to_user_id, replies, retweets, likes, quotes, bookmarks, views, urls, hashtags, mentions,
      is_retweet, is_quote, is_reply, source) values
    (60001, 'First sailing at six & a half', 'en', '2021-03-01T06:00:00Z', 2, 60001, null, null, 25, 60, 5000, 30, 2,
      3000000000, '{https://ferry.example/times}', '{ferry}', '{town_library}', false, false, false, 'Quay Kiosk'),
    (60002, '@harbour_ferry is there coffee?', 'en', '2021-03-01T07:00:00Z', 3, 60001, 60001, 2, 1, 0, 0, 0, 0, 10,
      '{}', '{}', '{harbour_ferry}', false, false, true, null),
    (60003, '@town_library there is!', 'en', '2021-03-01T08:00:00Z', 2, 60001, 60002, 3, 0, 0, 0, 0, 0, 10, '{}', '{}',
      '{town_library}', false, false, true, null),
    (70001, 'A secret bed of tulips', 'en', '2021-03-01T09:00:00Z', 4, 70001, null, null, 0, 0, 0, 0, 0, 0, '{}', '{}',
      '{}', false, false, false, null)`;
  const after = "timestamptz '2021-03-02T00:00:00Z'";
  await sql`insert into corpus_tweets (id, text, created_at, author_id, conversation_id, in_reply_to_id, in_reply_to_user_id, is_reply)
    select 61000 + n, 'Reply number ' || n, ${sql.unsafe(after)} + n * interval '1 minute', 1000 + n, 60001, 60001, 2, true
      from generate_series(1, ${COUNTS.replies - 1}) n`;
  await sql`insert into corpus_tweets (id, text, created_at, author_id, quoted_id, is_quote)
    select 62000 + n, 'Quoting the ferry ' || n, ${sql.unsafe(after)} + n * interval '1 minute', 1000 + n, 60001, true
      from generate_series(1, ${COUNTS.quotes}) n`;
  await sql`insert into corpus_tweets (id, text, created_at, author_id, retweeted_id, is_retweet)
    select 63000 + n, 'First sailing at six & a half', ${sql.unsafe(after)} + n * interval '1 minute', 1000 + n, 60001, true
      from generate_series(1, ${COUNTS.retweeters}) n`;
}
