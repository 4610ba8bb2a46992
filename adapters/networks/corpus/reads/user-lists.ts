import sql, { empty, raw } from 'sql-template-tag';
import type { NetworkPage } from '../../../../src/ports/network.js';
import { USER_COLUMNS } from '../columns.js';
import type { Run } from '../run.js';
import { type CorpusPosition, positionTime } from '../token.js';
import { type ListedUserRow, userPage } from './page.js';
import { requireOpenUser, VISIBLE } from './subject.js';

const SIZE = 200;

/** In the order of the imported file. An edge to a profile that is missing here is skipped. */
export async function readFollows(
  run: Run,
  direction: 'followers' | 'following',
  userId: string,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const [subject, listed] =
    direction === 'followers' ? ['f.followed_id', 'f.follower_id'] : ['f.follower_id', 'f.followed_id'];
  const rest =
    after === null ? empty : sql`AND (f.ordinal, ${raw(listed)}) > (${after.value}::bigint, ${after.id}::bigint)`;
  const rows = await run<ListedUserRow>(
    sql`SELECT ${USER_COLUMNS}, f.ordinal::float8 AS position, u.id::text AS position_id
      FROM corpus_follows f JOIN corpus_users u ON u.id = ${raw(listed)}
      WHERE ${raw(subject)} = ${userId}::bigint ${rest}
        AND NOT EXISTS (SELECT FROM corpus_users s WHERE s.id = ${userId}::bigint AND s.protected)
      ORDER BY f.ordinal, ${raw(listed)} LIMIT ${SIZE + 1}`,
    signal,
  );
  if (rows.length === 0) await requireOpenUser(run, userId, signal);
  return userPage(rows, SIZE);
}

/**
 * The users who retweeted, each once, sorted by their latest retweet, newest first; empty when the tweet does not exist.
 */
export async function readRetweeters(
  run: Run,
  tweetId: string,
  after: CorpusPosition | null,
  signal: AbortSignal,
): Promise<NetworkPage> {
  const rest =
    after === null ? empty : sql`AND (t.created_at, t.id) < (${positionTime(after)}::timestamptz, ${after.id}::bigint)`;
  const rows = await run<ListedUserRow>(
    sql`SELECT ${USER_COLUMNS}, (extract(epoch FROM t.created_at) * 1000)::float8 AS position, t.id::text AS position_id
      FROM corpus_tweets t JOIN corpus_users u ON u.id = t.author_id
      WHERE t.retweeted_id = ${tweetId}::bigint AND ${VISIBLE} ${rest}
        AND NOT EXISTS (
          SELECT FROM corpus_tweets later WHERE later.retweeted_id = t.retweeted_id AND later.author_id = t.author_id
            AND (later.created_at, later.id) > (t.created_at, t.id))
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${SIZE + 1}`,
    signal,
  );
  return userPage(rows, SIZE);
}
