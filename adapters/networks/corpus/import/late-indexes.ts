import type { TransactionSql } from './sql.js';

/** More memory would hardly speed up a build over millions of rows. */
const BUILD_MEMORY = '256MB';
/** A partial index that is so small beside so large a table gets few rows: a pass over the table would cost more. */
const FEW_ROWS = '16kB';
const MANY_ROWS = '1MB';

/** Indexes that are built once, over all rows at the end of a load, instead of row by row. */
export interface LateIndexes {
  /** Drops them, on the first call. Readers of their tables wait from then until the end of the transaction. */
  drop(): Promise<void>;
  /** Rebuilds those that were dropped, as they were. */
  build(): Promise<void>;
}

/**
 * The secondary indexes of tables that were empty: a reader who has to wait there misses nothing, while one of a filled
 * table would. Unique indexes stay, since merging rows needs the keys.
 */
export function lateIndexes(sql: TransactionSql, tables: readonly string[]): LateIndexes {
  let waiting = tables;
  const definitions: string[] = [];
  return {
    async drop() {
      if (waiting.length === 0) return;
      const indexes = await sql<{ name: string; definition: string }[]>`
        select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
        from pg_index where indrelid::regclass::text in ${sql(waiting)} and not indisunique
          and not (indpred is not null and pg_relation_size(indexrelid) <= pg_size_bytes(${FEW_ROWS})
            and pg_relation_size(indrelid) >= pg_size_bytes(${MANY_ROWS}))
        order by indexrelid`;
      waiting = [];
      for (const { name, definition } of indexes) {
        await sql.unsafe(`drop index ${name}`);
        definitions.push(definition);
      }
    },
    async build() {
      if (definitions.length === 0) return;
      await sql`select set_config('maintenance_work_mem', ${BUILD_MEMORY}, true)
        where pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes(${BUILD_MEMORY})`;
      for (const definition of definitions) await sql.unsafe(definition);
    },
  };
}
