import { cancelOnAbort } from '../../../../src/lib/abort.js';
import type { Sql, TransactionSql } from './sql.js';

/** More memory would hardly speed up a build over millions of rows. */
const BUILD_MEMORY = '256MB';
/** A partial index this small on a table this large gets few rows, so another pass over the table would cost more. */
const FEW_ROWS = '16kB';
const MANY_ROWS = '1MB';

export interface MissingIndex {
  readonly name: string;
  readonly definition: string;
}

/** `of searches`: for a load whose rows are read before its end, only indexes that nothing but searches needs. */
export type Which = 'all' | 'of searches';

/**
 * Drops the secondary indexes of tables that were empty, and notes them as missing, so that they are built once over
 * all rows at the end of a load instead of row by row. Readers may have to wait for the end of this transaction; they
 * miss nothing in a table that was empty, but would in a filled one. Unique indexes stay, since merging rows needs the
 * keys.
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

/** The missing indexes of these tables or their partitions. */
export const missingIndexes = (sql: Sql | TransactionSql, tables: readonly string[]): Promise<MissingIndex[]> =>
  sql<MissingIndex[]>`
    select name, definition from missing_indexes
    where regexp_replace(table_name, '_[0-9]+$', '') in ${sql(tables)} order by number`;

/** Builds a missing index. Until this transaction ends, its table can be read, but not written to by others. */
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
