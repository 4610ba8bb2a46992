import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cli, type Started } from './support.js';

/** Long enough for a busy machine. */
export const SLOW_MS = 120_000;
const WAIT_MS = 60_000;

export interface Service {
  readonly url: string;
  readonly started: Started;
}

/** The service as a separate process on a free port. */
export async function serve(
  cli: Cli,
  env: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const settings = { PORT: '0', PERCH_DEMO: 'off', LOG_FORMAT: 'json', ...env };
  const started = cli.start(['serve'], { env: settings, nodeOptions });
  await started.says('Ctrl-C stops it.').catch(async (error: unknown) => {
    started.process.kill('SIGKILL');
    await started.end;
    throw error;
  });
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
  if (url === undefined) throw new Error(`No address in ${started.said.stdout}`);
  return { url, started };
}

/** A running demo. */
export interface Demo extends Service {
  readonly cli: Cli;
  /** The link that signs the owner of the demo account in; it works once. */
  readonly signInLink: string;
  close(): Promise<void>;
}

/** Starts a demo in a new home, which is then filled, or in a filled one. `close` removes the home. */
export async function startDemo(env: Readonly<Record<string, string>> = {}, home?: Cli): Promise<Demo> {
  const cli = home ?? (await Cli.open());
  const { url, started } = await serve(cli, { PERCH_DEMO: '', ...env }).catch(async (error: unknown) => {
    await cli.close();
    throw error;
  });
  const [signInLink = ''] = /http:\S+\/sign-in#\S+/.exec(started.said.stdout) ?? [];
  return {
    ...{ cli, url, started, signInLink },
    async close() {
      started.process.kill('SIGTERM');
      await started.end;
      await cli.close();
    },
  };
}

/** Waits until the condition is true. On a timeout, throws with what the service has printed. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, started?: Started): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}\n${started?.said.stderr ?? ''}`);
    await sleep(20);
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const isDatabaseDown = (cli: Cli): Promise<boolean> =>
  stat(join(cli.home, 'postgres/data/postmaster.pid')).then(
    () => false,
    () => true,
  );

/** The key of a new account with a rate limit that no test reaches. */
export async function newKey(cli: Cli): Promise<string> {
  const words = ['account', 'create', '--name', 'load', '--credits', '100000', '--qps', '100000'];
  return (await cli.json<{ key: string }>(...words)).key;
}
