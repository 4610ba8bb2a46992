import { USAGE_GROUPS, type UsageGroup } from '../../../src/domain/usage.js';
import type { KeyUse, UsageQuery, UsageRow } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';

/**
 * What an account's debits add up to, by any combination of UTC day, hour, endpoint and key, sorted by these. Read from
 * the sums that maintenance makes and from the debits that came after them, so it is exact at any moment. Without
 * groups there is one row, of zeros when there is nothing. Returns a pending query, which can be cancelled.
 */
export function usageRows(sql: Sql, accountId: string, query: UsageQuery) {
  const groups = USAGE_GROUPS.filter((group) => query.group.includes(group));
  const names = sql.unsafe(groups.map((group) => COLUMNS[group]).join(', '));
  return sql<UsageRow[]>`
    with part as (${parts(sql, accountId, query)})
    select ${sql.unsafe(groups.map((group) => `${SHOWN[group]},`).join(' '))}
      coalesce(sum(requests), 0)::bigint as requests,
      coalesce(sum(items), 0)::bigint as items,
      coalesce(sum(cache_hits), 0)::bigint as "cacheHits",
      coalesce(sum(amount_thousandths), 0)::bigint as amount
    from part ${groups.includes('key') ? sql`join (${prefixes(sql, accountId)}) k using (key_id)` : sql``}
    where ${query.keyId === undefined ? sql`true` : sql`key_id = ${query.keyId}`}
    ${groups.length > 0 && query.after ? sql`and (${names}) > (${cursorValues(sql, groups, query.after)})` : sql``}
    ${groups.length === 0 ? sql`` : sql`group by ${names} order by ${names}`}
    limit ${query.limit}`;
}

/** The last day on which each key paid for something. Returns a pending query, as above. */
export const lastUseRows = (sql: Sql, accountId: string, from: string) => sql<KeyUse[]>`
  with part as (${parts(sql, accountId, { from, to: END_OF_TIME, group: [] })})
  select key_id as "keyId", to_char(max(day), 'YYYY-MM-DD') as day from part group by key_id`;

const END_OF_TIME = '9999-01-01T00:00:00Z';

const COLUMNS: Record<UsageGroup, string> = { day: 'day', hour: 'hour', endpoint: 'endpoint', key: 'prefix' };

const SHOWN: Record<UsageGroup, string> = {
  day: `to_char(day, 'YYYY-MM-DD') as day`,
  hour: `to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as hour`,
  endpoint: 'endpoint',
  key: 'prefix as "keyPrefix"',
};

/** Sums by hour, by day, and the debits not summed up yet. Names compare by their bytes, the same on every server. */
const parts = (sql: Sql, accountId: string, { from, to, group }: Pick<UsageQuery, 'from' | 'to' | 'group'>) => sql`
  select (hour at time zone 'UTC')::date as day, hour, endpoint collate "C" as endpoint, key_id, requests, items, cache_hits,
    amount_thousandths
  from usage_hours where account_id = ${accountId} and hour >= ${from}::timestamptz and hour < ${to}::timestamptz
  ${
    group.includes('hour')
      ? sql``
      : sql`union all
          select day, null, endpoint, key_id, requests, items, cache_hits, amount_thousandths
          from usage_days where account_id = ${accountId}
            and day >= (${from}::timestamptz at time zone 'UTC')::date and day < (${to}::timestamptz at time zone 'UTC')::date`
  }
  union all
  select (d.at at time zone 'UTC')::date, date_trunc('hour', d.at, 'UTC'), left(d.operation, 64), k.key_id, 1, d.items,
    d.cache_hits, d.amount_thousandths
  from unsummed_debits d join keys k using (account_id, key_number)
  where d.account_id = ${accountId} and d.at >= ${from}::timestamptz and d.at < ${to}::timestamptz`;

const prefixes = (sql: Sql, accountId: string) =>
  sql`select key_id, prefix collate "C" as prefix from keys where account_id = ${accountId}`;

const TYPES: Record<UsageGroup, string> = { day: 'date', hour: 'timestamptz', endpoint: 'text', key: 'text' };

const cursorValues = (sql: Sql, groups: readonly UsageGroup[], after: readonly string[]) =>
  groups.map((group, nth) => sql`${nth === 0 ? sql`` : sql`, `}${after[nth] ?? ''}::${sql.unsafe(TYPES[group])}`);
