import { monotonic } from '../../../src/lib/monotonic.js';
import type { Sql, Transaction } from '../sql.js';
import { addedUp, keptFrom, type RunStep, settledTo, sumAllDebits } from './sums.js';

/** Months that are open ahead of the running one. */
const MONTHS_AHEAD = 3;

/** The most rows in one transaction, so that no other waits long for them: about 100 ms on a small machine. */
const HOURS_AT_ONCE = 5_000;
const NAMES_AT_ONCE = 5_000;

/** How long a run goes on, in milliseconds: half of the time until the next one, which does the rest. */
const LONGEST_RUN_MS = 300_000;

/**
 * The longest that one of its statements runs, in milliseconds: then the database ends it, and the next run tries
 * again.
 */
const STATEMENT_MS = 30_000;

/** Held for the length of a transaction: one node at a time, whichever is first. */
const MAINTENANCE_LOCK = 0x74696479;

/** Returns how much there was to do. */
type Step = (tx: Transaction) => Promise<number>;

/**
 * The ledger's own housekeeping, on whichever node gets the lock: opens the months ahead, sums up debits, folds old
 * hours into days, and drops names from before yesterday. It works in short transactions, none of which changes the
 * usage reported.
 */
export async function maintainLedger(sql: Sql, signal?: AbortSignal): Promise<void> {
  const endsAtMs = monotonic.now() + LONGEST_RUN_MS;
  await alone(sql, openMonths);
  const inTime: RunStep = async (step) =>
    signal?.aborted || monotonic.now() >= endsAtMs
      ? undefined
      : alone(sql, async (tx) => {
          // A crash that takes a step back takes back all of it, and the next run repeats it.
          await tx`select set_config('synchronous_commit', 'off', true)`;
          return step(tx);
        });
  // These two end: sums may take all the time that is left.
  for (const step of [foldHours, dropNames]) while (await inTime(step));
  await sumAllDebits(inTime, await settledTo(sql));
}

/** One step; undefined if another node is doing it. */
function alone<T>(sql: Sql, step: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
  return sql.begin(async (tx): Promise<T | undefined> => {
    await tx`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) as taken`;
    return lock?.taken ? step(tx) : undefined;
  }) as Promise<T | undefined>;
}

const foldHours: Step = async (tx) => {
  const [row] = await tx<{ moved: number }[]>`
    with old as (
      select account_id, hour, endpoint, key_id from usage_hours where hour < ${keptFrom(tx)}
      order by hour, account_id, endpoint, key_id limit ${HOURS_AT_ONCE} for update skip locked
    ),
    moved as (
      delete from usage_hours u using old o
      where (u.account_id, u.hour, u.endpoint, u.key_id) = (o.account_id, o.hour, o.endpoint, o.key_id)
      returning u.*
    ),
    folded as (
      insert into usage_days as u (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, (hour at time zone 'UTC')::date, endpoint, key_id, sum(requests), sum(items), sum(cache_hits),
        sum(amount_thousandths)
      from moved group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account_id, day, endpoint, key_id) do update set ${addedUp(tx)}
    )
    select count(*) as moved from moved`;
  return row?.moved ?? 0;
};

const dropNames: Step = async (tx) => {
  const dropped = await tx`
    delete from operation_names where (account_id, day) in (
      select account_id, day from operation_names where day < (now() at time zone 'UTC')::date - 1 limit ${NAMES_AT_ONCE}
    )`;
  return dropped.count;
};

/**
 * Opens the running month of the ledger and those ahead. A month that was not opened in time has its debits among those
 * of no month, where everything works but `perch ledger archive`.
 */
export async function openMonths(tx: Sql | Transaction): Promise<void> {
  await tx`
    select open_month(date_trunc('month', now(), 'UTC') + ahead * interval '1 month')
    from generate_series(0, ${MONTHS_AHEAD}::int) as ahead`;
}
