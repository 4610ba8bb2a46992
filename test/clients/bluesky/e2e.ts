/**
 * Perch over a real AppView: every read of /v1 and a profile with its timeline over GraphQL. Opt-in, because it installs some
 * 700 MB into E2E_FOLDER (by default a new folder in the system's temporary one; what is already there is used again).
 * Needs Linux x64, redis-server, and PG_BIN: the folder of initdb and pg_ctl.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { recordId, userId } from '../../../adapters/networks/bluesky/ids.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PORT = process.env.PORT ?? '4790';
const BASE = `http://127.0.0.1:${PORT}`;
const INSTALL_MS = 600_000;
const START_MS = 120_000;

interface Seed {
  readonly appview: string;
  readonly dids: Readonly<Record<string, string>>;
  readonly root: string;
  readonly posts: readonly string[];
  readonly replies: readonly string[];
}

const children: ChildProcess[] = [];

function start(command: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** Waits for output that contains the words. */
function said(child: ChildProcess, words: string, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No ${words} within ${withinMs / 1000} s.`)), withinMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      if (!chunk.toString().includes(words)) return;
      clearTimeout(timer);
      resolve();
    });
    child.on('exit', (code) => reject(new Error(`It ended with ${code}.`)));
  });
}

async function startNetwork(): Promise<Seed> {
  const folder = process.env.E2E_FOLDER ?? mkdtempSync(join(tmpdir(), 'perch-e2e-'));
  mkdirSync(folder, { recursive: true });
  // Postgres runs as another user when we are root.
  chmodSync(folder, 0o755);
  for (const file of ['package.json', 'loopback.mjs', 'net.mjs', 'network.sh'])
    copyFileSync(join(HERE, file), join(folder, file));
  console.log(`The network is in ${folder}`);
  await said(start('bash', [join(folder, 'network.sh'), folder], {}), 'READY', INSTALL_MS);
  return JSON.parse(readFileSync(join(folder, 'seed.json'), 'utf8'));
}

/** Starts the service over the AppView, and returns the key of a new account. */
async function startPerch(appview: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'perch-e2e-home-'));
  // Only on exit, when the service has stopped.
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
  const env = {
    PORT,
    PERCH_HOME: home,
    PERCH_NETWORK: 'bluesky',
    PERCH_DEMO: 'off',
    BLUESKY_BASE_URL: appview.replace('localhost', '127.0.0.1'),
    LOG_LEVEL: 'warn',
  };
  start(process.execPath, ['adapters/cli/perch.mjs', 'serve'], env);
  const until = Date.now() + START_MS;
  while (
    !(await fetch(`${BASE}/graphql?query={__typename}`).then(
      () => true,
      () => false,
    ))
  ) {
    if (Date.now() > until) throw new Error('Perch does not answer.');
    await sleep(300);
  }
  const args = [
    'adapters/cli/perch.mjs',
    'account',
    'create',
    '--name',
    'e2e',
    '--credits',
    '1000',
    '--qps',
    '50',
    '--json',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { ...process.env, ...env } });
  return JSON.parse(stdout).key;
}

// biome-ignore lint/suspicious/noExplicitAny: answers as they come.
type Body = any;
type Check = readonly [what: string, path: string, holds: (body: Body, status: number) => boolean];

function checksOf(seed: Seed): Check[] {
  const alice = userId(seed.dids.alice ?? '');
  const root = recordId(seed.root);
  const ids = seed.posts.slice(0, 30).map(recordId);
  const list = (body: Body): Body[] => body.data ?? body.items ?? body.users ?? body.tweets ?? body.ids ?? body;
  const holds = (count: number) => (body: Body, status: number) => status === 200 && list(body).length === count;
  return [
    [
      'a profile by handle',
      '/v1/users/alice.test',
      (body, status) => status === 200 && JSON.stringify(body).includes(alice),
    ],
    ['nobody', '/v1/users/nobody.test', (_body, status) => status === 404],
    [
      '30 profiles',
      `/v1/users/batch?handles=${['alice', 'bob', ...Array.from({ length: 26 }, (_, n) => `user${n}`), 'nobody'].map((name) => `${name}.test`).join()}`,
      (_body, status) => status === 200,
    ],
    [
      'a tweet',
      `/v1/tweets/${root}`,
      (body, status) => status === 200 && JSON.stringify(body).includes('alice post number 59'),
    ],
    ['30 tweets', `/v1/tweets/batch?ids=${ids.join()}`, (_body, status) => status === 200],
    ['a timeline', '/v1/users/alice.test/tweets?count=50', holds(50)],
    ['followers', '/v1/users/alice.test/followers?count=29', holds(29)],
    ['ids of followers', '/v1/users/alice.test/followers/ids?count=29', holds(29)],
    ['following', '/v1/users/alice.test/following?count=10', holds(10)],
    ['a search', '/v1/tweets/search?q=alice&count=20', holds(20)],
    ['a search for people', '/v1/tweets/search?q=user1&product=People&count=5', holds(5)],
    ['a thread', `/v1/tweets/${root}/thread`, holds(5)],
    ['direct replies', `/v1/tweets/${root}/replies`, holds(2)],
    ['quotes', `/v1/tweets/${root}/quotes`, holds(2)],
    ['retweeters', `/v1/tweets/${root}/retweeters?count=20`, holds(20)],
  ];
}

const QUERY = `{ user(handle: "alice.test") { handle followersCount tweets(first: 20) { nodes { id text } } } }`;

async function main(): Promise<boolean> {
  const seed = await startNetwork();
  const key = await startPerch(seed.appview);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  let failed = 0;
  const report = (what: string, ok: boolean, status: number, ms: number, text: string): void => {
    if (!ok) failed += 1;
    console.log(
      `${ok ? 'ok  ' : 'FAIL'} ${String(status).padEnd(4)} ${ms.toFixed(0).padStart(5)} ms  ${what}${ok ? '' : `\n     ${text.slice(0, 400)}`}`,
    );
  };
  for (const [what, path, holds] of checksOf(seed)) {
    const startedAt = performance.now();
    const response = await fetch(BASE + path, { headers });
    const text = await response.text();
    report(what, holds(JSON.parse(text), response.status), response.status, performance.now() - startedAt, text);
  }
  const startedAt = performance.now();
  const response = await fetch(`${BASE}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: QUERY }) });
  const text = await response.text();
  const user = JSON.parse(text).data?.user;
  const ok = user?.followersCount === 29 && user.tweets.nodes.length === 20;
  report('a profile with its timeline (GraphQL)', ok, response.status, performance.now() - startedAt, text);
  console.log(failed === 0 ? 'All reads are as they should be.' : `${failed} reads are not as they should be.`);
  return failed === 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  for (const child of children.reverse()) child.kill('SIGTERM');
}
