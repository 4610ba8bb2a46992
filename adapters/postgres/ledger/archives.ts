import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { slicesOf } from '../shards/copy-accounts.js';
import { distributeTable } from '../shards/distribute.js';
import { isDistributed } from '../shards/shards.js';
import type { Sql, Transaction } from '../sql.js';
import { forgetMonths, type IdSpan } from './checked-months.js';
import {
  debitsTable,
  hasUnsummed,
  isLocked,
  isOver,
  monthIdRange,
  pastMonths,
  readTotals,
  type Totals,
  withBriefLocks,
  withoutLimits,
} from './months.js';

/** A month of debits as it was archived. */
export interface LedgerArchive extends Totals {
  /** `2025-12`. */
  readonly month: string;
  /** The name of the file, without its folder. */
  readonly file: string;
  readonly sha256: string;
}

/** Why a command is refused, in words. */
export class ArchiveRefusal extends Error {}

/** Debits read by one statement: some 2 MB. */
const DEBITS_AT_ONCE = 5_000;

/** The pause between two tries, which continue for a minute. */
const PAUSE_MS = 1_000;
const TRIES = 60;

const ARCHIVING_LOCK = 0x61726368;

/**
 * Runs an archive or a restore, one at a time in the whole database. The lock ends with its transaction, which does
 * nothing else, so that it holds up neither a pooler nor the vacuuming of tables. Throws ArchiveRefusal.
 */
