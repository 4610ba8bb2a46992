import type { WatchFigures, WatchReason } from '../../../src/ports/watches.js';
import type { Sql } from '../sql.js';

/** The most deliveries that are counted: beyond this, the exact number makes no difference. */
const MOST_COUNTED = 100_000;

/** What watches wait for, over all processes, read from Postgres. */
export async function watchFigures(sql: Sql): Promise<WatchFigures> {
  const [[deliveries], watches] = await Promise.all([
    sql<{ waiting: number; overdueSeconds: number }[]>`
      select (
        select count(*)::int from (
          select from deliveries where number is not null and due_at is not null limit ${MOST_COUNTED}) counted
      ) as waiting, (
        select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 from deliveries
        where channel = 'webhook' and in_turn and due_at <= now()
      ) as "overdueSeconds"`,
    sql<{ state: 'active' | 'waiting' | 'paused'; reason: WatchReason | null; count: number }[]>`
      select state, reason, count(*)::int as count from watches where state <> 'ended' group by state, reason`,
  ]);
  if (deliveries === undefined) throw new TypeError('A count has a row.');
  return { ...deliveries, watches };
}
