import { setTimeout as wait } from 'node:timers/promises';
import { cancelOnAbort } from '../../../../src/lib/abort.js';
import { atLeisure, vacuum } from './leisure.js';
import type { Sql, TransactionSql } from './sql.js';

/** Rows that fill a partition: one server can still build and vacuum its text index, and keep it in memory. */
const MOST_ROWS = 50_000_000;
/** The most rows that fit on a page of 8 KB. */
const ROWS_OF_A_PAGE = 80;
/** If a table has grown by more than this factor, its statistics are renewed before they are used. */
const TRUSTED_GROWTH = 1.2;
/** The longest that a lock waits for a long read, because new reads have to wait behind it. */
const LONGEST_LOCK_MS = 100;
const LOCK_AGAIN_MS = 1000;
/** The constraint that keeps a partition from taking rows of the other half while it is cut. */
const CUT = 'up_to_the_cut';

/** A table, or one partition of it, with ids from `from` on and below `to`; null: no such bound. */
interface Part {
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly isCut: boolean;
  readonly pages: number;
  /** Null if they are out of date. */
  readonly rows: number | null;
}

/** In the order of ids. */
const partsOf = (sql: Sql | TransactionSql, table: string): Promise<Part[]> => sql<Part[]>`
  select name, low::text as "from", high::text as "to", "isCut", pages,
    case when relpages > 0 and pages <= ${TRUSTED_GROWTH}::float8 * relpages then reltuples::float8 * pages / relpages end as rows
  from (
    select oid::regclass::text as name, relpages, reltuples,
      (pg_relation_size(oid) / current_setting('block_size')::int)::float8 as pages,
      substring(pg_get_expr(relpartbound, oid) from $$ FROM [(]'?(-?[0-9]+)$$)::bigint as low,
      substring(pg_get_expr(relpartbound, oid) from $$ TO [(]'?(-?[0-9]+)$$)::bigint as high,
      exists (select from pg_constraint where conrelid = pg_class.oid and conname = ${CUT}) as "isCut"
    from pg_class
    where relkind = 'r' and (oid = to_regclass(${table}) or oid in (
      select inhrelid from pg_inherits where inhparent = to_regclass(${table})))
  ) parts order by low nulls first`;

export interface DivideOptions {
  readonly mostRows?: number;
  /** Ends the division, without effect, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * If the newest partition is full, adds one for higher ids, which moves no rows. If rows that came in another order
 * have filled another partition twice over, cuts that one in the middle, which moves half of its rows. A table without
 * partitions becomes the first partition. Reads continue, except for a moment at the end. For one process at a time,
 * under the lock of imports.
 */
export async function divide(
  sql: Sql,
  table: string,
  { mostRows = MOST_ROWS, signal }: DivideOptions = {},
): Promise<void> {
  await mend(sql, table);
  for (const part of await partsOf(sql, table)) {
    const rows = await rowsOf(sql, table, part, mostRows);
    if (rows < mostRows) continue;
    if (part.to === null) await cut(sql, table, part, await aboveAll(sql, part), signal);
    // A larger one was filled before there were partitions, and stays whole.
    else if (rows >= 2 * mostRows && rows < 4 * mostRows) await cut(sql, table, part, await middle(sql, part), signal);
  }
}

/** Cuts the partition whose range has this id inside, at that id, however large it is. */
export async function divideAt(sql: Sql, table: string, id: string): Promise<void> {
  const isIn = ({ from, to }: Part): boolean =>
    (from === null || BigInt(from) < BigInt(id)) && (to === null || BigInt(id) < BigInt(to));
  const part = (await partsOf(sql, table)).find(isIn);
  if (part !== undefined) await cut(sql, table, part, id);
}

/** Vacuums a table, or those of its partitions that rows were written to. */
export async function vacuumWritten(sql: Sql, table: string): Promise<void> {
  const written = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_stat_user_tables
    where (n_mod_since_analyze > 0 or n_ins_since_vacuum > 0) and (relid = to_regclass(${table})
      or relid in (select inhrelid from pg_inherits where inhparent = to_regclass(${table})))`;
  for (const { name } of written) await vacuum(sql, name);
}

/** Removes what a killed process left behind of a cut. */
export async function mend(sql: Sql | TransactionSql, table: string): Promise<void> {
  for (const { name, isCut } of await partsOf(sql, table))
    if (isCut) await sql.unsafe(`alter table ${name} drop constraint if exists ${CUT}`);
}

/** About how many rows a partition has; 0 if it certainly has fewer than `mostRows`. */
async function rowsOf(sql: Sql, table: string, { name, pages, rows }: Part, mostRows: number): Promise<number> {
  if (pages * ROWS_OF_A_PAGE < mostRows) return 0;
  if (rows !== null) return rows;
  await atLeisure(sql, (transaction) => transaction.unsafe(`analyze ${name}`));
  return (await partsOf(sql, table)).find((part) => part.name === name)?.rows ?? 0;
}

/** The id after the greatest one; null if no id can be greater. */
async function aboveAll(sql: Sql, { name }: Part): Promise<string | null> {
  const [row] = await sql.unsafe<{ id: string }[]>(
    `select (max(id) + 1)::text as id from ${name} where id < 9223372036854775807`,
  );
  return row?.id ?? null;
}

/** The middle id, according to the statistics. */
async function middle(sql: Sql, { name }: Part): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select ids[cardinality(ids) / 2 + 1]::text as id
    from (select histogram_bounds::text::bigint[] as ids from pg_stats
      where schemaname = current_schema and tablename = ${name} and attname = 'id') stats`;
  return row?.id ?? null;
}

/** Makes two partitions of one: the first with the ids below `at`, the second with those from `at` on. */
async function cut(
  sql: Sql,
  table: string,
  part: Part,
  at: string | null,
  signal = new AbortController().signal,
): Promise<void> {
  if (at === null) return;
  const ends = (from: string | null, to: string | null): string =>
    [from && `id >= ${from}`, to && `id < ${to}`].filter(Boolean).join(' and ');
  await atLeisure(sql, async (transaction) => {
    await lockAlone(transaction, part.name, signal);
    await transaction.unsafe(`alter table ${part.name} add constraint ${CUT} check (${ends(part.from, at)}) not valid`);
  });
  const halves = await atLeisure(sql, async (transaction) => {
    const run = (statement: string) => cancelOnAbort(transaction.unsafe(statement), signal);
    const rest = `${table}_${await freeNumber(transaction, table)}`;
    await run(`create table ${rest} (like ${part.name} including all excluding constraints excluding indexes)`);
    await run(`alter table ${rest} add constraint ${CUT} check (${ends(at, part.to)})`);
    const moved = await run(`insert into ${rest} select * from ${part.name} where id >= ${at}`);
    await run(`delete from ${part.name} where id >= ${at}`);
    for (const definition of await indexesFor(transaction, part.name, rest)) await run(definition);
    // Otherwise attaching it would scan the whole partition while nobody else can read it.
    await run(`alter table ${part.name} validate constraint ${CUT}`);
    await lockAlone(transaction, table, signal);
    const first = part.name === table ? await beginPartitions(transaction, table) : part.name;
    if (first === part.name) await run(`alter table ${table} detach partition ${first}`);
    const attach = (name: string, from: string | null, to: string | null) =>
      run(
        `alter table ${table} attach partition ${name} for values from (${from ?? 'minvalue'}) to (${to ?? 'maxvalue'})`,
      );
    await attach(first, part.from, at);
    await attach(rest, at, part.to);
    for (const name of [first, rest]) await run(`alter table ${name} drop constraint ${CUT}`);
    return moved.count > 0 ? [first, rest] : [];
  });
  // The statistics are those of both halves together, and the pages that lost rows have room.
  for (const half of halves) await vacuum(sql, half);
}

async function freeNumber(sql: TransactionSql, table: string): Promise<number> {
  const [row] = await sql<{ number: number }[]>`
    select coalesce(max(substring(inhrelid::regclass::text from '[0-9]+$')::int), 1) + 1 as number
    from pg_inherits where inhparent = to_regclass(${table})`;
  return row?.number ?? 2;
}

/** Takes a lock that needs a moment without readers, in short tries, so that new readers hardly wait for old ones. */
async function lockAlone(sql: TransactionSql, table: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await sql.savepoint(async (inner) => {
        await inner`select set_config('lock_timeout', ${String(LONGEST_LOCK_MS)}, true)`;
        await inner.unsafe(`lock table ${table} in access exclusive mode`);
      });
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error;
      await wait(LOCK_AGAIN_MS, undefined, { signal });
    }
  }
}

