import sql from 'sql-template-tag';
import { handleKey } from '../../../../src/domain/ids.js';
import type { Tweet, UserRef } from '../../../../src/domain/model.js';
import type { SampleAccount } from '../../../../src/ports/network.js';
import { type TweetRow, USER_COLUMNS, type UserRow, withAuthors } from '../columns.js';
import { rowsToTweets } from '../map.js';
import type { Run } from '../run.js';
import { storableId } from '../token.js';

export type FoundUserRow = UserRow & { user_id: string };

/**
 * Profiles by id and by handle (in lower case) in one statement; `asked` is the handle, null for an id. Not the database
 * makes it lower case, because the result would depend on its locale.
 */
export async function readUsers(
  run: Run,
  refs: readonly UserRef[],
  signal: AbortSignal,
): Promise<{ byId: Map<string, FoundUserRow>; byHandle: Map<string, FoundUserRow> }> {
  const ids = refs.flatMap((ref) => ('id' in ref && storableId(ref.id) !== null ? [ref.id] : []));
  const handles = refs.flatMap((ref) => ('handle' in ref ? [handleKey(ref.handle)] : []));
  const rows = await run<FoundUserRow & { asked: string | null }>(
    sql`SELECT NULL::text AS asked, ${USER_COLUMNS} FROM corpus_users u WHERE u.id = ANY(${ids}::bigint[])
      UNION ALL
      SELECT h.asked, ${USER_COLUMNS} FROM unnest(${handles}::text[]) AS h(asked) CROSS JOIN LATERAL (
        SELECT * FROM corpus_users c WHERE lower(c.handle) = h.asked ORDER BY c.id DESC LIMIT 1
      ) u`,
    signal,
    { planned: 'once' },
  );
  const byId = new Map<string, FoundUserRow>();
  const byHandle = new Map<string, FoundUserRow>();
  for (const row of rows) {
    if (row.asked === null) byId.set(row.user_id, row);
    else byHandle.set(row.asked, row);
  }
  return { byId, byHandle };
}

/** Null if there is no such account. */
export async function readMostFollowed(run: Run, signal: AbortSignal): Promise<SampleAccount | null> {
  const [row] = await run<{ handle: string; tweet_id: string | null }>(
    sql`SELECT u.handle, (
        SELECT t.id::text FROM corpus_tweets t WHERE t.author_id = u.id AND t.edited_to IS NULL
        ORDER BY t.created_at DESC, t.id DESC LIMIT 1
      ) AS tweet_id
      FROM corpus_users u WHERE u.protected IS NOT TRUE ORDER BY u.standing DESC, u.id DESC LIMIT 1`,
    signal,
    { planned: 'once' },
  );
  return row === undefined ? null : { handle: row.handle, tweetId: row.tweet_id };
}

/** Tweets by id with their authors, including those of protected authors: the caller reports why these are withheld. */
export async function readTweets(run: Run, ids: readonly string[], signal: AbortSignal): Promise<Map<string, Tweet>> {
  const possible = ids.filter((id) => storableId(id) !== null);
  const rows = await run<TweetRow>(
    withAuthors(
      // A join, so that one plan serves all ids and is kept; each id is then looked up only in its own partition.
      sql`SELECT t.* FROM unnest(${possible}::bigint[]) AS asked (id) JOIN corpus_tweets t ON t.id = asked.id`,
      sql`t.id`,
    ),
    signal,
    { planned: 'once' },
  );
  return new Map(rowsToTweets(rows).map((tweet) => [tweet.id, tweet]));
}
