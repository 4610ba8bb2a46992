import { type Command, Option } from 'commander';
import { toCredits } from '../../../src/domain/credits.js';
import { counted } from '../../../src/domain/figures.js';
import type { Archived, Listeners } from '../archive/archive.js';
import type { ArchiveFormat } from '../archive/files.js';
import { examples, group, monthOrDay, path } from '../command-line.js';
import { typedPath } from '../environment.js';
import { FAILED, Failure, WRONG_USE } from '../failure.js';
import { answer, note, table } from '../print.js';
import { openProgress, type Progress } from '../progress.js';
import { withStores } from '../with-stores.js';

/** ledger check, archive, restore. */
export function ledgerCommands(program: Command): void {
  const ledger = group(program, 'ledger', 'the ledger: check, archive, restore');
  ledger
    .command('check')
    .description('check every invariant of the ledger across the database; exit code 1 if any is violated')
    .option('--all', 'also read the debits of past months that were checked before')
    .option('--json', 'print {"ok","wallets","entries"} and any faults')
    .addHelpText('after', examples('perch ledger check', 'perch ledger check --all', 'perch ledger check --json'))
    .action(checkLedger);
  ledger
    .command('archive')
    .description('write whole months of debits to files and remove them from the database')
    .requiredOption(
      '--before <month>',
      'archive months that ended before this month or day, such as 2026-01',
      monthOrDay,
    )
    .requiredOption('--out <folder>', 'existing folder for the files, two for each month', path)
    .addOption(
      new Option(
        '--format <format>',
        'parquet, which needs @duckdb/node-api, or ndjson (default: parquet if possible)',
      ).choices(['parquet', 'ndjson']),
    )
    .option('--json', 'print the archived months as JSON')
    .addHelpText(
      'after',
      `
Where a month is divided into weeks or days because of its volume, each of them counts as a month.
Each month becomes two files: its debits, and debits-2025-12.json with their count, sum and SHA-256. The debits are in
debits-2025-12.parquet where DuckDB is installed (npm install @duckdb/node-api), otherwise in debits-2025-12.ndjson.gz, one
debit per line, at a third of the speed. The file is read back and compared before the month leaves the database. Balances,
usage and the amounts that keys have spent do not change, and ledger check stays exact; receipts of the month are found
only where PERCH_ARCHIVES names the folder. Months that ended less than a day ago, or whose debits are not all summed up
yet, are refused.

The service may keep running: charges wait a moment while a month is removed. If the command is interrupted, run it again:
complete months stay, and an incomplete month is started over.
${examples('perch ledger archive --before 2026-01 --out /backup/perch', 'perch ledger archive --before 2026-01 --out . --format ndjson')}`,
    )
    .action(archiveLedger);
  ledger
    .command('restore')
    .description('load an archived month into the database again')
    .argument('<manifest>', 'the .json file of the month, next to its .parquet or .ndjson.gz', path)
    .option('--json', 'print the restored month as JSON')
    .addHelpText(
      'after',
      `
The file must be exactly what was archived, to the byte. Its debits become visible once all of them are there. If the command
is interrupted, run it again.
${examples('perch ledger restore /backup/perch/debits-2025-12.json')}`,
    )
    .action(restoreLedger);
}

/** Exit code 1 when an invariant is broken. */
async function checkLedger(options: { all?: boolean; json?: boolean }): Promise<void> {
  const all = options.all === true;
  const { wallets, entries, faults } = await withStores(({ ledger }) => ledger.check({ all }));
  const ok = faults.length === 0;
  const seen = `${counted(wallets, 'wallet')}, ${counted(entries, 'entry', 'entries')}`;
  const named = faults.map(({ invariant, walletId, detail }) => ({ invariant, wallet_id: walletId, detail }));
  answer({ ok, wallets, entries, ...(!ok && { faults: named }) }, options.json, () =>
    ok
      ? `The ledger is consistent: ${seen}.`
      : `The ledger is inconsistent: ${counted(faults.length, 'fault')} in ${seen}.\n\n${table(
          ['invariant', 'wallet', 'fault'],
          faults.map(({ invariant, walletId, detail }) => [invariant, walletId, detail]),
        )}`,
  );
  if (!ok) process.exitCode = FAILED;
}

/** Archives months, and prints them with how long charges may have waited. */
async function archiveLedger(options: {
  before: string;
  out: string;
  format?: ArchiveFormat;
  json?: boolean;
}): Promise<void> {
  const { archiveBefore } = await import('../archive/archive.js');
  const { NO_DUCKDB } = await import('../archive/parquet.js');
  const { hasDuckDb } = await import('../../postgres/ledger/duckdb.js');
  const format = options.format ?? ((await hasDuckDb()) ? 'parquet' : 'ndjson');
  if (format === 'parquet' && !(await hasDuckDb())) throw new Failure(NO_DUCKDB, WRONG_USE);
  const folder = typedPath(options.out);
  const months = await withStores(({ sql }) =>
    withBar('Archiving', (listeners) => archiveBefore(sql, options.before, folder, { ...listeners, format })),
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

/** Restores a month, and prints what was restored. */
async function restoreLedger(manifest: string, options: { json?: boolean }): Promise<void> {
  const { restoreArchive } = await import('../archive/archive.js');
  const file = typedPath(manifest);
  const month = await withStores(({ sql }) =>
    withBar('Restoring', (listeners) => restoreArchive(sql, file, listeners)),
  );
  answer(
    shown(month),
    options.json,
    () =>
      `${month.month} is in the database again: ${counted(month.rows, 'debit')} of ${credits(month)} credits. ${paused([month])}`,
  );
}

/** Runs with a progress bar, which appears with the first debits. */
async function withBar<T>(title: string, run: (listeners: Listeners) => Promise<T>): Promise<T> {
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
