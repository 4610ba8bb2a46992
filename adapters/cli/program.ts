import { Command } from 'commander';
import { VERSION } from '../../src/domain/version.js';
import { accountCommands } from './commands/account.js';
import { costsCommand } from './commands/costs.js';
import { databaseCommands } from './commands/database.js';
import { doctorCommand } from './commands/doctor.js';
import { exportCommand } from './commands/export.js';
import { importCommand } from './commands/import.js';
import { keyCommands } from './commands/keys.js';
import { ledgerCommands } from './commands/ledger.js';
import { priceCommand } from './commands/price.js';
import { serveCommand } from './commands/serve.js';
import { statsCommand } from './commands/stats.js';
import { walletCommands } from './commands/wallet.js';
import { FAILED, toEnding } from './failure.js';
import { note } from './print.js';

const COMMANDS = [
  serveCommand,
  importCommand,
  priceCommand,
  doctorCommand,
  accountCommands,
  walletCommands,
  keyCommands,
  ledgerCommands,
  databaseCommands,
  costsCommand,
  statsCommand,
  exportCommand,
];

const INVALID_ARGUMENT = /^error: command-argument value '[^']*' is invalid for argument '(\w+)'\. /;
const INVALID_OPTION = /^error: option '(?:-\w, )?(--[\w-]+)(?: [^']*)?' argument '[^']*' is invalid\. /;

/** Rewords the parser's message with the names that the help uses: `ID must be …`, `--cap must be …`. */
const inOurWords = (text: string): string =>
  text
    .replace(INVALID_ARGUMENT, (_, name: string) => `perch: ${name.toUpperCase()} is invalid. `)
    .replace(INVALID_OPTION, 'perch: $1 is invalid. ')
    .replace(/^(perch: \S+) is invalid\. Must be /, '$1 must be ')
    .replace(/^error: /, 'perch: ');

/**
 * The command line: names, options and help. Stores, schema and networks take long to load, so commands load them only
 * when they run; help and errors appear at once. Throws CommanderError for a wrong command line, after reporting it on
 * standard error.
 */
export function createProgram(): Command {
  const program = new Command('perch')
    .description('A read-only, credit-metered data service over a public social network.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(inOurWords(text)) })
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
  for (const add of COMMANDS) add(program);
  return program;
}

/** Runs the command that the process was started with. Never rejects; sets the exit code. */
export async function main(): Promise<void> {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // `perch key list | head` closes the pipe early; that is not a fault.
    if (code === 'EPIPE') process.exit();
    note(`perch: the result cannot be written to standard output (${code})`);
    process.exit(FAILED);
  });
  // What cannot be reported, because nobody reads it or the disk is full, must not end the work.
  process.stderr.on('error', () => {});
  try {
    await createProgram().parseAsync();
  } catch (error) {
    const { exitCode, message } = toEnding(error);
    if (message !== null) note(`perch: ${message}`);
    process.exitCode = exitCode;
  }
}
