import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Folders } from './folders.js';

/** What a running server writes about itself into `postmaster.pid`. */
export interface PidFile {
  readonly pid: number;
  readonly socketFolder: string;
  readonly status: string;
  readonly text: string;
}

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  let text: string;
  try {
    text = await readFile(join(data, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(
      `The embedded database in ${data} belongs to another user. ` +
        'Run this as the user that started the service, choose another PERCH_HOME, or set DATABASE_URL.',
      { cause: error },
    );
  }
  const lines = text.split('\n');
  return { pid: Number(lines[0]), socketFolder: lines[4] ?? '', status: (lines[7] ?? '').trim(), text };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process is the server of this data folder, rather than a program that got its number after a crash. */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  try {
    if (process.platform === 'linux') {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').includes(data);
    }
    return (await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command='])).stdout.includes(data);
  } catch {
    return false;
  }
}

/**
 * After a crash the number in `postmaster.pid` may belong to another program, and Postgres would refuse to start.
 * Replaces it with this process's number, which Postgres ignores as its parent's. The rest of the file stays, since it
 * guards against surviving backends.
 */
export async function disownPidFile(data: string, stale: PidFile): Promise<void> {
  const now = await readPidFile(data);
  if (now?.text !== stale.text) return;
  await writeFile(join(data, 'postmaster.pid'), stale.text.replace(/^[^\n]*/, String(process.pid)));
}

export interface Spawned {
  readonly pid: number | undefined;
  ended(): boolean;
  end: Promise<string>;
}

/** Starts the server in its own process group, because this process handles Ctrl-C itself, after draining. */
export async function spawnPostmaster(
  native: string,
  folders: Folders,
  socketFolder: string,
  overrides: readonly string[] = [],
): Promise<Spawned> {
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${socketFolder}`,
    'unix_socket_permissions=0700',
    'max_connections=500',
    'fsync=on',
    'synchronous_commit=on',
    'timezone=UTC',
    'log_timezone=UTC',
    'jit=off',
    ...overrides,
  ];
  const log = await open(folders.log, 'w', 0o600);
  try {
    const child = spawn(
      join(native, 'bin', 'postgres'),
      ['-D', folders.data, '-p', '5432', ...settings.flatMap((setting) => ['-c', setting])],
      { ...spawnOptions(folders), detached: true, stdio: ['ignore', log.fd, log.fd] },
    );
    let ended = false;
    const end = once(child, 'exit').then(
      ([code, signal]) => `exit ${code ?? signal}`,
      (error: unknown) => String(error),
    );
    void end.then(() => {
      ended = true;
    });
    child.unref();
    return { pid: child.pid, ended: () => ended, end };
  } finally {
    await log.close();
  }
}

/** Runs `initdb` to completion. */
export async function runInitdb(native: string, folders: Folders, into: string): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', into, '--username=perch', '--auth=trust', '--no-instructions', ...locale];
  try {
    await promisify(execFile)(join(native, 'bin', 'initdb'), args, spawnOptions(folders));
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || String(error);
    throw new Error(`The embedded Postgres could not be set up: ${said}\nTo use another Postgres, set DATABASE_URL.`);
  }
}

const spawnOptions = (folders: Folders) => ({
  cwd: folders.root,
  env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' },
  ...(folders.as ?? {}),
});
