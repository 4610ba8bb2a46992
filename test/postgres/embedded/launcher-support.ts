import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isPostmaster } from '../../../adapters/postgres/embedded/postmaster.js';

export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

export async function serverOf(home: string): Promise<{ pid: number; data: string; runs: () => Promise<boolean> }> {
  const data = await realpath(join(home, 'postgres', 'data'));
  const pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  return { pid, data, runs: () => isPostmaster(pid, data) };
}

export interface Opened {
  readonly process: ChildProcess;
  readonly report: { started: boolean; one: number };
  /** Makes the process leave the server, and waits until the process has ended. */
  leave(): Promise<void>;
}

/** Opens the server in a process of its own. */
export async function openInProcess(home: string, as: { uid?: number; gid?: number } = {}): Promise<Opened> {
  const script = fileURLToPath(new URL('launcher-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, home], {
    cwd: REPOSITORY,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, TMPDIR: tmpdir() },
    ...as,
  });
  const exit = once(child, 'exit');
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [text] = await Promise.race([line, exit.then(() => Promise.reject(new Error(complaint)))]);
  return {
    process: child,
    report: JSON.parse(text) as Opened['report'],
    async leave() {
      child.stdin.end();
      await exit;
    },
  };
}
