import { copyInto } from './copy.js';
import type { TransactionSql } from './sql.js';
import type { EntityTable } from './tables.js';

const stageOf = (table: string): string => `staged_${table}`;

/**
 * The staging table takes any text: a value that a column can't store is refused when it is merged, by a plain
 * statement.
 */
export async function openStage<Row>(sql: TransactionSql, { name, columns }: EntityTable<Row>): Promise<void> {
  const fields = columns.map((column) => `${column.name} text`);
  await sql.unsafe(`create temp table ${stageOf(name)} (${fields.join(', ')}) on commit drop`);
}

/**
 * Merges rows, each id once, into their table: values that a row has overwrite, missing ones stay as they are, and a
 * row with nothing new is not touched, so that importing the same file again changes nothing.
 */
export async function mergeRows<Row>(
  sql: TransactionSql,
  table: EntityTable<Row>,
  rows: readonly Row[],
): Promise<{ added: number; changed: number }> {
  const names = table.columns.map((column) => column.name);
  const stage = stageOf(table.name);
  await copyInto(
    sql,
    stage,
    names,
    rows.map((row) => table.columns.map((column) => column.value(row))),
  );
  // Names and types are the constants of tables.ts.
  const fields = names.filter((name) => name !== 'id');
  const typed = table.columns.map((column) => `${column.name}::${column.type}`);
  const given = `(select ${typed.join(', ')} from ${stage}) s`;
  const merged = fields.map((name) => `coalesce(s.${name}, t.${name})`);
  const changed = await sql.unsafe(
    `update ${table.name} t set ${fields.map((name, index) => `${name} = ${merged[index]}`).join(', ')}
     from ${given} where t.id = s.id
       and (${merged.join(', ')}) is distinct from (${fields.map((name) => `t.${name}`).join(', ')})`,
  );
  const added = await sql.unsafe(
    `insert into ${table.name} (${names.join(', ')}) select ${names.map((name) => `s.${name}`).join(', ')}
     from ${given} where not exists (select from ${table.name} t where t.id = s.id)`,
  );
  await sql`truncate ${sql(stage)}`;
  return { added: added.count, changed: changed.count };
}
