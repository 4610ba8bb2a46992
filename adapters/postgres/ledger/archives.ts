import { setTimeout as sleep } from 'node:timers/promises';
import { isTimedOut } from '../retry.js';
import type { Sql, Transaction } from '../sql.js';

/** A month of debits as it was archived. Amounts may be beyond what a number holds: text. */
export interface LedgerArchive {
  /** `2025-12`. */
  readonly month: string;
  readonly rows: number;
  /** Thousandths of a credit. */
  readonly amount: string;
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly sha256: string;
}

/** What a table of debits holds. */
interface Totals {
  readonly rows: number;
  readonly amount: string;
}

/** Why a command is refused, in words. */
export class ArchiveRefusal extends Error {}

/** Debits in one statement: some 2 MB. */
const DEBITS_AT_ONCE = 5_000;

/**
 * The longest that charges wait behind a change of the ledger's tables that waits itself, in milliseconds. Then it
 * lets them pass, and tries again.
 */
const LONGEST_LOCK_MS = 100;

/** Between two tries, which go on for a minute. */
const PAUSE_MS = 1_000;
const TRIES = 60;

/** A debit is posted within minutes of its request, or never. */
const SETTLING = '1 day';

const ARCHIVING_LOCK = 0x61726368;

const debitsTable = (month: string): string => `debits_${month.replace('-', '_')}`;

/** The ids of a month's requests: from one on, and up to another. */
async function monthIdRange(on: Sql | Transaction, month: string): Promise<{ from: string; to: string }> {
  const [ids] = await on<{ from: string; to: string }[]>`
    select first_id_at(month at time zone 'UTC') as from, first_id_at((month + interval '1 month') at time zone 'UTC') as to
    from (select ${`${month}-01`}::timestamp as month) m`;
  if (ids === undefined) throw new Error(`no ids of ${month}`);
  return ids;
}

/**
 * Archiving or restoring, one at a time in the whole database. The lock ends with the transaction, in which nothing else
 * is done, so that it holds up neither a pooler nor the cleaning of tables. Throws ArchiveRefusal.
 */
