import sql, { empty, type Sql } from 'sql-template-tag';
import type { Tweet } from '../../../../src/domain/model.js';
import type { NetworkPage } from '../../../../src/ports/network.js';
import { type TweetRow, withAuthors } from '../columns.js';
import type { Run } from '../run.js';
import { type IdRange, inIds, inSequence, narrowed, type ReadRanges } from '../search/id-ranges.js';
import { type CorpusPosition, positionTime } from '../token.js';
import { readTweets } from './entities.js';
import { nextOf, tweetPage } from './page.js';
import { requireOpenTweet, requireOpenUser, VISIBLE } from './subject.js';

const TIMELINE_SIZE = 100;
const QUOTES_SIZE = 50;
const REPLIES_SIZE = 50;

/** Everything the user wrote, newest first: posts, replies, quotes and retweets (C18, C19). */
export async function readTimeline(
  run: Run,
  userId: string,
  after: CorpusPosition | null,
  signal: AbortSignal,
  readRanges: ReadRanges,
): Promise<NetworkPage> {
  const list = { which: sql`t.author_id = ${userId}::bigint`, size: TIMELINE_SIZE, after };
  const page = await newestFirst(run, list, signal, readRanges);
  if (page.tweets?.length === 0) await requireOpenUser(run, userId, signal);
  return page;
}

/** Newest first; empty when the tweet does not exist. */
export const readQuotes = (
  run: Run,
  tweetId: string,
  after: CorpusPosition | null,
  signal: AbortSignal,
  readRanges: ReadRanges,
): Promise<NetworkPage> =>
  newestFirst(run, { which: sql`t.quoted_id = ${tweetId}::bigint`, size: QUOTES_SIZE, after }, signal, readRanges);

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

interface NewestFirst {
  readonly which: Sql;
  readonly size: number;
  readonly after: CorpusPosition | null;
}

async function newestFirst(
  run: Run,
  list: NewestFirst,
  signal: AbortSignal,
  readRanges: ReadRanges,
): Promise<NetworkPage> {
  const ranges = await readRanges(signal);
  const places = ranges.length === 0 ? null : inSequence(narrowed(ranges, [], list.after));
  if (places !== null) return newestInSequence(run, list, signal, places);
  const rows = await run<TweetRow>(
    withAuthors(leading(sql`*`, list, sql`true`, list.size + 1), sql`t.created_at DESC, t.id DESC`),
    signal,
  );
  return tweetPage(rows, list.size);
}

function leading(columns: Sql, { which, after }: NewestFirst, place: Sql, limit: number): Sql {
  const rest =
    after === null ? empty : sql`AND (t.created_at, t.id) < (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;
  return sql`SELECT ${columns} FROM corpus_tweets t WHERE ${which} AND ${VISIBLE} AND ${place} ${rest}
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit}`;
}

/**
 * For partitions of which each is older than the one before it. Searches the newest one alone, then growing groups of
 * older ones. The tweets are read by a statement whose plan is kept, because with many partitions planning takes longer
 * than running.
 */
async function newestInSequence(
  run: Run,
  list: NewestFirst,
  signal: AbortSignal,
  places: readonly IdRange[],
): Promise<NetworkPage> {
  const found: { id: string; created_at: Date }[] = [];
  for (let next = 0, size = 1; next < places.length && found.length <= list.size; next += size, size *= 4) {
    const group = places.slice(next, next + size);
    const place = inIds({ first: group.at(-1)?.first ?? '0', last: group[0]?.last ?? '0' });
    const columns = sql`t.id::text AS id, t.created_at`;
    found.push(
      ...(await run<(typeof found)[number]>(leading(columns, list, place, list.size + 1 - found.length), signal)),
    );
  }
  const page = found.slice(0, list.size);
  const known =
    page.length === 0
      ? new Map<string, Tweet>()
      : await readTweets(
          run,
          page.map(({ id }) => id),
          signal,
        );
  return {
    // Tweets of authors who have become protected in the meantime are left out.
    tweets: page.flatMap(({ id }) => known.get(id) ?? []).filter(({ author }) => author?.protected !== true),
    next: nextOf(found, list.size),
    nextIsCertain: true,
  };
}
