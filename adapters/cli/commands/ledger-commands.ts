import type { Command } from 'commander';
import { examples, group } from '../help.js';

/** ledger check. */
export function ledgerCommands(program: Command): void {
  group(program, 'ledger', 'the ledger: check')
    .command('check')
    .description('check every invariant of the ledger across the database; exit code 1 if any is violated')
    .option('--json', 'print {"ok","wallets","entries"} and any faults')
    .addHelpText('after', examples('perch ledger check', 'perch ledger check --json'))
    .action(async (options) => (await import('./ledger.js')).checkLedger(options));
}