export async function archivingAlone<T>(sql: Sql, run: () => Promise<T>): Promise<T> {
  return (await sql.begin(async (tx) => {
    await withoutLimits(tx);
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${ARCHIVING_LOCK}) as taken`;
    if (!lock?.taken) throw new ArchiveRefusal('another ledger archive or ledger restore is running');
    return run();
  })) as T;
}

const withoutLimits = (tx: Transaction) =>
  tx`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`;

/** The months before one that have a table, the oldest first. Throws ArchiveRefusal if one of them isn't over. */
export async function monthsBefore(sql: Sql, before: string): Promise<string[]> {
  const [time] = await sql<{ isOver: boolean }[]>`
    select (${`${before}-01`}::timestamp at time zone 'UTC') <= now() - ${SETTLING}::interval as "isOver"`;
  if (!time?.isOver)
    throw new ArchiveRefusal(`only months that ended at least a day ago can be archived: ${before} is too late`);
  const tables = await sql<{ month: string }[]>`
    select translate(substr(relid::regclass::text, 8), '_', '-') as month from pg_partition_tree('debits')
    where isleaf and relid::regclass::text ~ '^debits_[0-9]{4}_[0-9]{2}$' order by 1`;
  return tables.map(({ month }) => month).filter((month) => month < before);
}

/** Throws ArchiveRefusal unless all debits of a month are in the sums. */
export async function checkArchivable(sql: Sql | Transaction, month: string): Promise<void> {
  const { to } = await monthIdRange(sql, month);
  const [row] = await sql<{ isUnsummed: boolean }[]>`
    select exists (
      select from wallets w cross join lateral (
        select from debits d
        where d.wallet_number = w.wallet_number and d.request_id >= w.summed_to and d.request_id < ${to} limit 1
      ) d where w.summed_to < ${to}
    ) as "isUnsummed"`;
  if (row?.isUnsummed)
    throw new ArchiveRefusal(`debits of ${month} are not summed up yet; the service does that every ten minutes`);
}

/** Rows and sum of a table of debits. */
async function readTotals(on: Sql | Transaction, table: string): Promise<Totals> {
  const [row] = await on<{ rows: number; amount: string }[]>`
    select count(*) as rows, coalesce(sum(amount_thousandths), 0)::text as amount from ${on(table)}`;
  return { rows: row?.rows ?? 0, amount: row?.amount ?? '0' };
}

/** How many debits a month has. */
export const countDebits = async (sql: Sql, month: string): Promise<number> =>
  (await readTotals(sql, debitsTable(month))).rows;

/** All of a month's debits as JSON, some at a time, in the order of the index; times in UTC to the microsecond. */
export async function* debitLines(sql: Sql, month: string): AsyncGenerator<string[]> {
  for (let after = { wallet: -1, id: '00000000-0000-0000-0000-000000000000' }; ; ) {
    const rows = await sql<{ wallet: number; id: string; line: string }[]>`
      select wallet_number as wallet, request_id as id, (
        select row_to_json(r)::text from (
          select d.request_id, w.account_id, w.wallet_id, k.key_id, d.at, d.seq, d.amount_thousandths, d.balance_after, d.operation,
            d.items, d.cache_hits, d.lines, d.wallet_number, d.key_number
        ) r) as line
      from (
        select * from ${sql(debitsTable(month))} where (wallet_number, request_id) > (${after.wallet}, ${after.id}::uuid)
        order by wallet_number, request_id limit ${DEBITS_AT_ONCE}
      ) d left join wallets w using (wallet_number)
        left join keys k on k.account_id = w.account_id and k.key_number = d.key_number
      order by wallet_number, request_id`;
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ line }) => line);
    after = last;
  }
}

/**
 * Records the archive of a month and drops its table, both or neither: what was posted for it since the file was
 * written is noticed, and nothing is posted meanwhile. Returns how long charges may have waited, in milliseconds.
 */
export async function dropMonth(sql: Sql, archive: LedgerArchive, onWait: () => void): Promise<number> {
  const { month, rows, amount, file, sha256 } = archive;
  const table = debitsTable(month);
  return (await sql.begin(async (tx) => {
    await withoutLimits(tx);
    await whenFree(tx, onWait, (on) => on`lock table ${on(table)} in share mode`);
    const now = await readTotals(tx, table);
    if (now.rows !== rows || now.amount !== amount)
      throw new ArchiveRefusal(
        `debits of ${month} were posted while it was written: remove its files, and run the command again`,
      );
    await checkArchivable(tx, month);
    await tx`
      insert into ledger_archives (month, rows, amount_thousandths, file, sha256)
      values (${`${month}-01`}::date, ${rows}, ${amount}::numeric, ${file}, ${sha256})`;
    await recordSums(tx, month);
    return whenFree(
      tx,
      onWait,
      (on) => on`alter table debits detach partition ${on(table)}`,
      (on) => on`drop table ${on(table)}`,
    );
  })) as number;
}

async function recordSums(tx: Transaction, month: string): Promise<void> {
  const table = tx(debitsTable(month));
  const day = tx`${`${month}-01`}::date`;
  await tx`
    insert into archived_debits (month, wallet_number, first_seq, last_seq, amount_thousandths, balance_after)
    select ${day}, wallet_number, min(seq), max(seq), sum(amount_thousandths), (array_agg(balance_after order by seq desc))[1]
    from (
      select wallet_number, seq, amount_thousandths, balance_after,
        seq - row_number() over (partition by wallet_number order by seq) as run
      from ${table}
    ) d group by wallet_number, run`;
  await tx`
    insert into archived_usage (month, account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    select ${day}, w.account_id, (d.at at time zone 'UTC')::date, left(d.operation, 64), k.key_id, count(*), sum(d.items),
      sum(d.cache_hits), sum(d.amount_thousandths)
    from ${table} d join wallets w using (wallet_number)
      join keys k on k.account_id = w.account_id and k.key_number = d.key_number
    group by 2, 3, 4, 5`;
}

/** Statements that need a table's lock, tried until nobody is in the way for long. Returns what the longest try took. */
async function whenFree(
  tx: Transaction,
  onWait: () => void,
  ...statements: readonly ((on: Transaction) => PromiseLike<unknown>)[]
): Promise<number> {
  await tx`select set_config('lock_timeout', ${String(LONGEST_LOCK_MS)}, true)`;
  let longestMs = 0;
  for (let tries = 1; ; tries += 1) {
    const beganMs = performance.now();
    try {
      await tx.savepoint(async (on) => {
        for (const statement of statements) await statement(on);
      });
      return Math.max(longestMs, performance.now() - beganMs);
    } catch (error) {
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      if (!isTimedOut(error)) throw error;
      if (tries === TRIES)
        throw new ArchiveRefusal('something long is running in the ledger: run the command again when it is done');
      if (tries === 1) onWait();
      await sleep(PAUSE_MS);
    }
  }
}

/** The record of a month's archive. Throws ArchiveRefusal if there is none. */
export async function requireArchive(sql: Sql, month: string): Promise<LedgerArchive> {
  const [row] = await sql<LedgerArchive[]>`
    select to_char(month, 'YYYY-MM') as month, rows, amount_thousandths::text as amount, file, sha256
    from ledger_archives where month = ${`${month}-01`}::date`;
  if (row === undefined) throw new ArchiveRefusal(`${month} is not archived in this database: nothing to restore`);
  return row;
}

/** The month of an archive that a request id lies in, as `2025-12`, if there is one. */
export const archivedMonth = (sql: Sql, requestId: string) => sql<{ month: string }[]>`
  select to_char(month, 'YYYY-MM') as month from ledger_archives
  where ${requestId}::uuid >= first_id_at(month::timestamp at time zone 'UTC')
    and ${requestId}::uuid < first_id_at((month::timestamp + interval '1 month') at time zone 'UTC')`;

const restoringTable = (month: string): string => `${debitsTable(month)}_restoring`;

/** Makes an empty table for a month's debits, not attached yet. What an interrupted restore left is dropped. */
export async function beginRestore(sql: Sql, month: string): Promise<void> {
  const name = restoringTable(month);
  const { from, to } = await monthIdRange(sql, month);
  await sql.begin(async (tx) => {
    await tx`drop table if exists ${tx(name)}`;
    await tx`create table ${tx(name)} (like debits including all)`;
    // So that it need not be looked through when it is attached.
    await tx.unsafe(
      `alter table ${name} add constraint in_month check (request_id >= '${from}' and request_id < '${to}')`,
    );
    await tx.unsafe(`create trigger append_only before update or delete or truncate on ${name}
      for each statement execute function refuse_change()`);
  });
}

/** Lines of `debitLines` as rows. */
export async function loadDebits(sql: Sql, month: string, lines: readonly string[]): Promise<void> {
  await sql`
    insert into ${sql(restoringTable(month))} (request_id, seq, amount_thousandths, balance_after, at, wallet_number, key_number,
      items, cache_hits, operation, lines)
    select request_id, seq, amount_thousandths, balance_after, at, wallet_number, key_number, items, cache_hits, operation, lines
    from json_to_recordset(${`[${lines.join(',')}]`}::text::json) as d(request_id uuid, seq bigint, amount_thousandths bigint,
      balance_after bigint, at timestamptz, wallet_number int, key_number int, items int, cache_hits int, operation text,
      lines text)`;
}

/**
 * Gives a month its table back, once that holds all that was archived, and forgets the archive: both or neither. What was
 * posted for the month since is moved there. Returns how long charges may have waited, in milliseconds.
 */
export async function endRestore(sql: Sql, archive: LedgerArchive, onWait: () => void): Promise<number> {
  const { month, rows, amount } = archive;
  const [name, loaded] = [debitsTable(month), restoringTable(month)];
  return (await sql.begin(async (tx) => {
    await withoutLimits(tx);
    await tx`select set_config('perch.moving', 'on', true)`;
    const now = await readTotals(tx, loaded);
    if (now.rows !== rows || now.amount !== amount)
      throw new ArchiveRefusal(`the file does not hold what was archived of ${month}: ${now.rows} of ${rows} debits`);
    const { from, to } = await monthIdRange(tx, month);
    for (const table of ['archived_usage', 'archived_debits', 'ledger_archives'])
      await tx`delete from ${tx(table)} where month = ${`${month}-01`}::date`;
    return whenFree(
      tx,
      onWait,
      (on) => on`lock table debits_of_no_month in access exclusive mode`,
      (on) => on`
        with late as (delete from debits_of_no_month where request_id >= ${from} and request_id < ${to} returning *)
        insert into ${on(loaded)} select * from late`,
      (on) => on`alter table ${on(loaded)} rename to ${on(name)}`,
      (on) => on.unsafe(`alter table debits attach partition ${name} for values from ('${from}') to ('${to}')`),
      (on) => on`alter table ${on(name)} drop constraint in_month`,
    );
  })) as number;
}
