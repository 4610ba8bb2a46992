import { Command, InvalidArgumentError, Option } from 'commander';
import { CLIENTS, type ClientName } from './scenarios/clients.js';

/** The scenarios by their letters. */
export const SCENARIOS = {
  A: 'GET /v1/users/{handle}, cached',
  B: 'timeline of 20, cached',
  C: 'followers page of 200, cached',
  D: 'GraphQL POST: profile and 20 tweets, cached',
  E: 'durable charges',
  F: 'growth: deep pages, search in a large corpus (minutes: --growth)',
  G: 'second start, first answers, and memory under load',
  H: 'import of a large corpus (minutes: --import)',
  I: 'one process, with Redis, and several processes (needs redis-server: --nodes)',
  J: 'many customers: after a pause, and at half of the highest rate',
  K: 'misses read from the corpus in Postgres',
  L: 'MCP tools/call, cached',
  M: 'a corpus with a million protected profiles',
  N: 'followers: an item that reaches all of them, and silence (minutes: --following)',
  O: 'a million wallets: charges, and one run of housekeeping (minutes: --wallets)',
  P: 'charges beside heavy history queries (two cores and taskset: --history)',
  Q: 'charges over the workers of Citus (a coordinator in TEST_CITUS_URL: --workers)',
} as const;

export type Letter = keyof typeof SCENARIOS;

export interface BenchOptions {
  readonly letters: readonly Letter[];
  readonly rounds: number;
  readonly seconds: number;
  /** Numbers of connections. A to D, K and L are measured with each of them. */
  readonly loads: readonly number[];
  /** The first of these numbers, with which everything else is measured. */
  readonly connections: number;
  /** The clients for which A to C and L are measured. */
  readonly clients: readonly ClientName[];
  /** The number of tweets in the large corpus. */
  readonly tweets: number;
  readonly print: 'text' | 'json' | 'markdown';
  /** Instead of comparing, writes CPU profiles of the service under A to D, K and L to this folder. */
  readonly profileFolder: string | null;
  /** Instead of comparing, lists our own files that requests of some kinds execute. */
  readonly files: boolean;
  /** LOG_LEVEL of the service, whose log is written to a file. */
  readonly logLevel: string;
}

const isLetter = (text: string): text is Letter => Object.hasOwn(SCENARIOS, text);

function letters(text: string): Letter[] {
  const found = text.toUpperCase().split(',').filter(isLetter);
  if (found.length !== text.split(',').length) throw new InvalidArgumentError('Letters from A to Q, as A,B.');
  return found;
}

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`A whole number from ${least} to ${most}.`);
  };

const MOST_CONNECTIONS = 256;

const counts = (text: string): number[] => text.split(',').map(whole(1, MOST_CONNECTIONS));

const isClient = (text: string): text is ClientName => Object.hasOwn(CLIENTS, text);

function clients(text: string): ClientName[] {
  const found = text.split(',').filter(isClient);
  if (found.length === text.split(',').length) return found;
  throw new InvalidArgumentError(`Of ${Object.keys(CLIENTS).join(', ')}.`);
}

/** Scenarios that run only by name or by their own option: they take minutes, or need a server that may be missing. */
const ONLY_WHEN_SELECTED = {
  F: 'growth',
  H: 'import',
  I: 'nodes',
  M: 'growth',
  N: 'following',
  O: 'wallets',
  P: 'history',
  Q: 'workers',
} as const;

const optionOf = (letter: Letter): string | undefined =>
  letter in ONLY_WHEN_SELECTED ? ONLY_WHEN_SELECTED[letter as keyof typeof ONLY_WHEN_SELECTED] : undefined;

/** Parses the arguments. Prints help or an error and ends the process if needed. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const said = new Command('bench')
    .description('Perch beside its peers, in one run: medians of alternating rounds, as ratios. See bench/README.md.')
    .option('--only <letters>', 'only these scenarios, as A,B', letters)
    .option('--growth', 'also F and M')
    .option('--import', 'also H')
    .option('--nodes', 'also I')
    .option('--following', 'also N')
    .option('--wallets', 'also O')
    .option('--history', 'also P')
    .option('--workers', 'also Q')
    .option('--rounds <n>', 'rounds of each contestant', whole(1, 100), 5)
    .option('--seconds <n>', 'seconds of one round', whole(1, 60), 2)
    .option(
      '--connections <n,…>',
      'kept-alive connections of the load: A to D, K and L with each, others with the first',
      counts,
      [32, 128],
    )
    .option(
      '--clients <names>',
      'of A to C and L: plain (no Accept-Encoding), real (Accept-Encoding, a traceparent each)',
      clients,
      ['plain', 'real'],
    )
    .option('--tweets <n>', 'size of the large corpus of F and H', whole(10_000, 10_000_000), 1_000_000)
    .option('--log-level <level>', 'LOG_LEVEL of the service', 'info')
    .option(
      '--profile <folder>',
      'no comparison: CPU profiles of the service under A to D, K and L, and their top costs',
    )
    .option('--files', 'no comparison: which files of our own a request executes, and how many it may')
    .addOption(new Option('--json', 'print the results as JSON').conflicts('markdown'))
    .option('--markdown', 'print the results as the tables of docs/performance.md')
    .addHelpText(
      'after',
      `\n${Object.entries(SCENARIOS)
        .map(([letter, title]) => `  ${letter}  ${title}`)
        .join('\n')}`,
    )
    .parse([...argv], { from: 'user' })
    .opts();
  const selected = (Object.keys(SCENARIOS) as Letter[]).filter((letter) => {
    const option = optionOf(letter);
    return option === undefined || said[option] === true;
  });
  return {
    letters: said.only ?? selected,
    rounds: said.rounds,
    seconds: said.seconds,
    loads: said.connections,
    connections: said.connections[0],
    clients: said.clients,
    tweets: said.tweets,
    print: said.json ? 'json' : said.markdown ? 'markdown' : 'text',
    profileFolder: said.profile ?? null,
    files: said.files === true,
    logLevel: said.logLevel,
  };
}