export async function archivingAlone<T>(sql: Sql, run: () => Promise<T>): Promise<T> {
  return (await sql.begin(async (tx) => {
    await withoutLimits(tx);
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${ARCHIVING_LOCK}) as taken`;
    if (!lock?.taken) throw new ArchiveRefusal('another ledger archive or ledger restore is running');
    return run();
  })) as T;
}

/** The months with a table before a given one, the oldest first. Throws ArchiveRefusal if one of them isn't over. */
export async function monthsBefore(sql: Sql, before: string): Promise<string[]> {
  if (!(await isOver(sql, before)))
    throw new ArchiveRefusal(`only months that ended at least a day ago can be archived: ${before} is too late`);
  return pastMonths(sql, before);
}

/** Throws ArchiveRefusal unless all debits of a month are in the sums. */
export async function checkArchivable(sql: Sql | Transaction, month: string): Promise<void> {
  if (await hasUnsummed(sql, month))
    throw new ArchiveRefusal(`debits of ${month} are not summed up yet; the service does that every ten minutes`);
}

/** How many debits these months have, as far as they were checked. */
export async function checkedRows(sql: Sql, months: readonly string[]): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select coalesce(sum(rows), 0)::bigint as rows from checked_months where month = any(${[...months]}::text[])`;
  return row?.rows ?? 0;
}

/** How much of a table one statement copies, in blocks: 512 MB, half a minute. */
const BLOCKS_AT_ONCE = 65_536;

/**
 * All of a month's debits as CSV, in one pass and in no order; times in UTC to the microsecond. One part after the
 * other, because wallets collect old versions while a statement runs that might still see them.
 */
export async function copyDebits<T>(
  sql: Sql,
  month: string,
  take: (csv: AsyncIterable<Buffer>) => Promise<T>,
  blocksAtOnce = BLOCKS_AT_ONCE,
): Promise<T> {
  const parts = (await isDistributed(sql)) ? await partsByAccount(sql) : await partsByBlock(sql, month, blocksAtOnce);
  return (await sql.begin('isolation level read committed', async (tx) => {
    await withoutLimits(tx);
    await tx`set local timezone = 'UTC'`;
    const csv = csvOf(tx, month, parts);
    try {
      return await take(csv);
    } finally {
      await csv.return();
    }
  })) as T;
}

/** Conditions on a debit `d`, one for each part. */
async function partsByBlock(sql: Sql, month: string, blocksAtOnce: number): Promise<string[]> {
  const [table] = await sql<[{ blocks: number }]>`
    select (pg_relation_size(${debitsTable(month)}::regclass) / current_setting('block_size')::int)::int as blocks`;
  const count = Math.max(1, Math.ceil(table.blocks / blocksAtOnce));
  // The last part also has what is added meanwhile.
  const end = (nth: number) => (nth + 1 === count ? '' : `and d.ctid < '(${(nth + 1) * blocksAtOnce},0)'`);
  return Array.from({ length: count }, (_, nth) => `d.ctid >= '(${nth * blocksAtOnce},0)' ${end(nth)}`);
}

/** The coordinator of Citus holds all rows of a statement before it passes on the first one. */
async function partsByAccount(sql: Sql): Promise<string[]> {
  const slices = await slicesOf(sql);
  return slices.map(({ from, to }) => `d.account_id >= '${from}' ${to === null ? '' : `and d.account_id < '${to}'`}`);
}

async function* csvOf(tx: Transaction, month: string, parts: readonly string[]): AsyncGenerator<Buffer, void> {
  for (const part of parts) {
    const copy = tx.unsafe(`copy (
      select d.request_id, d.account_id, w.wallet_id, k.key_id, d.at, d.seq, d.amount_thousandths, d.balance_after, d.operation,
        d.items, d.cache_hits, d.lines, d.key_number
      from ${debitsTable(month)} d left join wallets w using (account_id) left join keys k using (account_id, key_number)
      where ${part}
    ) to stdout (format csv)`);
    let isOver = false;
    try {
      yield* await copy.readable();
      isOver = true;
    } finally {
      if (!isOver) copy.cancel();
    }
  }
}

/** Before all ids. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** All of a month's debits as JSON, some at a time, in the order of the index; times in UTC to the microsecond. */
export async function* debitLines(sql: Sql, month: string): AsyncGenerator<string[]> {
  for (let after = { account: NO_ID, id: NO_ID }; ; ) {
    const rows = await sql<{ account: string; id: string; line: string }[]>`
      select d.account_id as account, d.request_id as id, (
        select row_to_json(r)::text from (
          select d.request_id, d.account_id, w.wallet_id, k.key_id, d.at, d.seq, d.amount_thousandths, d.balance_after, d.operation,
            d.items, d.cache_hits, d.lines, d.key_number
        ) r) as line
      from (
        select * from ${sql(debitsTable(month))} where (account_id, request_id) > (${after.account}::uuid, ${after.id}::uuid)
        order by account_id, request_id limit ${DEBITS_AT_ONCE}
      ) d left join wallets w using (account_id) left join keys k using (account_id, key_number)
      order by account_id, request_id`;
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(({ line }) => line);
    after = last;
  }
}

/**
 * Records the archive of a month and drops its table, both or neither. Notices debits that were posted to the month
 * since its file was written, and lets none be posted meanwhile. Returns how long charges may have waited, in
 * milliseconds.
 */
export async function dropMonth(sql: Sql, archive: LedgerArchive, onWait: () => void): Promise<number> {
  if (!(await isDistributed(sql)))
    return dropUnchanged(sql, archive, onWait, (on) => on`lock table ${on(debitsTable(archive.month))} in share mode`);
  const closedMs = await closeMonth(sql, archive.month, onWait);
  try {
    return Math.max(closedMs, await dropUnchanged(sql, archive, onWait));
  } catch (error) {
    await sql`alter table ${sql(debitsTable(archive.month))} drop constraint closed`.catch(() => {});
    throw error;
  }
}

/**
 * On Citus, current charges would wait for a lock on any month while the month is counted. So instead of locking it,
 * charges for this month are refused, which are at least a day late. If this is interrupted, they stay refused until
 * the command is run again.
 */
async function closeMonth(sql: Sql, month: string, onWait: () => void): Promise<number> {
  const table = debitsTable(month);
  return (await sql.begin((tx) =>
    whenFree(
      tx,
      onWait,
      lockDebits,
      (on) => on`alter table ${on(table)} drop constraint if exists closed`,
      (on) => on`alter table ${on(table)} add constraint closed check (false) not valid`,
    ),
  )) as number;
}

/** Locks the parent table before its partitions, in the same order as charges on Citus, which avoids deadlocks. */
const lockDebits = (on: Transaction) => on`lock table only debits in access exclusive mode`;

async function dropUnchanged(
  sql: Sql,
  { month, rows, amount, file, sha256 }: LedgerArchive,
  onWait: () => void,
  ...locks: readonly ((on: Transaction) => PromiseLike<unknown>)[]
): Promise<number> {
  const table = debitsTable(month);
  return (await sql.begin(async (tx) => {
    await withoutLimits(tx);
    await whenFree(tx, onWait, ...locks);
    const now = await readTotals(tx, table);
    if (now.rows !== rows || now.amount !== amount)
      throw new ArchiveRefusal(
        `debits of ${month} were posted while it was written: remove its files, and run the command again`,
      );
    const [checked] = await tx<Totals[]>`
      select rows, amount_thousandths::text as amount from checked_months where month = ${month}`;
    if (checked?.rows !== rows || checked.amount !== amount)
      throw new ArchiveRefusal(
        `${month} does not match its last check: run perch ledger check, then this command again`,
      );
    await tx`
      insert into ledger_archives (month, rows, amount_thousandths, file, sha256)
      values (${month}, ${rows}, ${amount}::numeric, ${file}, ${sha256})`;
    return whenFree(
      tx,
      onWait,
      lockDebits,
      (on) => on`alter table debits detach partition ${on(table)}`,
      (on) => on`drop table ${on(table)}`,
    );
  })) as number;
}

/**
 * Retries statements that need a table's lock until they get it without a long wait. Returns what the longest try took.
 */
async function whenFree(
  tx: Transaction,
  onWait: () => void,
  ...statements: readonly ((on: Transaction) => PromiseLike<unknown>)[]
): Promise<number> {
  await withBriefLocks(tx);
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
      if (!isLocked(error)) throw error;
      if (tries === TRIES)
        throw new ArchiveRefusal('a long query is using the ledger: run the command again when it has finished');
      if (tries === 1) onWait();
      await sleep(PAUSE_MS);
    }
  }
}

