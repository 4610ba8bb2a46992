import sql, { empty, type Sql } from 'sql-template-tag';
import type { NetworkPage } from '../../../../src/ports/network.js';
import { type TweetRow, withAuthors } from '../columns.js';
import type { Run } from '../run.js';
import { type CorpusPosition, positionTime } from '../token.js';
import { tweetPage } from './page.js';
import { requireOpenTweet, requireOpenUser, VISIBLE } from './subject.js';

const TIMELINE_SIZE = 100;
const QUOTES_SIZE = 50;
const REPLIES_SIZE = 50;

/** Everything the user wrote, newest first: posts, replies, quotes and retweets (C18, C19). */
export async function readTimeline(run: Run, userId: string, after: CorpusPosition | null, signal: AbortSignal) {
  const page = await newestFirst(run, sql`t.author_id = ${userId}::bigint`, TIMELINE_SIZE, after, signal);
  if (page.tweets?.length === 0) await requireOpenUser(run, userId, signal);
  return page;
}

/** Newest first; empty when the tweet does not exist. */
export const readQuotes = (run: Run, tweetId: string, after: CorpusPosition | null, signal: AbortSignal) =>
  newestFirst(run, sql`t.quoted_id = ${tweetId}::bigint`, QUOTES_SIZE, after, signal);

/** Direct replies only, oldest first: a conversation's order, in which later ones join at the end (T5). */
export async function readReplies(
  run: Run,
  tweetId: string,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const rest =
    after === null ? empty : sql`AND (t.created_at, t.id) > (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;
  if (after === null) await requireOpenTweet(run, tweetId, signal);
  const rows = await run<TweetRow>(
    withAuthors(
      sql`SELECT * FROM corpus_tweets t WHERE t.in_reply_to_id = ${tweetId}::bigint AND ${VISIBLE} ${rest}
        ORDER BY t.created_at, t.id LIMIT ${REPLIES_SIZE + 1}`,
      sql`t.created_at, t.id`,
    ),
    signal,
  );
  return tweetPage(rows, REPLIES_SIZE);
}

async function newestFirst(
  run: Run,
  which: Sql,
  size: number,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const rest =
    after === null ? empty : sql`AND (t.created_at, t.id) < (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;
  const rows = await run<TweetRow>(
    withAuthors(
      sql`SELECT * FROM corpus_tweets t WHERE ${which} AND ${VISIBLE} ${rest}
        ORDER BY t.created_at DESC, t.id DESC LIMIT ${size + 1}`,
      sql`t.created_at DESC, t.id DESC`,
    ),
    signal,
  );
  return tweetPage(rows, size);
}
