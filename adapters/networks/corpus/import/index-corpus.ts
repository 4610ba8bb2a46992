import { setTimeout as wait } from 'node:timers/promises';
import { counted } from '../../../../src/domain/figures.js';
import type { Tables } from '../run.js';
import { derivedStageName, deriveInto } from './derive.js';
import { buildIndex, missingIndexes } from './late-indexes.js';
import { atLeisure, vacuum } from './leisure.js';
import { divide, mend } from './partitions.js';
import { IMPORT_LOCK, type Sql, type TransactionSql } from './sql.js';
import { type EntityTable, intoTables } from './tables.js';

/**
 * Increased by one with every change of what `vectorOfTweet`, `vectorOfUser` or `computeRank` return, so that all
 * tables are indexed again (T26).
 */
export const INDEX_VERSION = 2;

/** Rows of a batch: few enough that the process can serve requests between two batches. */
const MOST_ROWS = 1000;
/** From this many rewritten rows on a table is vacuumed, because each leaves its old version behind. */
const LARGE_ROWS = 1_000;
/** How long to wait while an import or another process has its turn. */
const TURN_MS = 200;

export interface IndexOptions {
  readonly onProgress?: (text: string) => void;
  readonly tables?: Tables;
  /** Ends the indexing after the batch in progress, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Indexes every row that is not indexed (from 0.3.0, or written by hand), builds the database indexes that are missing
 * (after 0.3.0, or a first import that stopped), then indexes each row again that still has an earlier version of the
 * index; until then, searches find such a row as before. At the end, full partitions of tweets are divided. Works in
 * batches: if it is interrupted, it loses one batch, and continues from there when called again. Processes that call it
 * at the same time share the work; it takes turns with imports. Reports its progress.
 */
export async function indexCorpus(sql: Sql, options: IndexOptions = {}): Promise<void> {
  const { users, tweets } = intoTables(options.tables);
  const mayBeDivided = tweets.name === 'corpus_tweets';
  if (mayBeDivided) await mendInTurn(sql, tweets.name, options);
  await indexTable(sql, users, 'profiles', options);
  await indexTable(sql, tweets, 'tweets', options);
  if (mayBeDivided) await divideInTurn(sql, tweets.name, options);
}

/** What a killed process left of a cut would refuse the rows that are indexed. */
const mendInTurn = (sql: Sql, table: string, options: IndexOptions): Promise<void> => {
  const mendAll = async (turn: TransactionSql): Promise<null> => {
    await mend(turn, table);
    return null;
  };
  return inTurns(sql, options, mendAll, () => {});
};

/** Divides what an earlier version, or SQL by hand, made too large. Left for the next call while an import runs. */
const divideInTurn = (sql: Sql, table: string, { signal }: IndexOptions): Promise<void> =>
  atLeisure(sql, async (holder) => {
    const [turn] = await holder`select pg_try_advisory_xact_lock(${IMPORT_LOCK}) as taken`;
    if (turn?.taken) await divide(sql, table, { signal });
  });

/** Notes that all rows of an empty table will have this version of the index. */
export const noteIndexed = (sql: TransactionSql, table: string): Promise<void> => noteReached(sql, table, null);

/** Notes that rows with an id up to `reached` have this version of the index; null: all rows that are indexed. */
async function noteReached(sql: TransactionSql, table: string, reached: string | null): Promise<void> {
  await sql`insert into search_index (table_name, version, reached, complete) values (${table}, ${INDEX_VERSION}, ${reached}, true)
    on conflict (table_name) do update set version = excluded.version, reached = excluded.reached`;
}

/** Lines for an operator about tables whose searches are refused until they are indexed; none if all are complete. */
export async function describeIndexing(sql: Sql | TransactionSql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select table_name as name from search_index where not complete and table_name like 'corpus%' order by 1`;
  const lines: string[] = [];
  for (const { name } of rows) {
    const [left] = await sql<{ rows: number }[]>`select count(*)::int as rows from ${sql(name)} where search is null`;
    const what = left?.rows
      ? `${counted(left.rows, 'row')} of ${name} not indexed`
      : `the index of ${name} is not built`;
    lines.push(`${what} yet, so its searches are refused`);
  }
  return lines;
}

/** Lines for an operator about a setting of the database server that makes searches slow. */
export async function describeJit(sql: Sql | TransactionSql): Promise<string[]> {
  const [server] = await sql<{ hasJit: boolean; database: string }[]>`
    select current_setting('jit')::boolean as "hasJit", current_database() as database`;
  if (server?.hasJit !== true) return [];
  return [
    `jit is on, so rare words of a large corpus take ten times as long: ALTER DATABASE ${server.database} SET jit = off`,
  ];
}

/** The id up to which rows have this version of the index, or a later one; null: all rows that are indexed. */
async function reachedIn(sql: Sql | TransactionSql, table: string): Promise<string | null> {
  const [found] = await sql<{ reached: string | null }[]>`
    select case when version = ${INDEX_VERSION} then reached::text end as reached
    from search_index where table_name = ${table} and version >= ${INDEX_VERSION}`;
  return found === undefined ? '-1' : found.reached;
}

/** Repeats a batch until it returns null. Each runs in its own turn among all processes that write to these tables. */
async function inTurns(
  sql: Sql,
  { tables, signal }: IndexOptions,
  batch: (sql: TransactionSql) => Promise<number | null>,
  onRows: (rows: number) => void,
): Promise<void> {
  const { lock } = intoTables(tables);
  for (;;) {
    signal?.throwIfAborted();
    // Tries the lock without waiting: an import may take hours, during which a wait would occupy a connection.
    const rows = await atLeisure(sql, async (transaction) => {
      const [turn] = await transaction`select pg_try_advisory_xact_lock(${lock}) as taken`;
      return turn?.taken ? batch(transaction) : 'later';
    });
    if (rows === null) return;
    if (rows === 'later') await wait(TURN_MS, undefined, { signal });
    else onRows(rows);
  }
}

async function indexTable<Row>(sql: Sql, table: EntityTable<Row>, what: string, options: IndexOptions): Promise<void> {
  const sweep = async (isLeft: string, batch: (sql: TransactionSql) => Promise<number | null>): Promise<void> => {
    const [row] = await atLeisure(sql, (transaction) =>
      transaction.unsafe<{ rows: number }[]>(`select count(*)::int as rows from ${table.name} where ${isLeft}`),
    );
    const all = row?.rows ?? 0;
    let done = 0;
    const report = (): void => {
      const percent = Math.floor((100 * Math.min(done, all)) / all);
      if (all > 0) options.onProgress?.(`Indexing ${what} for search: ${percent}% of ${all.toLocaleString('en')}`);
    };
    report();
    await inTurns(sql, options, batch, (rows) => {
      done += rows;
      report();
    });
    if (all >= LARGE_ROWS) await vacuum(sql, table.name);
  };
  const missing = await atLeisure(sql, (transaction) =>
    transaction.unsafe(`select from ${table.name} where search is null limit 1`),
  );
  if (missing.length > 0) await sweep('search is null', missingRows(table));
  // After the rows, so that each index is built once over all of them.
  await inTurns(
    sql,
    options,
    (turn) => buildNext(turn, table.name, options),
    () => {},
  );
  await noteComplete(sql, table.name);
  const reached = await reachedIn(sql, table.name);
  if (reached !== null) await sweep(`id > ${reached}`, (transaction) => earlierRows(transaction, table));
}

async function buildNext(turn: TransactionSql, table: string, options: IndexOptions): Promise<number | null> {
  const [index] = await missingIndexes(turn, [table]);
  if (index === undefined) return null;
  options.onProgress?.(`Building the index ${index.name}`);
  await buildIndex(turn, index, options.signal);
  return 1;
}

/** Lets searches be served from then on: a process that later writes rows without an index knows that they are missing. */
export async function noteComplete(sql: Sql | TransactionSql, table: string): Promise<void> {
  await sql`update search_index set complete = true
    where table_name = ${table} and not complete and not exists (select from ${sql(table)} where search is null)
      and not exists (
        select from missing_indexes m where regexp_replace(m.table_name, '_[0-9]+$', '') = search_index.table_name)`;
}

/** Each batch starts after the previous one, because the beginning of their index is full of rows that are done. */
function missingRows<Row>(table: EntityTable<Row>): (sql: TransactionSql) => Promise<number | null> {
  let after = '-1';
  return async (sql) => {
    const { count, last } = await indexBatch(sql, table, `search is null and id > ${after}`);
    if (last === null) return null;
    after = last;
    return count;
  };
}

async function earlierRows<Row>(sql: TransactionSql, table: EntityTable<Row>): Promise<number | null> {
  const reached = await reachedIn(sql, table.name);
  if (reached === null) return null;
  const { count, last } = await indexBatch(sql, table, `id > ${reached}`);
  await noteReached(sql, table.name, last);
  return last === null ? null : count;
}

/** Indexes the first of those rows by id. Returns their number and the last id; null if there are none. */
async function indexBatch<Row>(
  sql: TransactionSql,
  table: EntityTable<Row>,
  isLeft: string,
): Promise<{ count: number; last: string | null }> {
  const count = await deriveInto(
    sql,
    table,
    `select * from ${table.name} where ${isLeft} order by id limit ${MOST_ROWS}`,
  );
  if (count === 0) return { count, last: null };
  const stage = derivedStageName(table.name);
  const sets = table.derived.map(({ name, type }) => `${name} = d.${name}::${type}`);
  await sql.unsafe(`update ${table.name} t set ${sets.join(', ')} from ${stage} d where t.id = d.id::bigint`);
  const [row] = await sql.unsafe<{ id: string }[]>(`select max(id::bigint)::text as id from ${stage}`);
  return { count, last: row?.id ?? null };
}
