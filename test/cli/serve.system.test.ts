import { once } from 'node:events';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../adapters/cli/workers/free-port.js';
import { mayReach } from '../../adapters/postgres/embedded/run-as.js';
import { until } from '../kit/time/until.js';
import { openDemoHome } from './support/demo-home.js';
import { Cli, REPOSITORY, type Started } from './support/support.js';

/** Long enough for a busy machine. */
const SLOW_MS = 90_000;

let cli: Cli;
let started: Started | undefined;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(async () => {
  started?.process.kill('SIGKILL');
  await started?.end;
  started = undefined;
  await cli.close();
});

/** A home as after a first start, which is slow and tested once. */
async function afterFirstStart(): Promise<void> {
  await cli.close();
  cli = await openDemoHome();
}

/** Starts the service on a free port and waits until it listens. */
async function serve(env: Readonly<Record<string, string>> = {}): Promise<string> {
  started = cli.start(['serve'], { env: { PORT: '0', LOG_LEVEL: 'warn', ...env } });
  await started.says('Ctrl-C stops it.');
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
  if (url === undefined) throw new Error(`No address in ${started.said.stdout}`);
  return url;
}

async function stop(signal: NodeJS.Signals): Promise<number | null> {
  started?.process.kill(signal);
  return (await started?.end)?.code ?? null;
}

/** The dashboard link that this start printed. */
const signInLink = (): string => /http:\S+\/sign-in#\S+/.exec(started?.said.stdout ?? '')?.[0] ?? '';

const isServerDown = (): Promise<boolean> =>
  stat(join(cli.home, 'postgres/data/postmaster.pid')).then(
    () => false,
    () => true,
  );