/** The definition of one table's index, changed to that of another table. Index names begin with the table's name. */
const forTable = (definition: string, from: string, to: string): string =>
  definition.replace(
    /INDEX (\S+) ON \S+/,
    (_, name: string) => `INDEX ${name.startsWith(`${from}_`) ? to + name.slice(from.length) : name} ON ${to}`,
  );

/** Statements that give `to` the indexes of `from`. Indexes that `from` misses are noted as missing of `to`, too. */
async function indexesFor(sql: TransactionSql, from: string, to: string): Promise<string[]> {
  const indexes = await sql<{ definition: string }[]>`
    select pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = to_regclass(${from}) and not indisprimary order by indexrelid`;
  const missing = await sql<{ name: string; definition: string }[]>`
    select name, definition from missing_indexes where table_name = ${from} order by number`;
  for (const { name, definition } of missing) {
    const row = { name: name.replace(from, to), table_name: to, definition: forTable(definition, from, to) };
    await sql`insert into missing_indexes ${sql(row)}`;
  }
  const key = `alter table ${to} add constraint ${to}_pkey primary key (id)`;
  return [key, ...indexes.map(({ definition }) => forTable(definition, from, to))];
}

/** Renames the table to what will be its first partition, and creates a partitioned table in its place. */
async function beginPartitions(sql: TransactionSql, table: string): Promise<string> {
  const first = `${table}_1`;
  const indexes = await sql<{ name: string }[]>`
    select relname as name from pg_index join pg_class on oid = indexrelid where indrelid = to_regclass(${table})`;
  await sql.unsafe(`alter table ${table} rename to ${first}`);
  for (const { name } of indexes) await sql.unsafe(`alter index ${name} rename to ${name.replace(table, first)}`);
  const missing = await sql<{ name: string; definition: string }[]>`
    select name, definition from missing_indexes where table_name = ${table}`;
  for (const { name, definition } of missing) {
    const row = { name: name.replace(table, first), table_name: first, definition: forTable(definition, table, first) };
    await sql`update missing_indexes set ${sql(row)} where name = ${name}`;
  }
  await sql.unsafe(`create table ${table} (like ${first} including defaults, constraint ${table}_pkey primary key (id))
    partition by range (id)`);
  return first;
}
