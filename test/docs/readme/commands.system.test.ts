import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoKeyFile } from '../../../adapters/cli/environment.js';
import { createProgram } from '../../../adapters/cli/program.js';
import { readConfig } from '../../../src/config/config.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { blocksOf, codeIn, commandsOf, ROOT, readPage, tableOf } from './markdown.js';

/** Pages with commands, in the order in which these are run: those that fill the data folder come first. */
const COMMAND_PAGES = [
  'README.md',
  'docs/importing.md',
  'docs/command-line.md',
  'docs/deploying.md',
  'docs/live-networks.md',
  'docs/environment.md',
];

const shellBlocks = COMMAND_PAGES.flatMap((page) => blocksOf(readPage(page))).filter(
  ({ language }) => language === 'sh',
);
const COMMANDS = [...new Set(shellBlocks.flatMap(commandsOf).map(({ command }) => command))];

const PERCH = 'npm run -s perch -- ';
const SCRIPT = /^(?:[A-Z_]+=\S+ )?npm (?:run )?(?!run)(\w+)$/;
/** Commands that the tests of examples run, and the one that sets the demo key for them. */
const ELSEWHERE = /^(?:curl |export PERCH_KEY=\$\(cat \.perch\/demo-key\)$)/;
const SETTINGS = /^(?:export )?((?:[A-Z_]+=\S+ ?)+?)(?: ?npm \w+)?$/;
const isExport = (command: string): boolean => command.startsWith(`${PERCH}export `);
const perchCommands = COMMANDS.filter((command) => command.startsWith(PERCH) && !isExport(command));

it('has only commands of a kind that is tried out', () => {
  const unknown = COMMANDS.filter(
    (command) => ![/^npm run -s perch -- /, SCRIPT, ELSEWHERE, SETTINGS].some((kind) => kind.test(command)),
  );
  expect(unknown).toEqual([]);
});

it.each(COMMANDS.filter((command) => SCRIPT.test(command)))('%s is a script of the package', async (command) => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect(Object.keys(scripts)).toContain(SCRIPT.exec(command)?.[1]);
});

it.each(COMMANDS.filter((command) => SETTINGS.test(command) && !ELSEWHERE.test(command) && command.includes('=')))(
  '%s has settings that the service accepts',
  (command) => {
    const settings = SETTINGS.exec(command)?.[1] ?? '';
    const env = Object.fromEntries(
      settings
        .trim()
        .split(' ')
        .map((pair) => pair.split(/=(.*)/s) as [string, string]),
    );
    expect(readConfig({ env, cwd: ROOT, terminal: false }).warnings).toEqual([]);
  },
);

it('stores the demo key where the page says', () => {
  const config = readConfig({ env: {}, cwd: ROOT, terminal: false });
  expect(relative(ROOT, demoKeyFile(config))).toBe('.perch/demo-key');
});

describe('docs/command-line.md', () => {
  const page = readPage('docs/command-line.md');
  const leaves = createProgram().commands.flatMap((command) =>
    (command.commands.length > 0 ? command.commands : [command]).map((leaf) => ({
      name: leaf === command ? command.name() : `${command.name()} ${leaf.name()}`,
      long: leaf.options.map(({ long }) => long ?? ''),
    })),
  );
  const sections = page
    .split(/^### /m)
    .slice(1)
    .map((section) => ({ name: section.split('\n')[0] ?? '', text: section }));

  it('has every command, and no other, in its table and below', () => {
    const names = leaves.map(({ name }) => name).sort();
    expect(
      tableOf(page, 'Command')
        .flatMap(([command = '']) => codeIn(command).slice(0, 1))
        .sort(),
    ).toEqual(names);
    expect(sections.map(({ name }) => name).sort()).toEqual(names);
  });

  it.each(sections)('lists exactly the options of $name', ({ name, text }) => {
    const { long = [] } = leaves.find((leaf) => leaf.name === name) ?? {};
    const rows = text.includes('| Argument or option |') ? tableOf(text, 'Argument or option') : [];
    const documented = rows.flatMap(([cell = '']) => /^`(--[a-z-]+)/.exec(cell)?.[1] ?? []);
    expect(documented.sort()).toEqual(long.sort());
  });
});

describe('exports', () => {
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ openDatabase: demoDatabase });
  });
  afterAll(() => perch?.close());

  it.each(COMMANDS.filter(isExport))(
    '%s',
    async (command) => {
      const { key } = await perch.account({ credits: 100 });
      const folder = await mkdtemp(join(tmpdir(), 'perch-readme-'));
      const file = command.split(' ').at(-1) ?? '';
      const here = command.replace(file, join(folder, file));
      const env = { ...process.env, PERCH_HOME: folder, PERCH_KEY: key, PERCH_BASE_URL: perch.url };
      await promisify(execFile)('sh', ['-c', here], { cwd: ROOT, env });
      const text = await readFile(join(folder, file), 'utf8');
      expect(text).toMatch(file.endsWith('.csv') ? /^id,text,/ : /^\{"id":/);
      await rm(folder, { recursive: true });
    },
    60_000,
  );
});

describe('the command line', () => {
  let home: string;
  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'perch-readme-')));
    // If this is root, the server runs as the user nobody, who must be able to enter the folder.
    await chmod(home, 0o711);
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('runs all shown commands one after the other in a new data folder', async () => {
    for (const command of perchCommands) {
      const here = command.replace('../corpus', join(ROOT, 'test/kit/fixtures/import/plain'));
      const env = { ...process.env, PERCH_HOME: home, PERCH_DEMO: 'off', DATABASE_URL: '' };
      const { stdout } = await promisify(execFile)('sh', ['-c', here], { cwd: ROOT, env });
      expect({ command, said: stdout.trim().length > 0 }).toEqual({ command, said: true });
      if (command.includes(' price ')) expect(stdout).toContain('At most 20 credits');
      if (command.includes(' ledger ')) expect(stdout).toContain('The ledger is consistent: 1 wallet, 1 entry');
    }
  }, 600_000);
});
