import { copyInto, copyText } from './copy.js';
import type { TransactionSql } from './sql.js';

const STAGE = 'staged_corpus_follows';

/** An edge and its position among all edges of the import, from 1. */
export type StagedFollow = readonly [followerId: string, followedId: string, position: number];

export async function openFollowStage(sql: TransactionSql): Promise<void> {
  await sql`create temp table ${sql(STAGE)} (follower_id text, followed_id text, position text) on commit drop`;
}

export const stageFollows = async (sql: TransactionSql, follows: readonly StagedFollow[]): Promise<void> =>
  copyInto(sql, STAGE, ['follower_id', 'followed_id', 'position'], await copyText(follows));

interface Order {
  added: number;
  /** Edges imported earlier are in a different order in this import. */
  isMoved: boolean;
  /** New edges come after all that were imported earlier. */
  isAppended: boolean;
}

/**
 * Merges the staged edges so that they read in the order of their import (C20). Edges already in the right order keep
 * their ordinals, so that the same file changes nothing; where an import has another order, all of its edges get new
 * positions after everything else.
 */
export async function mergeFollows(sql: TransactionSql, table: string): Promise<{ added: number; changed: number }> {
  await sql`create temp table ordered_corpus_follows on commit drop as
    select follower_id, followed_id, min(s.position) as position, min(f.ordinal) as ordinal
    from (select follower_id::bigint, followed_id::bigint, position::bigint from ${sql(STAGE)}) s left join ${sql(table)} f using (follower_id, followed_id) group by 1, 2`;
  const [order] = await sql<Order[]>`
    select count(*) filter (where ordinal is null)::int as added,
      coalesce(bool_or(ordinal < highest_before), false) as "isMoved",
      coalesce(min(position) filter (where ordinal is null) > max(position) filter (where ordinal is not null), true) as "isAppended"
    from (select position, ordinal,
      max(ordinal) over (order by position rows between unbounded preceding and 1 preceding) as highest_before
      from ordered_corpus_follows) placed`;
  const { added, isMoved, isAppended } = order ?? { added: 0, isMoved: false, isAppended: true };
  if (added === 0 && !isMoved) return { added, changed: 0 };
  const isKept = !isMoved && isAppended;
  const written = await sql`
    insert into ${sql(table)} (follower_id, followed_id, ordinal)
    select follower_id, followed_id, position + (select coalesce(max(ordinal), 0) from ${sql(table)})
    from ordered_corpus_follows ${isKept ? sql`where ordinal is null` : sql``} order by position
    on conflict (follower_id, followed_id) do update set ordinal = excluded.ordinal`;
  return { added, changed: written.count - added };
}
