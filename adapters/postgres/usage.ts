import type { UsageGroup, UsageRow } from '../../src/ports/truth.js';
import type { Sql } from './sql.js';

/**
 * What an account's debits sum up to between two times (RFC 3339; `from` counts, `to` does not), by any combination of UTC
 * day, endpoint and key, sorted by these (W12). Ungrouped: one row, of zeros when there is nothing.
 */
export async function readUsage(
  sql: Sql,
  accountId: string,
  range: { from: string; to: string; group: readonly UsageGroup[] },
): Promise<UsageRow[]> {
  const columns = {
    day: sql`to_char(e.at at time zone 'UTC', 'YYYY-MM-DD') as day`,
    endpoint: sql`e.operation as endpoint`,
    key: sql`k.prefix as "keyPrefix"`,
  };
  const groups = (['day', 'endpoint', 'key'] as const).filter((group) => range.group.includes(group));
  const places = sql.unsafe(groups.map((_, index) => index + 1).join(', '));
  return [
    ...(await sql<UsageRow[]>`
      select ${groups.length === 0 ? sql`` : groups.map((group) => sql`${columns[group]},`)}
        count(*) as requests,
        coalesce(sum(e.items), 0)::bigint as items,
        coalesce(sum(e.cache_hits), 0)::bigint as "cacheHits",
        coalesce(sum(e.amount_thousandths), 0)::bigint as amount
      from ledger_entries e join keys k using (account_id, key_id)
      where e.account_id = ${accountId} and e.kind = 'debit'
        and e.at >= ${range.from}::timestamptz and e.at < ${range.to}::timestamptz
      ${groups.length === 0 ? sql`` : sql`group by ${places} order by ${places}`}`),
  ];
}
