/** The example of an app that embeds Perch, run as its README says: after a service that was started once. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoHome } from '../../cli/support/demo-home.js';
import { isDatabaseDown } from '../../cli/support/service.js';
import { type Cli, REPOSITORY, type Started, startNode } from '../../cli/support/support.js';
import { hasCurl, withoutCurl } from '../../docs/readme/examples.js';
import { blocksOf, commandsOf, creditsIn } from '../../docs/readme/markdown.js';

const SLOW_MS = 120_000;
const FOLDER = join(REPOSITORY, 'examples/mercurius');
const BLOCKS = blocksOf(readFileSync(join(FOLDER, 'README.md'), 'utf8'));
const COMMANDS = BLOCKS.filter(({ language }) => language === 'sh').flatMap(commandsOf);

let cli: Cli;
beforeAll(async () => {
  cli = await openDemoHome();
}, SLOW_MS);
afterAll(() => cli.close());

const start = (port: number): Started =>
  startNode(['--import', 'tsx', 'examples/mercurius/app.ts'], {
    cwd: REPOSITORY,
    env: { PERCH_HOME: cli.home, PORT: String(port), LOG_LEVEL: 'warn' },
  });

it.skipIf(!hasCurl)(`its call answers, at the price it says${withoutCurl}`, { timeout: SLOW_MS }, async () => {
  const started = start(0);
  await started.says('Listening at ');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
  const { command = '', comment = '' } = COMMANDS.find((each) => each.command.startsWith('curl ')) ?? {};
  const PERCH_KEY = (await readFile(join(cli.home, 'demo-key'), 'utf8')).trim();
  const env = { ...process.env, PERCH_KEY };
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll('http://127.0.0.1:3000', url)], { env });
  started.process.kill('SIGINT');
  expect(JSON.parse(stdout)).toMatchObject({
    data: { user: { name: expect.any(String), tweets: { nodes: [{}, {}, {}] } } },
    extensions: { credits: { charged: creditsIn(comment) } },
  });
  expect(await started.end).toMatchObject({ code: 0, stderr: '' });
  expect(await isDatabaseDown(cli)).toBe(true);
});

it('runs every command it lists, and shows what the app does', async () => {
  expect(COMMANDS.map(({ command }) => command.replace(/^curl .*/, 'curl').trim())).toEqual([
    'npx tsx examples/mercurius/app.ts',
    'export PERCH_KEY=$(cat .perch/demo-key)',
    'curl',
  ]);
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
  expect([dependencies.mercurius, typeof devDependencies.mercurius]).toEqual([undefined, 'string']);
  const app = await readFile(join(FOLDER, 'app.ts'), 'utf8');
  const lines = BLOCKS.filter(({ language }) => language === 'ts').flatMap(({ text }) => text.split('\n'));
  expect(lines.filter((line) => !app.includes(line))).toEqual([]);
});

it('ends, and stops the database it started, if its port is taken', { timeout: SLOW_MS }, async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const { port } = other.address() as { port: number };
  const ran = await start(port).end;
  other.close();
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('EADDRINUSE') });
  expect(await isDatabaseDown(cli)).toBe(true);
});
