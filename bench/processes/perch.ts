import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../adapters/cli/perch.mjs', import.meta.url));
const START_MS = 60_000;

/** Cache lifetimes longer than any run, so that a hit is a hit in every round. */
const CACHED_FOR_A_DAY = Object.fromEntries(
  ['PROFILE', 'TWEET', 'FIRST_PAGE', 'DEEPER_PAGE', 'FOLLOWERS'].map((name) => [`PERCH_TTL_${name}_S`, '86400']),
);

/** A data folder with the embedded Postgres, as an operator has one. */
export interface Home {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The environment without settings of the service, which would change what is measured. */
const outside = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PERCH_|DATABASE_URL|REDIS_URL|NODE_OPTIONS|npm_)/.test(name)),
  );

export async function openHome(folder: string, logLevel: string): Promise<Home> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const env = { ...outside(), ...CACHED_FOR_A_DAY, PERCH_HOME: folder, PERCH_DEMO: 'off', LOG_FORMAT: 'json' };
  return { folder, env: { ...env, HOST: '127.0.0.1', LOG_LEVEL: logLevel, NODE_ENV: 'production' } };
}

/** The id of the main process of the home's Postgres, while it runs. */
export async function postmasterOf({ folder }: Pick<Home, 'folder'>): Promise<number> {
  const [pid] = (await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8')).split('\n', 1);
  return Number(pid);
}

export interface Command {
  readonly pid: number;
  /** The output of the process. Rejects with its error output. */
  readonly done: Promise<string>;
}

/** Runs a command of the command line until it ends. */
export function runCommand(home: Home, words: readonly string[]): Command {
  const child = spawn(process.execPath, [COMMAND, ...words], { env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let complaint = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (complaint += chunk));
  const done = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`perch ${words.join(' ')} ended with ${code}:\n${complaint.slice(-2000)}`);
    return printed;
  });
  return { pid: child.pid ?? 0, done };
}

export interface Service {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first answer to a paid read. */
  readonly startMs: number;
  readonly startedAt: number;
  /** Stops it as an operator would, with its database. */
  readonly stop: () => Promise<void>;
}

/** Starts the service as by hand, in a separate process. Resolves once it answers `firstRead`. */
export async function startPerch(
  home: Home,
  firstRead: { path: string; key: string },
  nodeWords: readonly string[] = [],
  program = COMMAND,
): Promise<Service> {
  const port = await freePort();
  const file = join(home.folder, 'service.log');
  const log = await open(file, 'a');
  const startedAt = Date.now();
  const begin = performance.now();
  const child = spawn(process.execPath, [...nodeWords, program, 'serve'], {
    env: { ...home.env, PORT: String(port) },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  try {
    await answers(child, `${url}${firstRead.path}`, firstRead.key);
  } catch (error) {
    await stop();
    throw new Error(`${(error as Error).message}. Its log ends:\n${(await readFile(file, 'utf8')).slice(-2000)}`);
  }
  return { url, pid: child.pid ?? 0, startMs: performance.now() - begin, startedAt, stop };
}

async function answers(child: ChildProcess, url: string, key: string): Promise<void> {
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(5)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    const response = await fetch(url, { headers: { 'x-api-key': key } }).catch(() => null);
    const body = await response?.text();
    if (response?.ok) return;
    if (response) throw new Error(`the first read was answered with ${response.status}: ${body}`);
  }
  throw new Error(`the service did not answer within ${START_MS / 1000} s`);
}

/** A free port of the loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
