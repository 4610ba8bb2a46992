import { type CopyText, copyInto, copyText } from './copy.js';
import { derivedStageOf, deriveInto } from './derive.js';
import type { TransactionSql } from './sql.js';
import type { EntityTable } from './tables.js';

const stageOf = (table: string): string => `staged_${table}`;

/**
 * The staging tables take any text: a value that a column can't store is refused when it is merged, by a plain
 * statement.
 */
export async function openStage<Row>(sql: TransactionSql, table: EntityTable<Row>): Promise<void> {
  const fields = [...table.columns, ...table.derived].map((column) => `${column.name} text`);
  await sql.unsafe(`create temp table ${stageOf(table.name)} (${fields.join(', ')}) on commit drop`);
}

/** Rows as their stage takes them, derived values included; the work of computing them is here. */
export const stagedText = <Row>(table: EntityTable<Row>, rows: Iterable<Row>): CopyText =>
  copyText(valuesOf(table, rows));

function* valuesOf<Row>({ columns, derived }: EntityTable<Row>, rows: Iterable<Row>): Generator<unknown[]> {
  const all = [...columns, ...derived];
  for (const row of rows) yield all.map((column) => column.value(row));
}

/**
 * Merges rows (as `stagedText` gives them, each id once) into their table: values that a row has overwrite, missing ones stay as they
 * are, and a row with nothing new is not touched, so that importing the same file again changes nothing.
 */
export async function mergeRows<Row>(
  sql: TransactionSql,
  table: EntityTable<Row>,
  text: CopyText,
): Promise<{ added: number; changed: number }> {
  if (text.rows === 0) return { added: 0, changed: 0 };
  const all = [...table.columns, ...table.derived];
  const names = all.map((column) => column.name);
  const stage = stageOf(table.name);
  await copyInto(sql, stage, names, text);
  // Names and types are the constants of tables.ts.
  const given = `(select ${all.map(({ name, type }) => `${name}::${type}`).join(', ')} from ${stage}) s`;
  const changed = await mergeChanges(sql, table, given);
  const added = await sql.unsafe(
    `insert into ${table.name} (${names.join(', ')}) select ${names.map((name) => `s.${name}`).join(', ')}
     from ${given} where not exists (select from ${table.name} t where t.id = s.id)`,
  );
  await sql`truncate ${sql(stage)}`;
  return { added: added.count, changed };
}

/** Rows that are there already: what is derived follows from the merged values, not from the given ones alone. */
async function mergeChanges<Row>(sql: TransactionSql, table: EntityTable<Row>, given: string): Promise<number> {
  const fields = table.columns.map(({ name }) => name).filter((name) => name !== 'id');
  const merged = fields.map((name) => `coalesce(s.${name}, t.${name})`);
  const isChanged = `(${merged.join(', ')}) is distinct from (${fields.map((name) => `t.${name}`).join(', ')})`;
  const derived = derivedStageOf(table.name);
  const count = await deriveInto(
    sql,
    table,
    `select t.id, ${fields.map((name, index) => `${merged[index]} as ${name}`).join(', ')}
     from ${table.name} t join ${given} on t.id = s.id where ${isChanged}`,
  );
  if (count === 0) return 0;
  const sets = [
    ...fields.map((name, index) => `${name} = ${merged[index]}`),
    ...table.derived.map(({ name, type }) => `${name} = d.${name}::${type}`),
  ];
  await sql.unsafe(
    `update ${table.name} t set ${sets.join(', ')} from ${given} join ${derived} d on d.id::bigint = s.id where t.id = s.id`,
  );
  return count;
}
