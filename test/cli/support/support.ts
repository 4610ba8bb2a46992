import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
export const PERCH = join(REPOSITORY, 'adapters/cli/perch.mjs');
export const INSTALL = join(REPOSITORY, 'adapters/cli/install.mjs');

const WAIT_MS = 80_000;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** A started process, with its output so far and its end. */
export interface Started {
  readonly process: ChildProcess;
  readonly said: { stdout: string; stderr: string };
  readonly end: Promise<Ran>;
  /** Waits for a text on standard output. Rejects if the process ends without it. */
  says(text: string): Promise<void>;
}

/** Runs a script with Node in a clean environment, without the variables of this test run. */
export function startNode(args: readonly string[], { env = {}, cwd = tmpdir(), user }: RunOptions = {}): Started {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), HOME: tmpdir(), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  // Not at its exit, after which output may still be in the pipes.
  let hasEnded = false;
  const end = once(child, 'close').then(([code]) => {
    hasEnded = true;
    return { code: code as number | null, ...said };
  });
  const says = async (text: string): Promise<void> => {
    const deadline = Date.now() + WAIT_MS;
    while (!said.stdout.includes(text)) {
      if (hasEnded || Date.now() > deadline) {
        throw new Error(`Waited for ${JSON.stringify(text)}; it said:\n${said.stdout}\n${said.stderr}`);
      }
      await sleep(10);
    }
  };
  return { process: child, said, end, says };
}

export const runNode = (args: readonly string[], options?: RunOptions): Promise<Ran> => startNode(args, options).end;

/** The command line with its own data folder. */
export class Cli {
  readonly home: string;

  private constructor(home: string) {
    this.home = home;
  }

  /** Opens it on a new folder, by default in the temporary folder of the machine. */
  static async open(mode = 0o711, within = tmpdir()): Promise<Cli> {
    const home = await realpath(await mkdtemp(join(within, 'perch-cli-')));
    await chmod(home, mode);
    return new Cli(home);
  }

  start(args: readonly string[], options: RunOptions = {}): Started {
    return startNode([...(options.nodeOptions ?? []), PERCH, ...args], {
      ...options,
      env: { PERCH_HOME: this.home, ...options.env },
    });
  }

  run(...args: readonly string[]): Promise<Ran> {
    return this.start(args).end;
  }

  /** The result of a command with `--json`. Throws if the command fails. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const ran = await this.run(...args, '--json');
    if (ran.code !== 0) throw new Error(`${args.join(' ')}: exit ${ran.code}\n${ran.stderr}`);
    return JSON.parse(ran.stdout) as T;
  }

  async close(): Promise<void> {
    const elsewhere = await realpath(join(this.home, 'postgres')).catch(() => this.home);
    for (const folder of [elsewhere, this.home]) await rm(folder, { recursive: true, force: true });
  }
}
