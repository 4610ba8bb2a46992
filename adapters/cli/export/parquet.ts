import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { Failure } from '../failure.js';
import type { ExportColumn, ExportRow } from './columns.js';
import { splitLines } from './lines.js';

/** The rows of one group; a group is kept in memory until it is written. */
const GROUP_ROWS = 10_000;

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  count: { type: 'INT64' },
  flag: { type: 'BOOLEAN' },
  moment: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
} as const;

/**
 * Makes a Parquet file from NDJSON rows, first under a temporary name: ids are text, times UTC, lists and objects JSON.
 * Throws Failure if it cannot be written; the rows are kept.
 */
export async function writeParquet(path: string, rowsPath: string, columns: readonly ExportColumn[]): Promise<void> {
  const aside = `${path}.new`;
  try {
    await convert(aside, rowsPath, columns);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(
      `${path} cannot be written (${code ?? message}); run the same command to try again from ${rowsPath}`,
    );
  }
}

async function convert(path: string, rowsPath: string, columns: readonly ExportColumn[]): Promise<void> {
  const schema = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, ...TYPES[kind], repetition_type: 'OPTIONAL' as const })),
  ];
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'perch' });
  let group: ExportRow[] = [];
  const flush = async (): Promise<void> => {
    const columnData = columns.map(({ name, kind }) => ({
      name,
      data: group.map((row) => toParquet(row[name], kind)),
    }));
    if (group.length > 0) await writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    group = [];
  };
  for await (const line of splitLines(createReadStream(rowsPath, 'utf8'))) {
    group.push(JSON.parse(line) as ExportRow);
    if (group.length === GROUP_ROWS) await flush();
  }
  await flush();
  await writer.finish();
}

function toParquet(value: unknown, kind: ExportColumn['kind']): unknown {
  if (value === undefined || value === null) return null;
  if (kind === 'count') return BigInt(value as number);
  if (kind === 'moment') return new Date(value as string);
  return value;
}
