import { errorCode } from '../retry.js';
import type { Sql, Transaction } from '../sql.js';

/** What a table of debits holds. The amount is text, because it may be larger than a number can hold. */
export interface Totals {
  readonly rows: number;
  /** Thousandths of a credit. */
  readonly amount: string;
}

/**
 * A debit of a request is posted within minutes of it, or never. Streams and watches are different: the id of their
 * charge has the time of the position from which they go on, which may be of a month that is long over.
 */
const SETTLING = '1 day';

/**
 * Here a month is `2026-11` or, where that is too large for one table, a part with its own: `2026-11-w1`, `2026-11-27`.
 */
export const debitsTable = (month: string): string => `debits_${month.replaceAll('-', '_')}`;

/** The range of ids of a month's requests, without `to`. */
export async function monthIdRange(on: Sql | Transaction, month: string): Promise<{ from: string; to: string }> {
  const [ids] = await on<{ from: string; to: string }[]>`
    select first_id_at(span_began(month)) as from, first_id_at(span_ended(month)) as to from (select ${month}::text as month) m`;
  if (ids === undefined) throw new Error(`no ids of ${month}`);
  return ids;
}

/**
 * The longest that charges wait behind a change of the ledger's tables that is itself waiting for a lock, in
 * milliseconds. Then the change lets them pass, and is tried again.
 */
const LONGEST_LOCK_MS = 100;

/** Limits the wait for locks, for one transaction. */
export const withBriefLocks = (tx: Transaction) => setEverywhere(tx, 'lock_timeout', LONGEST_LOCK_MS);

/**
 * Whether a lock could not be taken in that time. On Citus, a lock on a worker fails like anything else that fails
 * there, with the cause in the worker's log; and in a deadlock, Citus ends one of the transactions (40P01).
 */
export const isLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(errorCode(error)) ||
  (error as Error).message.startsWith('failure on connection marked as essential');

/** What a transaction returns; `otherwise` if it ended because a lock could not be taken in that time. */
export const unlessLocked = <T>(transaction: Promise<T>, otherwise: T): Promise<T> =>
  transaction.catch((error) => {
    if (!isLocked(error)) throw error;
    return otherwise;
  });

/** Sets a setting for one transaction; in a distributed database, on the workers as well. */
export async function setEverywhere(tx: Transaction, setting: string, value: string | number): Promise<void> {
  await tx`select set_config('citus.propagate_set_commands', 'local', true)`;
  await tx.unsafe(`set local ${setting} = '${value}'`);
}

/** Removes the time limits, for one transaction. */
export const withoutLimits = (tx: Transaction) =>
  tx`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`;

/** Whether all months before a given one are over; only then are all their debits posted. */
export async function isOver(sql: Sql, before: string): Promise<boolean> {
  const [time] = await sql<{ isOver: boolean }[]>`
    select span_began(${before}) <= now() - ${SETTLING}::interval as "isOver"`;
  return time?.isOver === true;
}

/** The months that are over and have a table, the oldest first; only those before `before`, if it is given. */
export async function pastMonths(sql: Sql, before?: string): Promise<string[]> {
  const tables = await sql<{ month: string }[]>`
    select span as month from debit_spans
    where span_ended(span) <= now() - ${SETTLING}::interval
      ${before === undefined ? sql`` : sql`and span_ended(span) <= span_began(${before})`}
    order by span_began(span)`;
  return tables.map(({ month }) => month);
}

/** Whether debits of a month are not in the sums yet. */
export async function hasUnsummed(sql: Sql | Transaction, month: string): Promise<boolean> {
  const { to } = await monthIdRange(sql, month);
  const [row] = await sql<{ isUnsummed: boolean }[]>`
    select exists (
      select 1 from wallets w cross join lateral (
        select 1 from debits d
        where d.account_id = w.account_id and d.request_id >= w.summed_to and d.request_id < ${to} limit 1
      ) d where w.summed_to < ${to}
    ) as "isUnsummed"`;
  return row?.isUnsummed === true;
}

/** Rows and sum of a table of debits. */
export async function readTotals(on: Sql | Transaction, table: string): Promise<Totals> {
  const [row] = await on<{ rows: number; amount: string }[]>`
    select count(*) as rows, coalesce(sum(amount_thousandths), 0)::text as amount from ${on(table)}`;
  return { rows: row?.rows ?? 0, amount: row?.amount ?? '0' };
}

/** Records how a month ended, so that the ledger can be checked without its debits. */
export async function recordSums(tx: Transaction, month: string, { rows, amount }: Totals): Promise<void> {
  const table = tx(debitsTable(month));
  await tx`insert into checked_months (month, rows, amount_thousandths) values (${month}, ${rows}, ${amount}::numeric)`;
  await tx`
    insert into checked_debits (month, account_id, first_seq, last_seq, amount_thousandths, balance_after)
    select ${month}, account_id, min(seq), max(seq), sum(amount_thousandths), (array_agg(balance_after order by seq desc))[1]
    from (
      select account_id, seq, amount_thousandths, balance_after,
        seq - row_number() over (partition by account_id order by seq) as run
      from ${table}
    ) d group by account_id, run`;
  await tx`
    insert into checked_usage (month, account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    select ${month}, account_id, (d.at at time zone 'UTC')::date, left(d.operation, 64), k.key_id, count(*), sum(d.items),
      sum(d.cache_hits), sum(d.amount_thousandths)
    from ${table} d join keys k using (account_id, key_number)
    group by 2, 3, 4, 5`;
}
