import { dirname, join } from 'node:path';
import {
  ArchiveRefusal,
  archivingAlone,
  beginRestore,
  checkArchivable,
  checkedRows,
  copyDebits,
  debitLines,
  dropMonth,
  endRestore,
  type LedgerArchive,
  loadDebits,
  monthsBefore,
  requireArchive,
} from '../../postgres/ledger/archives.js';
import { checkLedger } from '../../postgres/ledger/ledger-check.js';
import type { Sql } from '../../postgres/sql.js';
import {
  type ArchiveFormat,
  checkFile,
  checkFolder,
  checkRows,
  isParquet,
  type Manifest,
  placeArchive,
  readArchive,
  readManifest,
  writeArchive,
} from './files.js';
import { archiveParquet, readParquet } from './parquet.js';

/** Called while months are archived or restored. */
export interface Listeners {
  /** Counts the debits written. With `ndjson`, each counts a second time when it is read back. */
  onProgress?(done: number, total: number, month: string): void;
  onNote?(text: string): void;
}

/** A month that was archived, and how long that may have delayed charges, in milliseconds. */
export type Archived = LedgerArchive & { readonly pauseMs: number };

/**
 * Moves each month of debits before the given one from the database to a folder, the oldest first. A month leaves the
 * database only after its file was read back and compared. An interruption loses nothing: the next run begins the month
 * again. Throws ArchiveRefusal, or Failure if the folder cannot be used.
 */
export async function archiveBefore(
  sql: Sql,
  before: string,
  folder: string,
  { format = 'ndjson', ...listeners }: Listeners & { readonly format?: ArchiveFormat } = {},
): Promise<Archived[]> {
  await checkFolder(folder);
  return archivingAlone(sql, async () => {
    const months = await monthsBefore(sql, before);
    if (months.length === 0) return [];
    for (const month of months) await checkArchivable(sql, month);
    // After archiving, the debits behind a fault could no longer be examined.
    if ((await checkLedger(sql)).faults.length > 0)
      throw new ArchiveRefusal('the ledger is inconsistent, so nothing was archived: run perch ledger check');
    const total = (await checkedRows(sql, months)) * (format === 'parquet' ? 1 : 2);
    let done = 0;
    const archived: Archived[] = [];
    for (const month of months) {
      const progress = (rows: number): void => {
        done += rows;
        listeners.onProgress?.(done, total, month);
      };
      archived.push(await archiveMonth(sql, month, folder, { format, progress, onNote: listeners.onNote }));
    }
    return archived;
  });
}

interface MonthOptions {
  readonly format: ArchiveFormat;
  readonly progress: (rows: number) => void;
  readonly onNote: Listeners['onNote'];
}

async function archiveMonth(
  sql: Sql,
  month: string,
  folder: string,
  { format, progress, onNote }: MonthOptions,
): Promise<Archived> {
  const manifest = await writeMonth(format, sql, month, folder, progress);
  const archive = {
    ...{ month, rows: manifest.rows, amount: manifest.amount_thousandths },
    ...{ file: manifest.file, sha256: manifest.sha256 },
  };
  const pauseMs = await dropMonth(sql, archive, () => onNote?.(waiting(month)));
  return { ...archive, pauseMs };
}

/** Writes a month's file and reads it back. */
export const writeMonth = (format: ArchiveFormat, ...args: Parameters<Write>): Promise<Manifest> =>
  (format === 'parquet' ? writeAsParquet : writeAsLines)(...args);

type Write = (sql: Sql, month: string, folder: string, progress: (rows: number) => void) => Promise<Manifest>;

const writeAsParquet: Write = (sql, month, folder, progress) =>
  placeArchive(folder, month, 'parquet', (path) =>
    copyDebits(sql, month, (csv) => archiveParquet(path, counted(csv, progress))),
  );

/** Counts line breaks as rows. A name may contain a line break, but the count is close enough to show progress. */
async function* counted(csv: AsyncIterable<Buffer>, progress: (rows: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of csv) {
    let rows = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) rows += 1;
    progress(rows);
    yield chunk;
  }
}

const writeAsLines: Write = async (sql, month, folder, progress) => {
  const rows = async function* () {
    for await (const lines of debitLines(sql, month)) {
      yield lines;
      progress(lines.length);
    }
  };
  const manifest = await writeArchive(folder, month, rows());
  await checkRows(join(folder, manifest.file), rows());
  return manifest;
};

/** The note that is shown when a month's table is first found in use. */
const waiting = (month: string): string =>
  `perch: waiting for a query that reads the ledger, before changing the table of ${month}`;

/** The most ids that a note names. */
const MOST_NAMED = 10;

/** The note about charges whose ids an archived month has, too. */
const chargedAgain = (month: string, ids: readonly string[]): string => {
  const named = ids.slice(0, MOST_NAMED).join(', ') + (ids.length > MOST_NAMED ? ', …' : '');
  return `perch: charged again under archived ids of ${month}, and kept under other ids: ${ids.length} (${named})`;
};

/**
 * Loads an archived month back into the database, given the path of its manifest. Its debits become visible only when
 * all of them are there; an interrupted restore starts over. Throws ArchiveRefusal if the month isn't archived, or
 * Failure if the file isn't what was archived.
 */
export async function restoreArchive(sql: Sql, manifestPath: string, listeners: Listeners = {}): Promise<Archived> {
  const { month } = await readManifest(manifestPath);
  return archivingAlone(sql, async () => {
    // File name and checksum come from the database, not from the manifest, which may have been changed.
    const archive = await requireArchive(sql, month);
    const path = join(dirname(manifestPath), archive.file);
    await checkFile(path, archive.sha256);
    await beginRestore(sql, month);
    let done = 0;
    const load = async (lines: readonly string[]): Promise<void> => {
      await loadDebits(sql, month, lines);
      done += lines.length;
      listeners.onProgress?.(done, archive.rows, month);
    };
    if (isParquet(path)) await readParquet(path, load);
    else for await (const lines of readArchive(path)) await load(lines);
    const { pauseMs, twins } = await endRestore(sql, archive, () => listeners.onNote?.(waiting(month)));
    if (twins.length > 0) listeners.onNote?.(chargedAgain(month, twins));
    return { ...archive, pauseMs };
  });
}
