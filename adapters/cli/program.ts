import { Command } from 'commander';
import { VERSION } from '../../src/domain/version.js';
import { accountCommands } from './commands/account-commands.js';
import { costsCommand } from './commands/costs-command.js';
import { exportCommands } from './commands/export-commands.js';
import { keyCommands } from './commands/key-commands.js';
import { ledgerCommands } from './commands/ledger-commands.js';
import { serviceCommands } from './commands/service-commands.js';
import { statsCommand } from './commands/stats-command.js';

/**
 * The command line: names, options and help. A command's code is loaded when it runs, so that help and errors appear at
 * once. Throws CommanderError for a wrong command line, after reporting it on standard error.
 */
export function createProgram(): Command {
  const program = new Command('perch')
    .description('A read-only, credit-metered data service over a public social network.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'perch: ')) })
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText(
      'after',
      `
Every command except export works whether or not the service is running. Results go to standard output, everything else to standard error.
Exit codes: 0 success, 1 failure, 2 invalid arguments or configuration.

Examples:
  perch serve
  perch import ~/archive/data
  perch account create --name "Ada" --credits 1000
  perch COMMAND --help`,
    );
  serviceCommands(program);
  accountCommands(program);
  keyCommands(program);
  ledgerCommands(program);
  costsCommand(program);
  statsCommand(program);
  exportCommands(program);
  return program;
}
