import { BUCKETS } from '../../../src/domain/traffic.js';
import type {
  HourTraffic,
  LimitRow,
  MetLimit,
  OperationTraffic,
  StatusTraffic,
  Traffic,
  TrafficRow,
} from '../../../src/ports/figures.js';
import type { Sql, Transaction } from '../sql.js';
import { writeOnce } from './sum-batches.js';

/** Older hours and days are dropped when new ones are written. */
const KEPT_DAYS = 31;

/** Stands for an account where there is none. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Traffic in Postgres: a few hundred rows for each hour, and a row a day for each account and limit that it met. */
export function createTraffic(sql: Sql): Traffic {
  return {
    add: (batchId, rows, limits) => writeOnce(sql, batchId, (tx) => addAll(tx, rows, limits)),
    async read(fromHour, most) {
      const [hours, operations, statuses, limits] = await Promise.all([
        hoursFrom(sql, fromHour),
        operationsFrom(sql, fromHour),
        sql<StatusTraffic[]>`
          select interface, status, code, sum(requests)::bigint as requests from traffic_hours
          where hour >= ${fromHour} group by interface, status, code order by status, code, interface`,
        limitsFrom(sql, fromHour.slice(0, 10), most.limits),
      ]);
      return { hours, operations, statuses, limits };
    },
  };
}

/** Adds rows in the order of their keys, so that processes that write at the same time cannot deadlock. */
async function addAll(tx: Transaction, rows: readonly TrafficRow[], limits: readonly LimitRow[]): Promise<void> {
  const requests = rows.map(({ cacheHits, ...row }) => ({ ...row, cache_hits: cacheHits }));
  const refusals = limits.map(({ accountId, limit, ...row }) => ({
    ...{ ...row, account_id: accountId ?? NOBODY, limit_name: limit },
  }));
  await tx`
    insert into traffic_hours as t
    select * from jsonb_populate_recordset(null::traffic_hours, ${tx.json(requests)})
    order by hour, interface, operation, status, code, bucket
    on conflict (hour, interface, operation, status, code, bucket) do update set
      requests = t.requests + excluded.requests, items = t.items + excluded.items,
      cache_hits = t.cache_hits + excluded.cache_hits`;
  await tx`
    insert into limits_met as l
    select * from jsonb_populate_recordset(null::limits_met, ${tx.json(refusals)})
    order by day, account_id, limit_name
    on conflict (day, account_id, limit_name) do update set refusals = l.refusals + excluded.refusals`;
  await tx`delete from traffic_hours where hour < now() - make_interval(days => ${KEPT_DAYS})`;
  await tx`delete from limits_met where day < (now() at time zone 'UTC')::date - ${KEPT_DAYS}::int`;
}

/** The sums of one bucket; `ALL_BUCKETS` combines them. */
const SUMS = `bucket, sum(requests)::bigint as requests,
  coalesce(sum(requests) filter (where status >= 400 or code <> ''), 0)::bigint as refused,
  sum(items)::bigint as items, sum(cache_hits)::bigint as cache_hits`;

/** The figures of each group, from its sums by bucket. */
const ALL_BUCKETS = `sum(requests)::bigint as requests, sum(refused)::bigint as refused, sum(items)::bigint as items,
  sum(cache_hits)::bigint as "cacheHits", jsonb_object_agg(bucket, requests) as counts`;

type Counted<T> = Omit<T, 'buckets'> & { readonly counts: Readonly<Record<string, number>> };

async function hoursFrom(sql: Sql, fromHour: string): Promise<HourTraffic[]> {
  const rows = await sql<Counted<HourTraffic>[]>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24":00:00Z"') as hour, interface, ${sql.unsafe(ALL_BUCKETS)}
    from (select hour, interface, ${sql.unsafe(SUMS)} from traffic_hours where hour >= ${fromHour} group by hour, interface, bucket) s
    group by s.hour, interface order by s.hour, interface`;
  return rows.map(withBuckets);
}

async function operationsFrom(sql: Sql, fromHour: string): Promise<OperationTraffic[]> {
  const rows = await sql<Counted<OperationTraffic>[]>`
    select interface, operation, ${sql.unsafe(ALL_BUCKETS)}
    from (select interface, operation, ${sql.unsafe(SUMS)} from traffic_hours where hour >= ${fromHour} group by interface, operation, bucket) s
    group by interface, operation order by requests desc, interface, operation`;
  return rows.map(withBuckets);
}

const withBuckets = <T extends { readonly counts: Readonly<Record<string, number>> }>({ counts, ...row }: T) => ({
  ...row,
  buckets: Array.from({ length: BUCKETS }, (_, bucket) => counts[bucket] ?? 0),
});

const limitsFrom = (sql: Sql, fromDay: string, limit: number): Promise<MetLimit[]> => sql<MetLimit[]>`
  select nullif(l.account_id, ${NOBODY}::uuid) as "accountId", a.name as account, l.limit_name as "limit", l.refusals,
    to_char(l.last_day, 'YYYY-MM-DD') as "lastDay"
  from (
    select account_id, limit_name, sum(refusals)::bigint as refusals, max(day) as last_day
    from limits_met where day >= ${fromDay}::date group by account_id, limit_name
    order by refusals desc, account_id, limit_name limit ${limit}
  ) l left join accounts a using (account_id)
  order by l.refusals desc, l.account_id, l.limit_name`;
