/** The programs of docs/live.md, each in its language, follow an account of the service. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../adapters/cli/workers/free-port.js';
import { GuardedWebhooks } from '../../adapters/client-documents/webhooks.js';
import { demoDatabase } from '../kit/demo.js';
import { openStream } from '../kit/events.js';
import { startPerch, type TestAccount, type TestPerch } from '../kit/perch.js';
import { blocksOf, ROOT, readPage, tableOf } from './readme/markdown.js';

const SLOW_MS = 180_000;
const BELL = /The harbor bell rang at \d\d:\d\d:[03]0 UTC\./;

const page = readPage('docs/live.md');
const blocks = blocksOf(page);
const programs = blocks.filter(({ language }) => ['sh', 'ts', 'python'].includes(language));

let perch: TestPerch;
let account: TestAccount;
let folder: string;
/** The id of an event, as a reader has it who has received one. */
let last: string;
beforeAll(async () => {
  const webhooks = new GuardedWebhooks({ userAgent: 'test', loopback: true });
  perch = await startPerch({ openDatabase: demoDatabase, webhooks });
  account = await perch.testKey(await perch.account());
  folder = await mkdtemp(join(tmpdir(), 'perch-live-'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const stream = await openStream(`${perch.url}/v1/live?user=posts_often`, account.key);
  last = (await stream.next('position')).id ?? '';
  stream.leave();
}, SLOW_MS);
afterAll(async () => {
  await perch?.close();
  await rm(folder, { recursive: true });
});

/** Starts a block as a program of its own. */
async function run(language: string, text: string, name: string): Promise<ChildProcess> {
  const here = text.replaceAll('http://127.0.0.1:4000', perch.url);
  const env = { ...process.env, PERCH_TEST_KEY: account.key, LAST: last };
  if (language === 'sh') return spawn('sh', ['-c', here], { env, cwd: folder });
  const file = join(folder, `${name}.${language === 'ts' ? 'mts' : 'py'}`);
  await writeFile(file, here);
  return language === 'ts'
    ? spawn('node', ['--import', 'tsx', file], { env, cwd: folder })
    : spawn('python3', [file], { env, cwd: folder });
}

/** What a program says until it prints a new tweet or ends. */
async function saidBy(child: ChildProcess): Promise<string> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += piece));
  const exit = once(child, 'exit');
  let hasEnded = false;
  // Its last words may come after its exit.
  const end = once(child, 'close').then(() => {
    hasEnded = true;
  });
  while (!hasEnded && !BELL.test(said)) await Promise.race([end, sleep(100)]);
  child.kill('SIGKILL');
  // The commands of a killed shell keep its pipes open.
  await exit;
  return said;
}

describe('docs/live.md', () => {
  it.concurrent.each(programs.map(({ language, text, line }) => [language, line, text] as const))(
    'has a program in %s on line %i that prints a new tweet',
    async (language, line, text) => {
      expect(await saidBy(await run(language, text, `line-${line}`))).toMatch(BELL);
    },
    SLOW_MS,
  );

  it.concurrent.each(['ts', 'python'])(
    'has a program in %s that comes back after the time that a 503 and a 429 name',
    async (language) => {
      const times: number[] = [];
      const gate = createServer(({ url, headers }, response) => {
        times.push(performance.now());
        if (times.length <= 2)
          return void response.writeHead(times.length === 1 ? 503 : 429, { 'retry-after': '5' }).end();
        get(`${perch.url}${url}`, { headers }, (answer) =>
          pipeline(answer, response.writeHead(200, answer.headers), () => undefined),
        );
      });
      await once(gate.listen(0, '127.0.0.1'), 'listening');
      const text = programs.find((program) => program.language === language)?.text ?? '';
      const here = text.replaceAll(':4000', `:${(gate.address() as AddressInfo).port}`);
      expect(await saidBy(await run(language, here, `refused-${language}`))).toMatch(BELL);
      gate.closeAllConnections();
      gate.close();
      const [first = 0, second = 0, third = 0] = times;
      expect(Math.min(second - first, third - second)).toBeGreaterThan(4900);
    },
    SLOW_MS,
  );

  it.concurrent(
    'has a program in TypeScript that ends, and says why, once its key is refused',
    async () => {
      const text = programs.find(({ language }) => language === 'ts')?.text ?? '';
      const here = text.replace(/process\.env\.\w+/, "'perch_test_unknown'");
      expect(await saidBy(await run('ts', here, 'unknown-key'))).toMatch(/401/);
    },
    SLOW_MS,
  );

  it(
    'has a receiver that prints a new tweet of the watch that its command makes',
    async () => {
      const textOf = (language: string): string => blocks.find((block) => block.language === language)?.text ?? '';
      const port = await freePort('127.0.0.1');
      const command = textOf('bash')
        .replaceAll('https://example.com/webhooks/perch', `http://127.0.0.1:${port}/`)
        .replaceAll('http://127.0.0.1:4000', perch.url);
      const env = { ...process.env, PERCH_TEST_KEY: account.key };
      // Not synchronously, because the service answers in this process.
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
      const made = JSON.parse(stdout);
      expect(made.data).toMatchObject({ user: 'posts_often', state: 'active', max_credits_per_day: 500 });
      const file = join(folder, 'receiver.mjs');
      await writeFile(file, textOf('js'));
      const secret = { PERCH_WEBHOOK_SECRET: made.webhook_secret, PORT: String(port) };
      const receiver = spawn('node', [file], { env: { ...process.env, ...secret } });
      let said = '';
      for (const stream of [receiver.stdout, receiver.stderr]) stream.on('data', (piece) => (said += piece));
      await expect.poll(() => said, { timeout: SLOW_MS - 10_000, interval: 100 }).toMatch(BELL);
      receiver.kill('SIGKILL');
    },
    SLOW_MS,
  );

  it('names every event that streams send, and no other', async () => {
    const sent = ['open', 'position', 'items', 'heartbeat', 'error'].map((name) => `\`${name}\``);
    expect(tableOf(page, 'Event').map(([name]) => name)).toEqual(sent);
  });
});
