import type { Command } from 'commander';
import { examples } from '../help.js';
import { method } from '../option-parsers.js';

/** serve, import, price, doctor. */
export function serviceCommands(program: Command): void {
  program
    .command('serve', { isDefault: false })
    .description('start the service; Ctrl-C finishes requests in flight and stops it')
    .addHelpText(
      'after',
      `
The service is configured by environment variables; \`perch doctor --all\` lists them.
${examples('perch serve', 'PORT=0 perch serve', 'PERCH_DEMO=off PERCH_HOME=/var/lib/perch perch serve')}`,
    )
    .action(async () => (await import('./serve.js')).serve());

  program
    .command('import')
    .description('import files or folders into the database (network corpus); running it again changes nothing')
    .argument('<path...>', 'files or folders to import')
    .option('--strict', 'stop at the first invalid line and import nothing')
    .option('--escaped', 'texts of rows with Perch’s names are escaped as X escapes them (&amp;): decode them')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Supported files: .ndjson, .jsonl or .json (also .gz) with users, tweets, follows or X API v2 pages; tweets.js, account.js and
profile.js of an X archive. Invalid lines are reported as file:line: message and skipped.
${examples('perch import ../corpus', 'perch import users.ndjson.gz tweets.ndjson.gz follows.ndjson', 'perch import --strict ~/twitter-archive')}`,
    )
    .action(async (paths: string[], options) => (await import('./import.js')).importCommand(paths, options));

  program
    .command('price')
    .description('show the maximum cost of a call; reads nothing and needs no database')
    .argument('<method>', 'GET or POST', method)
    .argument('<path>', 'a path under /v1 with its query string, or a full URL')
    .option('--body <json>', 'the body of a POST request')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        "perch price GET '/v1/users/harbor_obs/followers?count=200'",
        "perch price GET '/v1/tweets/search?q=comet&fresh=true'",
        'perch price POST /v1/users/batch --body \'{"handles":["harbor_obs","brindle_wx"]}\'',
      ),
    )
    .action(async (verb: string, path: string, options) => (await import('./price.js')).price(verb, path, options));

  program
    .command('doctor')
    .description('check the configuration, data folder, database, Redis and network, and report any problems')
    .option('--all', 'list every variable with its value and what it must be')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', examples('perch doctor', 'perch doctor --all', 'perch doctor --json'))
    .action(async (options) => (await import('./doctor.js')).doctor(options));
}
