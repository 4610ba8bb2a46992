import { derivedStageOf, deriveInto } from './derive.js';
import { IMPORT_LOCK } from './import-lock.js';
import type { Sql, TransactionSql } from './sql.js';
import { type EntityTable, TWEETS, USERS } from './tables.js';

const BATCH_ROWS = 5000;
/** So many new versions of rows leave as many old ones behind. */
const LARGE_ROWS = 1_000;

/**
 * Indexes every row that no search finds yet (those of an earlier version, or written by hand), in batches of their
 * own: interrupted, it has lost one batch, and goes on from there when called again. Processes that call it together
 * share the work; it takes turns with imports. Tells its progress.
 */
export async function indexCorpus(sql: Sql, onProgress: (text: string) => void = () => {}): Promise<void> {
  await indexTable(sql, USERS, 'profiles', onProgress);
  await indexTable(sql, TWEETS, 'tweets', onProgress);
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
  // It may wait for an import, and takes its time.
  await sql`
    select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`;
  await sql`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
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
