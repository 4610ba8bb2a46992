import type { Command } from 'commander';
import { examples } from '../help.js';
import { method } from '../words.js';

/** serve, import, price, doctor. */
export function serviceCommands(program: Command): void {
  program
    .command('serve', { isDefault: false })
    .description('start the service; Ctrl-C finishes what is in flight and stops it')
    .addHelpText(
      'after',
      `
It is configured by environment variables; \`perch doctor --all\` lists them.
${examples('perch serve', 'PORT=0 perch serve', 'PERCH_DEMO=off PERCH_HOME=/var/lib/perch perch serve')}`,
    )
    .action(async () => (await import('./serve.js')).serve());

  program
    .command('import')
    .description('load files or folders into the corpus; running it twice changes nothing')
    .argument('<path...>', 'files, or folders with files')
    .option('--strict', 'stop at the first bad line and import nothing')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Recognised: .ndjson, .jsonl or .json (also .gz) with users, tweets, follows or X API v2 pages; tweets.js, account.js and
profile.js of an X archive. A bad line is reported as file:line: message, and skipped.
${examples('perch import ../corpus', 'perch import users.ndjson.gz tweets.ndjson.gz follows.ndjson', 'perch import --strict ~/twitter-archive')}`,
    )
    .action(async (paths: string[], options) => (await import('./import.js')).importCommand(paths, options));

  program
    .command('price')
    .description('what a call would cost at most; reads nothing and needs no database')
    .argument('<method>', 'GET or POST', method)
    .argument('<path>', 'a path under /v1 with its query, or a whole address')
    .option('--body <json>', 'the body of a POST')
    .option('--json', 'print the answer as JSON')
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
    .description('look at configuration, data folder, database, Redis and network, and say what is not right')
    .option('--all', 'every variable, what holds for it and what it may be')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', examples('perch doctor', 'perch doctor --all', 'perch doctor --json'))
    .action(async (options) => (await import('./doctor.js')).doctor(options));
}
