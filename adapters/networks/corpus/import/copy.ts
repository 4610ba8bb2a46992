import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { TransactionSql } from './sql.js';

const ROWS_PER_CHUNK = 100;

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

/** Rows in the form that COPY accepts, with values in column order. */
export interface CopyText {
  readonly rows: number;
  readonly chunks: readonly string[];
}

/**
 * Computes the text in steps. Between them a copy in progress can continue, because it sends only while this process
 * attends to its sockets. Each row is released once it is text.
 */
export async function copyText(rows: Iterable<readonly unknown[]>): Promise<CopyText> {
  const chunks: string[] = [];
  let count = 0;
  let lines: string[] = [];
  for (const row of rows) {
    lines.push(`${row.map(field).join('\t')}\n`);
    count += 1;
    if (lines.length < ROWS_PER_CHUNK) continue;
    chunks.push(lines.join(''));
    lines = [];
    await setImmediate();
  }
  if (lines.length > 0) chunks.push(lines.join(''));
  return { rows: count, chunks };
}

const written = (target: Writable, chunk: string): Promise<void> =>
  new Promise((resolve, reject) => {
    target.write(chunk, (error) => (error ? reject(error) : resolve()));
  });

/** Streams rows into a table of text columns. */
export async function copyInto(
  sql: TransactionSql,
  table: string,
  columns: readonly string[],
  { chunks }: CopyText,
): Promise<void> {
  const target = await sql`copy ${sql(table)} (${sql(columns)}) from stdin`.writable();
  target.on('error', () => {}); // The pending write rejects with it.
  try {
    await Promise.all(chunks.map((chunk) => written(target, chunk)));
  } catch (error) {
    const first = target.errored ?? (error as Error);
    target.destroy(first);
    throw first;
  }
  target.end();
  await setImmediate();
  // Answered after the copy. If the server refuses the copy, this fails too, with an error that says less.
  await sql`select`.catch((error: Error) => {
    throw target.errored ?? error;
  });
}