test('continues without readers of its output', { timeout: SLOW_MS }, async () => {
  await afterFirstStart();
  const port = await freePort('127.0.0.1');
  started = cli.start(['serve'], { env: { PORT: String(port), LOG_FORMAT: 'pretty' } });
  started.process.stdout?.destroy();
  started.process.stderr?.destroy();
  const isServing = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/legal`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('it serves', isServing);
  // 143 if the signal comes just before the start is complete.
  expect([0, 143]).toContain(await stop('SIGTERM'));
  expect(await isServerDown()).toBe(true);
});

test('makes a demo on the first start, prints its key once with a working read, and starts quickly later', {
  timeout: SLOW_MS,
}, async () => {
  const begun = performance.now();
  const url = await serve();
  const firstMs = performance.now() - begun;
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
  const [key] = /perch_live_\w{32}/.exec(started?.said.stdout ?? '') ?? [];
  const file = join(cli.home, 'demo-key');
  expect((await readFile(file, 'utf8')).trim()).toBe(key);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(started?.said.stderr).toMatch(/demo network has 2000 users, 30000 tweets and \d+ follows/);

  const [testKey] = /perch_test_\w{32}/.exec(started?.said.stdout ?? '') ?? [];
  expect((await readFile(join(cli.home, 'demo-test-key'), 'utf8')).trim()).toBe(testKey);
  const firstLink = signInLink();
  expect(firstLink).toContain(url);

  const [, read = ''] = /curl -s -H 'x-api-key: \w+' (\S+)/.exec(started?.said.stdout ?? '') ?? [];
  const answer = await fetch(read, { headers: { 'x-api-key': key ?? '' } });
  expect(await answer.json()).toMatchObject({
    credits_charged: 1,
    balance_remaining: 999,
    data: { handle: 'harbor_obs' },
  });
  // While the service is running.
  expect(await cli.json('ledger', 'check')).toEqual({ ok: true, wallets: 2, entries: 2 });
  expect(await stop('SIGTERM')).toBe(0);
  expect(await isServerDown()).toBe(true);

  const before = performance.now();
  const again = await serve();
  // On a machine where a first start takes more than twenty seconds, in half the time of that.
  expect(performance.now() - before).toBeLessThan(Math.max(10_000, firstMs / 2));
  expect(started?.said.stdout).not.toContain(key);
  expect(started?.said.stdout).toContain(`x-api-key: $(cat ${file})`);
  expect(started?.said.stderr).not.toContain('demo network');
  expect(signInLink()).toContain(again);
  expect(signInLink().split('#')[1]).not.toBe(firstLink.split('#')[1]);
  expect(await stop('SIGINT')).toBe(0);
  expect(await isServerDown()).toBe(true);
});

describe('a service without invented data (M37)', () => {
  /** Pages that offer the key of a demo. */
  async function keysInPages(url: string): Promise<string[]> {
    const pages = ['/', '/graphql', '/docs', '/docs/api/user'].map(async (path) =>
      (await fetch(url + path, { headers: { accept: 'text/html' } })).text(),
    );
    return (await Promise.all(pages)).flatMap((text) => text.match(/perch_(?:live|test)_\w{32}/g) ?? []);
  }

  test('makes no account and shows no key on a live network, and says how to create one', {
    timeout: SLOW_MS,
  }, async () => {
    const url = await serve({ PERCH_NETWORK: 'bluesky', BLUESKY_BASE_URL: 'http://127.0.0.1:2' });
    expect(await keysInPages(url)).toEqual([]);
    expect(await cli.json('account', 'list')).toMatchObject({ accounts: [] });
    await expect(stat(join(cli.home, 'demo-key'))).rejects.toThrow('ENOENT');
    const said = started?.said.stdout ?? '';
    expect(said).toContain('account create --name me --credits 1000');
    expect(said).toContain(`${url}/v1/users/bsky.app`);
    expect(said).not.toMatch(/perch_(?:live|test)_/);
  });

  test('offers no key once a demo reads a live network or imported data', { timeout: SLOW_MS }, async () => {
    await afterFirstStart();
    const key = (await readFile(join(cli.home, 'demo-key'), 'utf8')).trim();
    const url = await serve({ PERCH_NETWORK: 'bluesky', BLUESKY_BASE_URL: 'http://127.0.0.1:2' });
    expect(await keysInPages(url)).toEqual([]);
    expect(started?.said.stdout).not.toContain(key);
    expect(started?.said.stderr).toContain('The demo key of an earlier start still works');
  });

  test('offers no key and calls nothing invented once data was imported beside the demo', {
    timeout: SLOW_MS,
  }, async () => {
    await afterFirstStart();
    const file = join(cli.home, 'rows.ndjson');
    await writeFile(file, '{"id":"7","handle":"quayside","name":"Quayside","created_at":"2020-01-01T00:00:00Z"}\n');
    const before = await serve();
    expect(started?.said.stdout).toContain('with demo data');
    expect(await keysInPages(before)).not.toEqual([]);
    expect((await cli.start(['import', file]).end).code).toBe(0);
    expect(await stop('SIGTERM')).toBe(0);
    const url = await serve();
    expect(started?.said.stdout).toContain('with the tweets and profiles in its own database');
    expect(await keysInPages(url)).toEqual([]);
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    expect(page).not.toContain('None of it is real');
    // The owner can still use the demo's account.
    expect(signInLink()).toContain(url);
  });

  test('makes no account over data that was imported before the first start', { timeout: SLOW_MS }, async () => {
    const file = join(cli.home, 'rows.ndjson');
    await writeFile(file, '{"id":"7","handle":"quayside","name":"Quayside","created_at":"2020-01-01T00:00:00Z"}\n');
    expect((await cli.start(['import', file]).end).code).toBe(0);
    const url = await serve();
    expect(await keysInPages(url)).toEqual([]);
    expect(await cli.json('account', 'list')).toMatchObject({ accounts: [] });
  });
});

describe('faults of the start', () => {
  test('name a taken port, exit with 1, and stop the database', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const ran = await cli.start(['serve'], { env: { PORT: String(port), PERCH_DEMO: 'off' } }).end;
    other.close();
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain(`port ${port} on 127.0.0.1 is already in use`);
    expect(await isServerDown()).toBe(true);
  });

  test('in the configuration are all named at once with exit code 2, and nothing is created', async () => {
    const env = { PORT: '99999', DATABASE_URL: 'mysql://x', WORKERS: '4', LOG_LEVEL: 'loud' };
    for (const command of ['serve', 'doctor']) {
      const ran = await cli.start([command], { env }).end;
      expect(ran.code).toBe(2);
      const said = ran.stdout + ran.stderr;
      for (const name of Object.keys(env)) expect(said).toContain(name);
    }
    await expect(stat(join(cli.home, 'pepper'))).rejects.toThrow('ENOENT');
  });
});

const nobody = { uid: 65534, gid: 65534 };
const nobodyMayReadUs =
  process.getuid?.() === 0 && (await mayReach(join(REPOSITORY, 'node_modules', 'tsx', 'package.json'), nobody));

test.runIf(nobodyMayReadUs)(
  'are absent for an unprivileged user who starts twice, without a demo if it is off',
  { timeout: SLOW_MS },
  async () => {
    await chown(cli.home, nobody.uid, nobody.gid);
    for (const turn of [1, 2]) {
      started = cli.start(['serve'], { env: { PORT: '0', PERCH_DEMO: 'off' }, user: nobody });
      await started.says('Ctrl-C stops it.');
      expect([turn, started.said.stdout]).toEqual([turn, expect.stringContaining('account create --name me')]);
      expect(await stop('SIGTERM')).toBe(0);
    }
  },
);
