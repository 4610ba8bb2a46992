import { cancelOnAbort } from '../../../../src/lib/abort.js';
import type { Sql, TransactionSql } from './sql.js';

/** More memory would hardly speed up a build over millions of rows. */
const BUILD_MEMORY = '256MB';
/** A partial index that is so small beside so large a table gets few rows: a pass over the table would cost more. */
const FEW_ROWS = '16kB';
const MANY_ROWS = '1MB';

export interface MissingIndex {
  readonly name: string;
  readonly definition: string;
}

/** Of a load whose rows are seen before its end, those alone that only searches need, which wait for them. */
export type Which = 'all' | 'of searches';

/**
 * Drops the secondary indexes of tables that were empty, which are built once, over all rows at the end of a load, instead
 * of row by row, and notes them as missing. A reader who has to wait for the end of this transaction misses nothing there,
 * while one of a filled table would. Unique indexes stay, since merging rows needs the keys.
 */
export async function dropIndexes(sql: TransactionSql, tables: readonly string[], which: Which): Promise<void> {
  const indexes = await sql<{ table: string; name: string; definition: string }[]>`
    select indrelid::regclass::text as table, indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where indrelid::regclass::text in ${sql(tables)} and not indisunique
      and (${which === 'all'} or amname = 'gin')
      and not (indpred is not null and pg_relation_size(indexrelid) <= pg_size_bytes(${FEW_ROWS})
        and pg_relation_size(indrelid) >= pg_size_bytes(${MANY_ROWS}))
    order by indexrelid`;
  for (const { table, name, definition } of indexes) {
    await sql`insert into missing_indexes (name, table_name, definition) values (${name}, ${table}, ${definition})`;
    await sql.unsafe(`drop index ${name}`);
  }
  await sql`update search_index set complete = false
    where table_name in (select table_name from missing_indexes where definition like '%(search)%') and table_name in ${sql(tables)}`;
}

/** Of the tables or their partitions. */
export const missingIndexes = (sql: Sql | TransactionSql, tables: readonly string[]): Promise<MissingIndex[]> =>
  sql<MissingIndex[]>`
    select name, definition from missing_indexes
    where regexp_replace(table_name, '_[0-9]+$', '') in ${sql(tables)} order by number`;

/** Builds an index that is missing. Until the end of this transaction nobody else writes to its table; it is read. */
export async function buildIndex(
  sql: TransactionSql,
  { name, definition }: MissingIndex,
  signal = new AbortController().signal,
): Promise<void> {
  await sql`select set_config('maintenance_work_mem', ${BUILD_MEMORY}, true)
    where pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes(${BUILD_MEMORY})`;
  await cancelOnAbort(sql.unsafe(definition), signal);
  await sql`delete from missing_indexes where name = ${name}`;
}
