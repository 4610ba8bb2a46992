import type { Incident, StatusDay } from '../../../src/domain/status-history.js';
import type { BadMinute, StatusHistory } from '../../../src/ports/figures.js';
import type { Sql, Transaction } from '../sql.js';
import { writeOnce } from './sum-batches.js';

/** Older days and minutes are dropped when new ones are written. */
export const KEPT_DAYS = 90;

/** Minutes with trouble belong to one incident if at most this many minutes lie between them. */
const GAP_MINUTES = 3;

const SUMS = ['minutes', 'degraded', 'down', 'calls', 'failures', 'read_ms', 'items', 'cache_hits'] as const;

/** Status history in Postgres: a row for each family of a day, and one for each minute with trouble. */
export function createStatusHistory(sql: Sql): StatusHistory {
  return {
    add: (batchId, days, minutes) => writeOnce(sql, batchId, (tx) => addAll(tx, days, minutes)),
    async read(fromDay, incidents) {
      const days = await sql<StatusDay[]>`
        select to_char(day, 'YYYY-MM-DD') as day, family, minutes, degraded, down, calls, failures,
          read_ms as "readMs", items, cache_hits as "cacheHits"
        from status_days where day >= ${fromDay}::date order by day, family`;
      return { days, incidents: await newestIncidents(sql, incidents) };
    },
  };
}

/** Adds rows in the order of their keys, so that processes that write at the same time cannot deadlock. */
async function addAll(tx: Transaction, days: readonly StatusDay[], minutes: readonly BadMinute[]): Promise<void> {
  const columns = tx.unsafe(SUMS.join(', '));
  const plus = tx.unsafe(SUMS.map((name) => `${name} = s.${name} + excluded.${name}`).join(', '));
  const addedDays = days.map(({ readMs, cacheHits, ...rest }) => ({ ...rest, read_ms: readMs, cache_hits: cacheHits }));
  const addedMinutes = minutes.map(({ minute, trouble, ...rest }) => ({
    ...rest,
    minute: new Date(minute).toISOString(),
    down: trouble === 'down',
  }));
  await tx`
    insert into status_days as s (day, family, ${columns})
    select day, family, ${columns} from jsonb_populate_recordset(null::status_days, ${tx.json(addedDays)})
    order by day, family
    on conflict (day, family) do update set ${plus}`;
  await tx`
    insert into status_minutes as s (minute, family, down, calls, failures)
    select minute, family, bool_or(down), sum(calls), sum(failures)
    from jsonb_populate_recordset(null::status_minutes, ${tx.json(addedMinutes)})
    group by minute, family order by minute, family
    on conflict (minute, family) do update set down = s.down or excluded.down, calls = s.calls + excluded.calls,
      failures = s.failures + excluded.failures`;
  await tx`delete from status_days where day <= (now() at time zone 'UTC')::date - ${KEPT_DAYS}::int`;
  await tx`delete from status_minutes where minute < now() - make_interval(days => ${KEPT_DAYS})`;
}

/** Runs of minutes with trouble in any process. A single minute in which only some calls failed does not count. */
const newestIncidents = (sql: Sql, limit: number): Promise<Incident[]> => sql<Incident[]>`
  select family, case when bool_or(down) then 'down' else 'degraded' end as trouble,
    (extract(epoch from min(minute)) * 1000)::float8 as from,
    (extract(epoch from max(minute)) * 1000)::float8 + 60000 as until,
    sum(calls)::float8 as calls, sum(failures)::float8 as failures
  from (
    select *, count(*) filter (where is_first) over (partition by family order by minute) as incident
    from (
      select *, minute > coalesce(lag(minute) over (partition by family order by minute), 'epoch'::timestamptz)
        + make_interval(mins => ${GAP_MINUTES}) as is_first
      from status_minutes
    ) marked
  ) numbered
  group by family, incident having count(*) > 1 or bool_or(down) order by min(minute) desc limit ${limit}`;
