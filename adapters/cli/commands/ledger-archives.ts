import { toCredits } from '../../../src/domain/credits.js';
import { counted } from '../../../src/domain/figures.js';
import { type Archived, archiveBefore, type Telling } from '../archive/archive.js';
import { restoreArchive } from '../archive/restore.js';
import { typedPath } from '../environment.js';
import { answer, note, table } from '../print.js';
import { openProgress, type Progress } from '../progress.js';
import { withStores } from '../with-stores.js';

/** Prints the archived months, and how long charges may have waited. */
export async function archiveLedger(options: { before: string; out: string; json?: boolean }): Promise<void> {
  const folder = typedPath(options.out);
  const months = await withStores(({ sql }) =>
    withBar('Archiving', (telling) => archiveBefore(sql, options.before, folder, telling)),
  );
  answer({ months: months.map(shown) }, options.json, () =>
    months.length === 0
      ? `Nothing to archive: no month before ${options.before} has a table in the database.`
      : `${table(
          ['month', 'debits', 'credits', 'file'],
          months.map((month) => [month.month, month.rows, credits(month), month.file]),
        )}\n\n${counted(months.length, 'month')} archived in ${folder}. ${paused(months)}`,
  );
}

/** Prints what was restored. */
export async function restoreLedger(manifest: string, options: { json?: boolean }): Promise<void> {
  const path = typedPath(manifest);
  const month = await withStores(({ sql }) => withBar('Restoring', (telling) => restoreArchive(sql, path, telling)));
  answer(
    shown(month),
    options.json,
    () =>
      `${month.month} is in the database again: ${counted(month.rows, 'debit')} of ${credits(month)} credits. ${paused([month])}`,
  );
}

/** With a progress bar, which begins with the first debits. */
async function withBar<T>(title: string, run: (telling: Telling) => Promise<T>): Promise<T> {
  let progress: Progress | undefined;
  try {
    return await run({
      onProgress(done, total, month) {
        progress ??= openProgress(title, total);
        progress.update(done, month);
      },
      onNote: (text) => (progress?.line ?? note)(text),
    });
  } finally {
    progress?.stop();
  }
}

const credits = ({ amount }: Archived): number => toCredits(Number(amount));

const paused = (months: readonly Archived[]): string =>
  `Charges waited ${Math.ceil(Math.max(...months.map(({ pauseMs }) => pauseMs)))} ms at most.`;

const shown = (month: Archived) => ({
  ...{ month: month.month, debits: month.rows, credits: credits(month), file: month.file, sha256: month.sha256 },
  pause_ms: Math.ceil(month.pauseMs),
});
