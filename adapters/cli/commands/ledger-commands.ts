import type { Command } from 'commander';
import { examples, group } from '../help.js';
import { month } from '../option-parsers.js';

/** ledger check, archive, restore. */
export function ledgerCommands(program: Command): void {
  const ledger = group(program, 'ledger', 'the ledger: check, archive, restore');
  ledger
    .command('check')
    .description('check every invariant of the ledger across the database; exit code 1 if any is violated')
    .option('--json', 'print {"ok","wallets","entries"} and any faults')
    .addHelpText('after', examples('perch ledger check', 'perch ledger check --json'))
    .action(async (options) => (await import('./ledger.js')).checkLedger(options));
  ledger
    .command('archive')
    .description('write whole months of debits to files and take them out of the database')
    .requiredOption('--before <month>', 'archive the months before this one, such as 2026-01', month)
    .requiredOption('--out <folder>', 'existing folder for the files, two for each month')
    .option('--json', 'print the archived months as JSON')
    .addHelpText(
      'after',
      `
Each month becomes debits-2025-12.ndjson.gz, one debit in a line, and debits-2025-12.json with its count, sum and SHA-256. The
file is read back and compared with the ledger before its month leaves the database. Balances, usage and what keys have spent stay
as they are, and ledger check stays exact; receipts of the month are no longer found. Months that ended less than a day ago, or
whose debits are not all summed up yet, are refused.

The service may run meanwhile: charges wait a moment while a month is taken out. Interrupted, it may be run again: what is
complete stays, and an incomplete month is begun again.
${examples('perch ledger archive --before 2026-01 --out /backup/perch', 'perch ledger archive --before 2026-01 --out . --json')}`,
    )
    .action(async (options) => (await import('./ledger-archives.js')).archiveLedger(options));
  ledger
    .command('restore')
    .description('load an archived month into the database again')
    .argument('<manifest>', 'the .json file of the month, beside its .ndjson.gz')
    .option('--json', 'print the restored month as JSON')
    .addHelpText(
      'after',
      `
The file must be what was archived, to the byte. Its debits are seen once all of them are there; interrupted, it may be run again.
${examples('perch ledger restore /backup/perch/debits-2025-12.json')}`,
    )
    .action(async (manifest: string, options) =>
      (await import('./ledger-archives.js')).restoreLedger(manifest, options),
    );
}
