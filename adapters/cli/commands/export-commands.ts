import { type Command, Option } from 'commander';
import { PRODUCTS } from '../../../src/domain/model.js';
import { EXPORTS } from '../export/lists.js';
import { FORMATS } from '../export/rows.js';
import { examples } from '../help.js';
import { atLeastOne, someCredits, webAddress } from '../option-parsers.js';

/** export. */
export function exportCommands(program: Command): void {
  program
    .command('export')
    .description('export a whole list or search from a running service to a file, within a credit budget')
    .addArgument(program.createArgument('<list>', 'list to export').choices([...EXPORTS.keys()]))
    .argument('<what>', '@handle or id of a user, id of a tweet, or a search query')
    .requiredOption('--max-credits <credits>', 'maximum credits to spend, over all runs of this export', someCredits)
    .option('--limit <items>', 'stop after this many items, over all runs of this export', atLeastOne)
    .option('--count <items>', 'items per call (default: the maximum for the list)', atLeastOne)
    .addOption(new Option('--product <product>', 'search product').choices([...PRODUCTS]))
    .option('--fresh', 'bypass the cache, at double price')
    .addOption(
      new Option('--format <format>', 'output format (default: from the file name, else ndjson)').choices([...FORMATS]),
    )
    .option('--out <file>', 'write to a file instead of standard output')
    .option('--state <file>', 'file for the progress of the export (default: next to the --out file)')
    .option('--url <address>', 'URL of the service (default: PERCH_BASE_URL, else this machine)', webAddress)
    .option('--key-file <file>', 'file with the API key (default: PERCH_KEY, else the demo key of this machine)')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
With --out, or with --state and >>, running the same command again resumes the export after Ctrl-C, a crash, a full disk or a
spent budget; no item is written twice. --max-credits, --limit and --count may change between runs. Only one run at a time can
write to a file. Parquet files are built from a row file kept next to them. CSV text is not escaped for spreadsheets, which
may take values starting with =, +, - or @ for formulas. When rows go to standard output, the summary goes to standard error.

Exit codes: 0 complete, or --limit or --max-credits reached; 1 wallet empty, spend cap of the key reached, failure, or another
run is writing; 2 invalid arguments or configuration; 130 Ctrl-C; 143 SIGTERM.
${examples(
  'perch export followers @harbor_obs --max-credits 500 > followers.ndjson',
  'perch export tweets @harbor_obs --max-credits 500 --out tweets.parquet',
  "perch export search 'comet min_faves:50' --max-credits 100 --limit 100 --out comet.csv",
)}`,
    )
    .action(async (list: string, what: string, options) =>
      (await import('./export.js')).exportCommand(list, what, options),
    );
}