/** The record of a month's archive. Throws ArchiveRefusal if there is none. */
export async function requireArchive(sql: Sql, month: string): Promise<LedgerArchive> {
  const [row] = await sql<LedgerArchive[]>`
    select month, rows, amount_thousandths::text as amount, file, sha256
    from ledger_archives where month = ${month}`;
  if (row === undefined) throw new ArchiveRefusal(`${month} is not archived in this database: nothing to restore`);
  return row;
}

/** The archived month of a request id, as `2025-12`, if there is one. */
export const archivedMonth = (sql: Sql, requestId: string) => sql<{ month: string }[]>`
  select month from ledger_archives
  where ${requestId}::uuid >= first_id_at(span_began(month)) and ${requestId}::uuid < first_id_at(span_ended(month))`;

const restoringTable = (month: string): string => `${debitsTable(month)}_restoring`;

/** Creates an empty table for a month's debits, not attached yet. Drops what an interrupted restore left behind. */
export async function beginRestore(sql: Sql, month: string): Promise<void> {
  const name = restoringTable(month);
  const { from, to } = await monthIdRange(sql, month);
  await sql.begin(async (tx) => {
    await tx`drop table if exists ${tx(name)}`;
    await tx`create table ${tx(name)} (like debits including all)`;
    // So that Postgres need not scan the table when it is attached.
    await tx.unsafe(
      `alter table ${name} add constraint in_month check (request_id >= '${from}' and request_id < '${to}')`,
    );
    await tx.unsafe(`create trigger append_only before update or delete or truncate on ${name}
      for each statement execute function refuse_change()`);
    if (!(await isDistributed(tx))) return;
    await tx`select set_config('citus.enable_unsafe_triggers', 'on', true)`;
    await distributeTable(tx, name);
  });
}

