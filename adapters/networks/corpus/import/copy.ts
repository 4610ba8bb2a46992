import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { TransactionSql } from './sql.js';

const ROWS_PER_CHUNK = 500;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const escaped = (value: string): string =>
  /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string) : value;

const element = (value: unknown): string => `"${String(value).replace(/["\\]/g, '\\$&')}"`;

/** A value as a field of COPY's text format: undefined becomes null, a list of plain values an array, objects JSON. */
function field(value: unknown): string {
  if (value === undefined) return '\\N';
  if (typeof value === 'string') return escaped(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return escaped(`{${value.map(element).join(',')}}`);
  return escaped(JSON.stringify(value));
}

function* chunks(rows: readonly (readonly unknown[])[]): Generator<string> {
  for (let from = 0; from < rows.length; from += ROWS_PER_CHUNK) {
    const lines = rows.slice(from, from + ROWS_PER_CHUNK).map((row) => `${row.map(field).join('\t')}\n`);
    yield lines.join('');
  }
}

const written = (target: Writable, chunk: string): Promise<void> =>
  new Promise((resolve, reject) => {
    target.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

/** Streams rows into a table of text columns; values are in column order. */
export async function copyInto(
  sql: TransactionSql,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const target = await sql`copy ${sql(table)} (${sql(columns)}) from stdin`.writable();
  target.on('error', () => {}); // Heard by the write that waits.
  try {
    for (const chunk of chunks(rows)) await written(target, chunk);
  } catch (error) {
    target.destroy(error as Error);
    throw error;
  }
  // The driver never reports when the server refuses the end of a copy, so the statement itself is awaited.
  target.end();
  await setImmediate();
  await sql`select`;
}
