import sql, { raw } from 'sql-template-tag';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { Run } from '../run.js';

/**
 * True for a tweet `t` that lists show: it has no later version (T29), and its author is not protected; tweets of
 * protected authors never leave the corpus (T8). Written as a look-up for each tweet, so that no planner turns it into
 * a list of all protected profiles.
 */
export const VISIBLE = raw(
  't.edited_to IS NULL AND (SELECT p.protected FROM corpus_users p WHERE p.id = t.author_id) IS NOT TRUE',
);

export const noUser = (): ServiceError => new ServiceError('not_found', 'No such user.');
export const noTweet = (): ServiceError => new ServiceError('not_found', 'No such tweet.');
const privateUser = (): ServiceError =>
  new ServiceError('not_found', 'The account is protected: this list is private.', {
    reason: 'private',
    isOfAccount: true,
  });
export const privateTweet = (): ServiceError =>
  new ServiceError('not_found', 'The tweet is private: its author is protected.', {
    reason: 'private',
    isOfAccount: true,
  });

/**
 * Why a user's list is empty: throws when the user does not exist or the list is private, returns when it is just
 * empty.
 */
export async function requireOpenUser(run: Run, id: string, signal: AbortSignal): Promise<void> {
  const [row] = await run<{ protected: boolean | null }>(
    sql`SELECT protected FROM corpus_users WHERE id = ${id}::bigint`,
    signal,
    { planned: 'once' },
  );
  if (row === undefined) throw noUser();
  if (row.protected) throw privateUser();
}

/** The same for a list of a tweet. */
export async function requireOpenTweet(run: Run, id: string, signal: AbortSignal): Promise<void> {
  const [row] = await run<{ protected: boolean | null }>(
    sql`SELECT u.protected FROM corpus_tweets t LEFT JOIN corpus_users u ON u.id = t.author_id WHERE t.id = ${id}::bigint`,
    signal,
    { planned: 'once' },
  );
  if (row === undefined) throw noTweet();
  if (row.protected) throw privateTweet();
}
