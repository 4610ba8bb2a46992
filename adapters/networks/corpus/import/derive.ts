import { copyInto, copyText } from './copy.js';
import type { TransactionSql } from './sql.js';
import type { EntityTable } from './tables.js';

/** Where derived values wait for the statement that stores them, by `id`. */
export const derivedStageName = (table: string): string => `derived_${table}`;

/**
 * Computes the derived columns of the rows that a statement selects (under the plain columns' names) into the derived
 * stage, which it empties first. Returns the number of rows.
 */
export async function deriveInto<Row>(
  sql: TransactionSql,
  { name, columns, derived }: EntityTable<Row>,
  rows: string,
): Promise<number> {
  const selected = columns.map((column) => {
    const isId = column.type.startsWith('bigint') && !column.type.endsWith('[]');
    return isId ? `${column.name}::text` : column.name;
  });
  const stored = await sql.unsafe<Record<string, unknown>[]>(`select ${selected.join(', ')} from (${rows}) stored`);
  if (stored.length === 0) return 0;
  const stage = derivedStageName(name);
  await sql.unsafe(
    `create temp table if not exists ${stage} (id text, ${derived.map((column) => `${column.name} text`).join(', ')}) on commit drop`,
  );
  await sql`truncate ${sql(stage)}`;
  // One by one, so that the process can do other work in between.
  const values = function* (): Generator<unknown[]> {
    for (const found of stored) {
      const row = Object.fromEntries(columns.map((column) => [column.key, plain(found[column.name])])) as Row;
      yield [found.id, ...derived.map((column) => column.value(row))];
    }
  };
  await copyInto(sql, stage, ['id', ...derived.map((column) => column.name)], await copyText(values()));
  return stored.length;
}

/** A stored value as a field of the model: null is unknown, times are text. */
const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : (value ?? undefined));