/** Loads lines of `debitLines` as rows. */
export async function loadDebits(sql: Sql, month: string, lines: readonly string[]): Promise<void> {
  await sql`
    insert into ${sql(restoringTable(month))} (request_id, seq, amount_thousandths, balance_after, at, account_id, key_number,
      items, cache_hits, operation, lines)
    select request_id, seq, amount_thousandths, balance_after, at, account_id, key_number, items, cache_hits, operation, lines
    from json_to_recordset(${`[${lines.join(',')}]`}::text::json) as d(request_id uuid, seq bigint, amount_thousandths bigint,
      balance_after bigint, at timestamptz, account_id uuid, key_number int, items int, cache_hits int, operation text,
      lines text)`;
}

/** What was restored, and at what cost. */
interface Restored {
  /** How long charges may have waited, in milliseconds. */
  readonly pauseMs: number;
  /** Ids under which a debit was archived and another one posted since. The later debit has another id now. */
  readonly twins: readonly string[];
}

/**
 * Attaches a month's restored table, once it holds everything that was archived, and forgets the archive: both or
 * neither. Debits that were posted for the month since then are moved there.
 */
export async function endRestore(sql: Sql, archive: LedgerArchive, onWait: () => void): Promise<Restored> {
  const { month, rows, amount } = archive;
  const [name, loaded] = [debitsTable(month), restoringTable(month)];
  let twins: readonly string[] = [];
  const pauseMs = (await sql.begin(async (tx) => {
    await withoutLimits(tx);
    const now = await readTotals(tx, loaded);
    if (now.rows !== rows || now.amount !== amount)
      throw new ArchiveRefusal(`the file does not hold what was archived of ${month}: ${now.rows} of ${rows} debits`);
    const { from, to } = await monthIdRange(tx, month);
    await forgetMonths(tx, [month]);
    await tx`delete from ledger_archives where month = ${month}`;
    return whenFree(
      tx,
      onWait,
      (on) => on`lock table debits_of_no_month in access exclusive mode`,
      async (on) => {
        twins = await moveTwins(on, loaded, { from, to });
      },
      (on) => on`
        with late as (delete from debits_of_no_month where request_id >= ${from} and request_id < ${to} returning *)
        insert into ${on(loaded)} select * from late`,
      (on) => on`alter table ${on(loaded)} rename to ${on(name)}`,
      (on) => on.unsafe(`alter table debits attach partition ${name} for values from ('${from}') to ('${to}')`),
      (on) => on`alter table ${on(name)} drop constraint in_month`,
    );
  })) as number;
  return { pauseMs, twins };
}

/**
 * A stream that goes on from an old position may charge again what was charged in a month that is archived, under the
 * same id. Both debits are entries of the wallet, so the later one is kept, under an id of the same moment.
 */
async function moveTwins(tx: Transaction, loaded: string, { from, to }: IdSpan): Promise<string[]> {
  const twins = await tx<{ accountId: string; requestId: string }[]>`
    select account_id as "accountId", request_id as "requestId"
    from debits_of_no_month join ${tx(loaded)} using (account_id, request_id)
    where request_id >= ${from} and request_id < ${to}`;
  for (const { accountId, requestId } of twins)
    await tx`
      with late as (
        delete from debits_of_no_month where account_id = ${accountId} and request_id = ${requestId} returning *
      )
      insert into ${tx(loaded)} (request_id, seq, amount_thousandths, balance_after, at, account_id, key_number, items,
        cache_hits, operation, lines)
      select ${withOtherEnd(requestId)}::uuid, seq, amount_thousandths, balance_after, at, account_id, key_number, items,
        cache_hits, operation, lines
      from late`;
  return twins.map(({ requestId }) => requestId);
}

/** The time and the version are in the first 19 characters. */
const withOtherEnd = (id: string): string => `${id.slice(0, 19)}${randomUUID().slice(19)}`;
