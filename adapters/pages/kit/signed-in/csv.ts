import type { FastifyReply } from 'fastify';

/** The most rows in a file of newest entries; usage, which is summed up, has its own limit. */
export const MOST_FILE_ROWS = 10_000;

/** The first row is the header. */
export type CsvRows = readonly (readonly (string | number | null)[])[];

/**
 * One field in the format of RFC 4180. A value that a spreadsheet would take for a formula gets a leading apostrophe,
 * because customers choose names, and the file may be passed on.
 */
export function csvField(value: string | number | null): string {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines end with CRLF. */
export const csvText = (rows: CsvRows): string =>
  rows.map((fields) => `${fields.map(csvField).join(',')}\r\n`).join('');

/** Sends rows as a file that the browser saves as `perch-NAME.csv`. */
export const sendCsv = (reply: FastifyReply, name: string, rows: CsvRows): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', `attachment; filename="perch-${name}.csv"`)
    .send(csvText(rows));
