import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Load, LoadResult } from '../load/load.js';
import type { ServerName } from './child.js';

const RUN = fileURLToPath(new URL('../run.ts', import.meta.url));

/** The word that makes the benchmark's own program one of its children. */
export const CHILD = '--child';

const start = (name: string, file = ''): ChildProcess =>
  fork(RUN, [CHILD, name, file], { execArgv: ['--import', 'tsx'] });

/** What a child says next. Rejects with what it complains of, or when it ends instead. */
async function said<T>(child: ChildProcess): Promise<T> {
  const heard = new AbortController();
  const { signal } = heard;
  const [message] = (await Promise.race([
    once(child, 'message', { signal }),
    once(child, 'exit', { signal }).then(([code]) => [{ error: `a child of the benchmark ended with ${code}` }]),
  ])) as [{ result: T } | { error: string }];
  // Whichever did not come is listened for no longer.
  heard.abort();
  if ('error' in message) throw new Error(message.error);
  return message.result;
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.disconnect();
  await once(child, 'exit');
};

export interface Served {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A contestant on a free port of the loopback. */
export async function startServer(name: ServerName, answersFile: string): Promise<Served> {
  const child = start(name, answersFile);
  const port = await said<number>(child);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => ended(child) };
}

export interface Generator {
  /** One load at a time. */
  readonly run: (load: Load) => Promise<LoadResult>;
  readonly stop: () => Promise<void>;
}

/** The load generator, in a process of its own. */
export function startGenerator(): Generator {
  const child = start('load');
  return {
    async run(load) {
      const result = said<LoadResult>(child);
      child.send(load);
      return result;
    },
    stop: () => ended(child),
  };
}
