import { type Command, Option } from 'commander';
import { PRODUCTS } from '../../../src/core/model.js';
import { EXPORTS } from '../export/lists.js';
import { FORMATS } from '../export/rows.js';
import { examples } from '../help.js';
import { atLeastOne, someCredits, webAddress } from '../words.js';

/** export. */
export function exportCommands(program: Command): void {
  program
    .command('export')
    .description('read a whole list or search from a running service into a file, for at most so many credits')
    .addArgument(program.createArgument('<list>', 'which list').choices([...EXPORTS.keys()]))
    .argument('<what>', '@handle or id of a user; id of a tweet; or the query of a search')
    .requiredOption('--max-credits <credits>', 'the most that the export may spend, over all its runs', someCredits)
    .option('--limit <items>', 'stop after so many items, over all its runs', atLeastOne)
    .option('--count <items>', 'items per call; as many as the list allows unless told', atLeastOne)
    .addOption(new Option('--product <product>', 'of a search').choices([...PRODUCTS]))
    .option('--fresh', 'read everything anew, at double price')
    .addOption(new Option('--format <format>', "ndjson unless the file's name says more").choices([...FORMATS]))
    .option('--out <file>', 'write to a file instead of standard output')
    .option('--state <file>', 'where to keep how far it is; beside the file of --out unless told')
    .option('--url <address>', 'the service; PERCH_BASE_URL or this machine unless told', webAddress)
    .option('--key-file <file>', 'a file with the key; else PERCH_KEY, else the demo key of this machine')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
With --out, or with --state and >>, the same command goes on where it was after Ctrl-C, a crash, a full disk or an empty
budget: no item is written twice. --max-credits, --limit and --count may then be others. One run at a time writes a file.
Parquet is made of rows kept beside it. CSV has texts as they are, those too that a spreadsheet takes for formulas (=, +, -, @).
The summary goes to standard error where the rows go to standard output.

Exit codes: 0 when it is complete or came to --limit or --max-credits; 1 when the wallet, the key's cap or a failure ended
it, or another run is writing; 2 when it was told wrong; 130 after Ctrl-C, 143 after SIGTERM.
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
