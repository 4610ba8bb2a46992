import { monotonic } from '../../../src/lib/monotonic.js';
import { byShard, type Shards } from '../shards/shards.js';
import type { Sql, Transaction } from '../sql.js';
import { unlessLocked, withBriefLocks } from './months.js';
import { addedUp, keptFrom, type RunStep, settledTo, sumAllDebits } from './sums.js';

/** How many months are open ahead of the current one. */
const MONTHS_AHEAD = 3;

/** The most bytes that a table of debits should hold, with its index: a larger month is divided into weeks or days. */
const MOST_BYTES = 549_755_813_888;

/** How long before a month begins its division is decided, and how long before that it must have begun. */
const DIVIDED_BEFORE = '2 days';
const DIVIDED_UNTIL = '12 hours';

/** The most rows in one transaction, so that others do not wait long for it: about 100 ms on a small machine. */
const HOURS_AT_ONCE = 5_000;
const NAMES_AT_ONCE = 5_000;

/** The most accounts of a distributed database whose hours one run folds; the next run does the others. */
const ACCOUNTS_FOLDED = 20_000;

/** The longest that a run takes, in milliseconds: half of the time until the next one, which does the rest. */
const LONGEST_RUN_MS = 300_000;

/**
 * The longest that one of its statements runs, in milliseconds. After that the database ends it, and the next run tries
 * again.
 */
const STATEMENT_MS = 30_000;

/** Held for the length of a transaction, so that only one node works at a time. */
const MAINTENANCE_LOCK = 0x74696479;

/** Returns how much there was to do. */
type Step = (tx: Transaction) => Promise<number>;

/**
 * The ledger's own housekeeping, on whichever node gets the lock: opens the months ahead, divides the next one by its
 * volume, sums up debits, folds old hours into days, and drops names from before yesterday. It works in short
 * transactions, none of which changes the usage reported.
 */
export async function maintainLedger(sql: Sql, signal?: AbortSignal, shards: Shards | null = null): Promise<void> {
  const endsAtMs = monotonic.now() + LONGEST_RUN_MS;
  await openMonthsAhead(sql);
  const durably: RunStep = async (step) =>
    signal?.aborted || monotonic.now() >= endsAtMs ? undefined : alone(sql, step);
  const inTime: RunStep = (step) =>
    durably(async (tx) => {
      // No need to wait for the disk: a crash can only undo a whole step, which the next run repeats.
      await tx`select set_config('synchronous_commit', 'off', true)`;
      return step(tx);
    });
  // Left to the next run while somebody reads the ledger's tables.
  const divide = (tx: Transaction) => divideNextMonth(tx, { shards });
  while (await unlessLocked(durably(divide), false));
  // Folding and dropping come first because they are bounded: sums may take all the time that is left.
  for (const accounts of await foldedTogether(sql, shards)) while (await inTime((tx) => foldHours(tx, accounts)));
  while (await inTime(dropNames));
  await sumAllDebits(inTime, await settledTo(sql), shards);
}

/** Runs one step; undefined if another node is at work. */
function alone<T>(sql: Sql, step: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
  return sql.begin(async (tx): Promise<T | undefined> => {
    await tx`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) as taken`;
    return lock?.taken ? step(tx) : undefined;
  }) as Promise<T | undefined>;
}

/** The accounts whose hours are folded in one transaction: in a distributed database, those of one shard; null: all. */
async function foldedTogether(sql: Sql, shards: Shards | null): Promise<readonly (readonly string[] | null)[]> {
  if (shards === null) return [null];
  const rows = await sql<{ accountId: string }[]>`
    select distinct account_id as "accountId" from usage_hours where hour < ${keptFrom(sql)} limit ${ACCOUNTS_FOLDED}`;
  return byShard(
    rows.map(({ accountId }) => accountId),
    shards,
    (id) => id,
  );
}

