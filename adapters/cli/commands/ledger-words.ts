import type { Command } from 'commander';
import { examples, group } from '../help.js';

/** ledger check. */
export function ledgerCommands(program: Command): void {
  group(program, 'ledger', 'the ledger: check')
    .command('check')
    .description('prove every invariant of the ledger over the whole database; exit code 1 when one is broken')
    .option('--json', 'print {"ok","wallets","entries"} and the faults')
    .addHelpText('after', examples('perch ledger check', 'perch ledger check --json'))
    .action(async (options) => (await import('./ledger.js')).checkLedger(options));
}
