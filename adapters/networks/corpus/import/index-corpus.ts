import type { Tables } from '../run.js';
import { derivedStageName, deriveInto } from './derive.js';
import { IMPORT_LOCK, type Sql, type TransactionSql } from './sql.js';
import { type EntityTable, intoTables } from './tables.js';

/**
 * Goes up by one with every change of what `vectorOfTweet`, `vectorOfUser` or `computeRank` give: all tables are indexed anew (T26).
 */
export const INDEX_VERSION = 2;

const BATCH_ROWS = 5000;
/** So many new versions of rows leave as many old ones behind. */
const LARGE_ROWS = 1_000;

/**
 * Indexes every row that is found as an earlier version of the index has it, or not at all (one of 0.3.0, or written by
 * hand), in batches of their own: interrupted, it loses one batch, and continues from there when called again. Until its
 * turn comes, a row is found as before. Processes that call it together share the work; it takes turns with imports.
 * Reports its progress.
 */
export async function indexCorpus(
  sql: Sql,
  onProgress: (text: string) => void = () => {},
  tables: Tables = 'corpus',
): Promise<void> {
  const { users, tweets } = intoTables(tables);
  await indexTable(sql, users, 'profiles', onProgress);
  await indexTable(sql, tweets, 'tweets', onProgress);
}

/** Notes that rows with an id up to `reached` are of this version of the index; null: all that are indexed. */
export async function noteIndexed(sql: TransactionSql, table: string, reached: string | null = null): Promise<void> {
  await sql`insert into search_index (table_name, version, reached) values (${table}, ${INDEX_VERSION}, ${reached})
    on conflict (table_name) do update set version = excluded.version, reached = excluded.reached`;
}

/** Up to which id rows are of this version of the index, or of a later one; null: all that are indexed. */
async function reachedIn(sql: Sql | TransactionSql, table: string): Promise<string | null> {
  const [found] = await sql<{ reached: string | null }[]>`
    select case when version = ${INDEX_VERSION} then reached::text end as reached
    from search_index where table_name = ${table} and version >= ${INDEX_VERSION}`;
  return found === undefined ? '-1' : found.reached;
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
  const reached = await reachedIn(sql, table.name);
  const isLeft = `${table.name} where search is null${reached === null ? '' : ` or id > ${reached}`}`;
  const found = await sql.unsafe(`select from ${isLeft} limit 1`);
  if (found.length === 0 && reached === null) return;
  const [row] = await sql.unsafe<{ rows: number }[]>(`select count(*)::int as rows from ${isLeft}`);
  const all = row?.rows ?? 0;
  let done = 0;
  let count: number | null;
  do {
    const percent = Math.floor((100 * done) / all);
    if (all > 0) onProgress(`Indexing ${what} for search: ${percent}% of ${all.toLocaleString('en')}`);
    count = await sql.begin((transaction) => indexBatch(transaction, table));
    done = Math.min(done + (count ?? 0), all);
  } while (count !== null);
  if (all >= LARGE_ROWS) await sql.unsafe(`vacuum (analyze) ${table.name}`);
}

/** Those of an earlier version in the order of their ids, then those that are not indexed. Gives their number; null: none is left. */
async function indexBatch<Row>(sql: TransactionSql, table: EntityTable<Row>): Promise<number | null> {
  await inTurn(sql);
  const reached = await reachedIn(sql, table.name);
  const isLeft = reached === null ? 'search is null' : `id > ${reached}`;
  const count = await deriveInto(
    sql,
    table,
    `select * from ${table.name} where ${isLeft} order by id limit ${BATCH_ROWS}`,
  );
  const stage = derivedStageName(table.name);
  if (count > 0) {
    const sets = table.derived.map(({ name, type }) => `${name} = d.${name}::${type}`);
    await sql.unsafe(`update ${table.name} t set ${sets.join(', ')} from ${stage} d where t.id = d.id::bigint`);
  }
  if (reached === null) return count === 0 ? null : count;
  const [last] =
    count === 0 ? [] : await sql.unsafe<{ id: string }[]>(`select max(id::bigint)::text as id from ${stage}`);
  await noteIndexed(sql, table.name, last?.id);
  return count;
}
