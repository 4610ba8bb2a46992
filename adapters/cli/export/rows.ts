import { extname } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { Failure, WRONG_USE } from '../failure.js';
import type { ExportColumn, ExportRow } from './columns.js';

export const FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** Infers the format from the file's extension, so that they never contradict each other. Throws Failure. */
export function inferFormat(out: string | null): Format {
  const ending = extname(out ?? '').slice(1);
  const known = FORMATS.find((format) => format === ending);
  if (known === undefined && ending !== '')
    throw new Failure(`.${ending} is not the ending of a format: ${FORMATS.join(', ')}; or use --format`, WRONG_USE);
  return known ?? 'ndjson';
}

/**
 * Writes rows in the file's format. Parquet rows are first collected as NDJSON, because columns can only be written
 * once all rows are there.
 */
export interface RowText {
  readonly head: string;
  rows(rows: readonly ExportRow[]): string;
}

export const rowText = (format: Format, columns: readonly ExportColumn[]): RowText =>
  format === 'csv'
    ? csv(columns)
    : { head: '', rows: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join('') };

/** RFC 4180. Unknown values and empty texts are both empty fields; values are never altered for spreadsheets. */
function csv(columns: readonly ExportColumn[]): RowText {
  const lines = (cells: readonly (readonly unknown[])[]): string =>
    cells.length === 0
      ? ''
      : stringify([...cells], {
          record_delimiter: '\r\n',
          quoted_match: /[\r\n]/,
          cast: { boolean: String },
        });
  return {
    head: lines([columns.map(({ name }) => name)]),
    rows: (rows) => lines(rows.map((row) => columns.map(({ name, kind }) => toCell(row[name], kind)))),
  };
}

const toCell = (value: unknown, kind: ExportColumn['kind']): unknown =>
  kind === 'json' && value !== undefined ? JSON.stringify(value) : value;
