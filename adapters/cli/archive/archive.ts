import { dirname, join } from 'node:path';
import {
  ArchiveRefusal,
  archivingAlone,
  beginRestore,
  checkArchivable,
  countDebits,
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
import { checkFile, checkFolder, checkRows, readArchive, readManifest, writeArchive } from './files.js';

/** Called while months are archived or restored. */
export interface Listeners {
  /** Of debits written, and read back. */
  onProgress?(done: number, total: number, month: string): void;
  onNote?(text: string): void;
}

/** A month that was archived, and how long charges may have waited for that, in milliseconds. */
export type Archived = LedgerArchive & { readonly pauseMs: number };

/**
 * Writes each month of debits before one to a folder and takes it out of the database, the oldest first. The files
 * are read back and compared before. An interruption loses nothing: the next run begins the month again. Throws
 * ArchiveRefusal, or Failure for what is wrong with the folder.
 */
export async function archiveBefore(
  sql: Sql,
  before: string,
  folder: string,
  listeners: Listeners = {},
): Promise<Archived[]> {
  await checkFolder(folder);
  return archivingAlone(sql, async () => {
    const months = await monthsBefore(sql, before);
    if (months.length === 0) return [];
    for (const month of months) await checkArchivable(sql, month);
    // What is wrong could no longer be looked into.
    if ((await checkLedger(sql)).faults.length > 0)
      throw new ArchiveRefusal('the ledger is inconsistent, so nothing was archived: run perch ledger check');
    const counts = new Map<string, number>();
    for (const month of months) counts.set(month, await countDebits(sql, month));
    const total = 2 * [...counts.values()].reduce((sum, count) => sum + count, 0);
    let done = 0;
    const archived: Archived[] = [];
    for (const month of months) {
      const progress = (rows: number): void => {
        done += rows;
        listeners.onProgress?.(done, total, month);
      };
      archived.push(await archiveMonth(sql, month, folder, { progress, onNote: listeners.onNote }));
    }
    return archived;
  });
}

interface MonthListeners {
  readonly progress: (rows: number) => void;
  readonly onNote: Listeners['onNote'];
}

async function archiveMonth(
  sql: Sql,
  month: string,
  folder: string,
  { progress, onNote }: MonthListeners,
): Promise<Archived> {
  const rows = async function* () {
    for await (const lines of debitLines(sql, month)) {
      yield lines;
      progress(lines.length);
    }
  };
  const manifest = await writeArchive(folder, month, rows());
  await checkRows(join(folder, manifest.file), rows());
  const archive = {
    ...{ month, rows: manifest.rows, amount: manifest.amount_thousandths },
    ...{ file: manifest.file, sha256: manifest.sha256 },
  };
  const pauseMs = await dropMonth(sql, archive, () => onNote?.(waiting(month)));
  return { ...archive, pauseMs };
}

/** For the first time that a month's table is in use. */
const waiting = (month: string): string =>
  `perch: waiting for a query that is reading the ledger, to change the table of ${month}`;

/**
 * Loads an archived month into the database again, by the path of its manifest. Nobody sees its debits until all are
 * there; an interrupted run is begun again. Throws ArchiveRefusal if the month isn't archived, or Failure if the file
 * isn't what was archived.
 */
export async function restoreArchive(sql: Sql, manifestPath: string, listeners: Listeners = {}): Promise<Archived> {
  const { month } = await readManifest(manifestPath);
  return archivingAlone(sql, async () => {
    // What the database knows counts, whatever the manifest says.
    const archive = await requireArchive(sql, month);
    const path = join(dirname(manifestPath), archive.file);
    await checkFile(path, archive.sha256);
    await beginRestore(sql, month);
    let done = 0;
    for await (const lines of readArchive(path)) {
      await loadDebits(sql, month, lines);
      done += lines.length;
      listeners.onProgress?.(done, archive.rows, month);
    }
    const pauseMs = await endRestore(sql, archive, () => listeners.onNote?.(waiting(month)));
    return { ...archive, pauseMs };
  });
}
