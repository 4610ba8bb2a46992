import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { toEnding } from '../../adapters/cli/failure.js';
import { createProgram } from '../../adapters/cli/program.js';
import { LIST_READS } from '../../src/domain/lists.js';
import { captureOutput } from './support/captured.js';

const ID = '019a2b3c-4d5e-7f60-8123-456789abcdef';

const said = captureOutput();

/** The exit code for arguments that are refused, or that ask for help, before anything is done. */
async function exitOf(words: readonly string[]): Promise<number> {
  const ending = await createProgram()
    .parseAsync(words, { from: 'user' })
    .then(() => ({ exitCode: 0, message: null }), toEnding);
  said.err += ending.message ?? '';
  return ending.exitCode;
}

const leaves = (command: Command, path: readonly string[] = []): string[][] =>
  command.commands.length === 0
    ? [[...path]]
    : command.commands.flatMap((child) => leaves(child, [...path, child.name()]));

describe('help', () => {
  test.each(leaves(createProgram()).map((path) => [path.join(' '), path] as const))(
    '%s has examples',
    async (_, path) => {
      expect(await exitOf([...path, '--help'])).toBe(0);
      expect(said.out).toContain('Examples:\n  ');
      expect(said.out).toMatch(/ perch /);
      expect(said.err).toBe('');
    },
  );

  test('lists every command that operators rely on', () => {
    const names = leaves(createProgram()).map((path) => path.join(' '));
    expect(names.sort()).toEqual(
      [
        'account create',
        'account freeze',
        'account limit',
        'account list',
        'account note',
        'account show',
        'account sign-in',
        'account sign-out',
        'account thaw',
        'costs',
        'database distribute',
        'database rebalance',
        'doctor',
        'export',
        'import',
        'key create',
        'key limit',
        'key list',
        'key revoke',
        'key rotate',
      ].concat(['ledger archive', 'ledger check', 'ledger restore', 'price', 'serve', 'stats', 'wallet credit']),
    );
  });

  test('prints the version to standard output', async () => {
    expect(await exitOf(['--version'])).toBe(0);
    expect(said.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

const CREATE = ['account', 'create', '--name', 'n'];
const CREDIT = ['wallet', 'credit', '--account', ID, '--reason', 'r'];

/** Invalid arguments, and the error for each. */
const BAD: readonly (readonly [words: readonly string[], says: RegExp])[] = [
  [[], /Usage: perch/],
  [['account'], /Usage: perch account/],
  [['sevre'], /unknown command 'sevre'[\s\S]*serve/],
  [['serve', 'now'], /too many arguments/],
  [['import'], /missing required argument 'path'/],
  [['import', 'x', ''], /^perch: PATH must be a path; it is empty\./],
  [['import', '--strikt', 'x'], /unknown option '--strikt'[\s\S]*--strict/],
  [['ledger', 'archive', '--out', '.'], /--before <month>' not specified/],
  [['ledger', 'archive', '--before', '2026-13', '--out', '.'], /a month such as 2026-01, or a day such as 2026-01-15/],
  [['ledger', 'archive', '--before', '2026-02-30', '--out', '.'], /a month such as 2026-01, or a day/],
  [['ledger', 'archive', '--before', '2026-01'], /--out <folder>' not specified/],
  [['ledger', 'archive', '--before', '2026-01', '--out', ''], /--out must be a path; it is empty/],
  [['ledger', 'restore', ''], /MANIFEST must be a path; it is empty/],
  [['ledger', 'restore'], /missing required argument 'manifest'/],
  [['account', 'create'], /--name <name>' not specified/],
  [['account', 'create', '--name', '  '], /1 to 100 visible characters/],
  [['account', 'create', '--name', 'x'.repeat(101)], /1 to 100 visible characters/],
  [['account', 'create', '--name', 'a\u202eb'], /visible characters/],
  [['account', 'create', '--name', 'a\nb'], /on one line/],
  [[...CREATE, '--email', 'ada'], /an email address such as/],
  // Sign-in accepts none of these addresses, so an account with one could never be entered.
  [[...CREATE, '--email', 'ada@localhost'], /an email address such as/],
  [[...CREATE, '--email', 'a..b@example.org'], /an email address such as/],
  [['account', 'freeze'], /missing required argument 'id'/],
  [['account', 'sign-in'], /give either the id of an account or --email/],
  [['account', 'sign-in', ID, '--email', 'ada@example.org'], /give either the id of an account or --email/],
  [['account', 'limit', ID], /give --qps, --paid-usd or both/],
  [['account', 'limit', ID, '--qps', '0'], /^perch: --qps must be a whole number from 1/],
  [['account', 'note', ID, 'x'.repeat(2001)], /^perch: TEXT must be at most 2000 characters/],
  [['account', 'sign-out', '42'], /an id such as/],
  [[...CREATE, '--credits', '-5'], /a number of credits with at most three decimals/],
  [[...CREATE, '--credits', '1.2345'], /at most three decimals/],
  [[...CREATE, '--credits', '1e3'], /at most three decimals/],
  [[...CREATE, '--credits', ''], /a number of credits/],
  [[...CREATE, '--credits', '9'.repeat(13)], /a number of credits/],
  [[...CREATE, '--paid-usd', '9.99'], /whole number from 0/],
  [[...CREATE, '--qps', '0'], /whole number from 1/],
  [['account', 'show'], /missing required argument 'id'/],
  [['account', 'show', '42'], /^perch: ID must be an id such as/],
  [['key', 'create', '--name', 'x'], /--account <id>' not specified/],
  [['key', 'create', '--account', ID, '--cap', '0'], /^perch: --cap must be more than 0 credits/],
  [['key', 'list', '--account', 'me'], /an id such as/],
  [['key', 'rotate', 'perch_live_short'], /a key prefix/],
  [['key', 'rotate', 'perch_live_a1B2c3', '--overlap', '31d'], /0 to 30d/],
  [['key', 'rotate', 'perch_live_a1B2c3', '--overlap', '24'], /0 to 30d/],
  [['key', 'limit', 'perch_live_a1B2c3'], /at least one of --reads, --from and --expires/],
  [['key', 'limit', 'perch_live_a1B2c3', '--reads', 'everything'], /all, or some of profiles, tweets, timeline/],
  [['key', 'limit', 'perch_live_a1B2c3', '--from', '10.1'], /neither an IP address nor a network/],
  [['key', 'limit', 'perch_live_a1B2c3', '--expires', '2026-02-30'], /never, or a day such as/],
  [['key', 'revoke'], /missing required argument 'prefix'/],
  [[...CREDIT], /--credits <credits>' not specified/],
  [[...CREDIT, '--credits', '0'], /more than 0 credits/],
  [[...CREDIT, '--credits', '5', '--request-id', 'x'], /an id such as/],
  [['ledger', 'chekc'], /unknown command 'chekc'[\s\S]*check/],
  [['price', 'DELETE', '/v1/me'], /GET or POST/],
  [['price', 'GET'], /missing required argument 'path'/],
  [
    ['export', 'friends', '@a', '--max-credits', '5'],
    new RegExp(`^perch: LIST is invalid. Allowed choices are ${LIST_READS.map((read) => read.export).join(', ')}`),
  ],
  [['export', 'followers', '@a'], /--max-credits <credits>' not specified/],
  [['export', 'followers', '@a', '--max-credits', '0'], /more than 0 credits/],
  [['export', 'followers', '@a', '--max-credits', '5', '--url', 'perch.example'], /a URL such as/],
  [['export', 'followers', '@a', '--max-credits', '5', '--count', '201'], /at most 200/],
  [['export', 'followers', '@a', '--max-credits', '5', '--product', 'Top'], /--product is only for search/],
  [['export', 'replies', '@a', '--max-credits', '5'], /requires the numeric id of a tweet/],
  [['export', 'tweets', '@a', '--max-credits', '5', '--format', 'parquet'], /use --out/],
  [['export', 'tweets', '@a', '--max-credits', '5', '--out', ''], /--out must be a path; it is empty/],
  [['export', 'tweets', '@a', '--max-credits', '5', '--key-file', ' '], /--key-file must be a path; it is empty/],
  [['doctor', '--backups', ''], /--backups must be a path; it is empty/],
  [['doctor', '--jsn'], /unknown option '--jsn'/],
];

describe('invalid arguments exit with 2 and a correction before anything is opened', () => {
  test.each(BAD.map(([words, says]) => [words.join(' ') || '(none)', words, says] as const))(
    '%s',
    async (_, words, says) => {
      expect(await exitOf(words)).toBe(2);
      expect(said.err).toMatch(says);
      expect(said.out).toBe('');
    },
  );
});

describe('a data folder that cannot be used exits with 2 and the reason', () => {
  const file = fileURLToPath(import.meta.url);
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test.each([
    ['a file', file, 'it is a file'],
    ['below a file', `${file}/home`, 'a part of this path is a file'],
    // /proc exists, and refuses new folders as if it did not.
    ...(process.platform === 'linux' ? [['in /proc', '/proc/perch/home', 'no folder can be created there']] : []),
  ])('%s', async (_, home = '', why) => {
    const right = `PERCH_HOME must be a folder that this user may write to, not ${JSON.stringify(home)}: ${why}`;
    for (const secret of ['', 's'.repeat(32)]) {
      said.err = '';
      vi.stubEnv('PERCH_HOME', home);
      vi.stubEnv('PERCH_SECRET', secret);
      expect(await exitOf(['account', 'list'])).toBe(2);
      expect(said.err).toContain(right);
    }
  });
});