/** Folds old hours into days, of these accounts or of all. */
async function foldHours(tx: Transaction, accounts: readonly string[] | null): Promise<number> {
  const [row] = await tx<{ moved: number }[]>`
    with old as (
      select account_id, hour, endpoint, key_id from usage_hours
      where hour < ${keptFrom(tx)} ${isOf(tx, 'account_id', accounts)}
      order by hour, account_id, endpoint, key_id limit ${HOURS_AT_ONCE} for update skip locked
    ),
    moved as (
      delete from usage_hours u using old o
      where (u.account_id, u.hour, u.endpoint, u.key_id) = (o.account_id, o.hour, o.endpoint, o.key_id)
        ${isOf(tx, 'u.account_id', accounts)}
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
}

const isOf = (tx: Transaction, column: string, accounts: readonly string[] | null) =>
  accounts === null ? tx`` : tx`and ${tx(column)} = any(${[...accounts]}::uuid[])`;

const dropNames: Step = async (tx) => {
  const dropped = await tx`
    delete from operation_names where (account_id, day) in (
      select account_id, day from operation_names where day < (now() at time zone 'UTC')::date - 1 limit ${NAMES_AT_ONCE}
    )`;
  return dropped.count;
};

/**
 * Opens the current month of the ledger and some ahead. Debits of a month that was not opened in time go to the table
 * of no month, where everything works except `perch ledger archive`.
 */
async function openMonths(tx: Transaction, ahead: number): Promise<void> {
  await tx`
    select open_month(date_trunc('month', now(), 'UTC') + ahead * interval '1 month')
    from generate_series(0, ${ahead}::int) as ahead`;
}

/** Opens the current month, in the transaction that makes the schema: it is the only one that is needed at once. */
export const openThisMonth = (tx: Transaction): Promise<void> => openMonths(tx, 0);

/**
 * Opens the months ahead. A new month has to lock the table of no month, which a backup reads for hours, and all who
 * look for a debit would wait behind it. So it waits only briefly: there are months of other tries.
 */
export async function openMonthsAhead(sql: Sql): Promise<void> {
  const opened = alone(sql, async (tx) => {
    await withBriefLocks(tx);
    await openMonths(tx, MONTHS_AHEAD);
  });
  await unlessLocked(opened, undefined);
}

/**
 * Shortly before the next month begins, gives it as many tables as the current month would need at its rate: one, or
 * one for each week or day. Each transaction only drops the present tables or adds one, so that charges never wait
 * long. Returns whether it changed anything. Fails if it would have to wait itself. A month that already has debits
 * stays as it is.
 */
export async function divideNextMonth(
  tx: Transaction,
  { mostBytes = MOST_BYTES, before = DIVIDED_BEFORE, until = DIVIDED_UNTIL, shards = null as Shards | null } = {},
): Promise<boolean> {
  // Each shard has its own table.
  const bytes =
    shards === null ? tx`pg_total_relation_size(relid)` : tx`citus_total_relation_size(relid) / ${shards.count}::int`;
  const [next] = await tx<
    { month: string; first: string; last: string; days: number; bytesADay: number; isLate: boolean }[]
  >`
    select to_char(begins, 'YYYY-MM') as month, first_id_at(begins at time zone 'UTC') as first,
      first_id_at((begins + interval '1 month') at time zone 'UTC') as last,
      extract(day from begins + interval '1 month' - interval '1 day')::int as days, (
        select coalesce(sum(${bytes}) * 86400
          / sum(extract(epoch from least(span_ended(span), now()) - span_began(span))), 0)::float8
        from debit_spans where span like to_char(now() at time zone 'UTC', 'YYYY-MM') || '%' and span_began(span) < now()
      ) as "bytesADay",
      (begins - ${until}::interval) at time zone 'UTC' <= now() as "isLate"
    from (select date_trunc('month', now() at time zone 'UTC') + interval '1 month' as begins) n
    where (begins - ${before}::interval) at time zone 'UTC' <= now()`;
  if (next === undefined) return false;
  const wanted = spansOf(next, mostBytes);
  const open = await tx<{ span: string; table: string }[]>`
    select span, relid::regclass::text as table from debit_spans where span like ${`${next.month}%`} order by span`;
  const missing = new Set(wanted);
  const areWanted = open.every(({ span }) => missing.delete(span));
  if (areWanted ? missing.size === 0 : next.isLate) return false;
  await withBriefLocks(tx);
  if (!areWanted) {
    await tx`lock table debits in access exclusive mode`;
    const debits = await tx`select from debits where request_id >= ${next.first} and request_id < ${next.last} limit 1`;
    if (debits.length > 0) return false;
    for (const { table } of open) await tx`drop table ${tx(table)}`;
    return true;
  }
  for (const span of missing) {
    const [row] = await tx<{ isOpen: boolean }[]>`select open_span(${span}) as "isOpen"`;
    if (row?.isOpen) return true;
  }
  return false;
}

/** The longest spans into which a month can be divided so that no table exceeds `mostBytes`. */
function spansOf(
  { month, days, bytesADay }: { month: string; days: number; bytesADay: number },
  mostBytes: number,
): string[] {
  if (days * bytesADay <= mostBytes) return [month];
  // The last week extends to the end of the month.
  if ((days - 21) * bytesADay <= mostBytes) return [1, 2, 3, 4].map((week) => `${month}-w${week}`);
  return Array.from({ length: days }, (_, nth) => `${month}-${String(nth + 1).padStart(2, '0')}`);
}
