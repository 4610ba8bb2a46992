import type { Tables } from '../run.js';
import { derivedStageOf, deriveInto } from './derive.js';
import { IMPORT_LOCK, type Sql, type TransactionSql } from './sql.js';
import { type EntityTable, intoTables } from './tables.js';

/** Goes up by one with every change of what `vectorOfTweet`, `vectorOfUser` or `rankOf` give: all tables are indexed anew (T26). */
export const INDEX_VERSION = 2;

const BATCH_ROWS = 5000;
/** So many new versions of rows leave as many old ones behind. */
const LARGE_ROWS = 1_000;

/**
 * Indexes every row that no search finds yet (those of an earlier version of the index, or written by hand), in batches
 * of their own: interrupted, it loses one batch, and continues from there when called again. Processes that call it
 * together share the work; it takes turns with imports. Reports its progress.
 */
export async function indexCorpus(
  sql: Sql,
  onProgress: (text: string) => void = () => {},
  tables: Tables = 'corpus',
): Promise<void> {
  const { users, tweets } = intoTables(tables);
  await sql.begin((transaction) => forgetEarlier(transaction, tables));
  await indexTable(sql, users, 'profiles', onProgress);
  await indexTable(sql, tweets, 'tweets', onProgress);
}

/** Rows of an earlier version of the index are as if they were not indexed. */
async function forgetEarlier(sql: TransactionSql, tables: Tables): Promise<void> {
  const isCurrent = () => sql`select from search_index where tables = ${tables} and version >= ${INDEX_VERSION}`;
  if ((await isCurrent()).length > 0) return;
  await inTurn(sql);
  if ((await isCurrent()).length > 0) return;
  const { users, tweets } = intoTables(tables);
  for (const { name } of [users, tweets]) await sql`update ${sql(name)} set search = null where search is not null`;
  await noteIndexed(sql, tables);
}

/** Notes that all rows are of this version of the index, or have none. */
export async function noteIndexed(sql: TransactionSql, tables: Tables): Promise<void> {
  await sql`insert into search_index (tables, version) values (${tables}, ${INDEX_VERSION})
    on conflict (tables) do update set version = excluded.version`;
}

/** It may wait for an import, and takes its time. */
async function inTurn(sql: TransactionSql): Promise<void> {
  await sql`
    select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`;
  await sql`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
}

async function indexTable<Row>(
  sql: Sql,
  table: EntityTable<Row>,
  what: string,
  onProgress: (text: string) => void,
): Promise<void> {
  const isUnindexed = `${table.name} where search is null`;
  const found = await sql.unsafe(`select from ${isUnindexed} limit 1`);
  if (found.length === 0) return;
  const [row] = await sql.unsafe<{ rows: number }[]>(`select count(*)::int as rows from ${isUnindexed}`);
  const all = row?.rows ?? 0;
  let done = 0;
  let count: number;
  do {
    onProgress(`Indexing ${what} for search: ${Math.floor((100 * done) / all)}% of ${all.toLocaleString('en')}`);
    count = await sql.begin((transaction) => indexBatch(transaction, table));
    done = Math.min(done + count, all);
  } while (count > 0);
  if (all >= LARGE_ROWS) await sql.unsafe(`vacuum (analyze) ${table.name}`);
}

/** Gives the number of rows that it indexed; 0 when there are no more. */
async function indexBatch<Row>(sql: TransactionSql, table: EntityTable<Row>): Promise<number> {
  await inTurn(sql);
  const count = await deriveInto(
    sql,
    table,
    `select * from ${table.name} where search is null order by id limit ${BATCH_ROWS}`,
  );
  if (count === 0) return 0;
  const sets = table.derived.map(({ name, type }) => `${name} = d.${name}::${type}`);
  await sql.unsafe(
    `update ${table.name} t set ${sets.join(', ')} from ${derivedStageOf(table.name)} d where t.id = d.id::bigint`,
  );
  return count;
}
