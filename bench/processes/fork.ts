import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Target } from '../../adapters/postgres/sql.js';
import type { CallersResult } from '../load/callers.js';
import type { Followed, FollowTask } from '../load/followers.js';
import type { Load, LoadResult } from '../load/load.js';
import type { ServerName } from './child.js';
import type { QueryLoad } from './queries.js';

const RUN = fileURLToPath(new URL('../run.ts', import.meta.url));
const DRIVER = new URL('./repaired-driver.mjs', import.meta.url).href;

/** The argument that starts the benchmark's own program as a child process. */
export const CHILD = '--child';

const start = (name: string, given = ''): ChildProcess =>
  fork(RUN, [CHILD, name, given], { execArgv: ['--import', 'tsx', '--import', DRIVER] });

/** The child's next message. Rejects with its error, or if it ends first. */
async function said<T>(child: ChildProcess): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const [message] = (await Promise.race([
    once(child, 'message', { signal }),
    once(child, 'exit', { signal }).then(([code]) => [{ error: `a child of the benchmark ended with ${code}` }]),
  ])) as [{ result: T } | { error: string }];
  // Removes the listeners of the other event.
  controller.abort();
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

/** A process that works on one task at a time. */
export interface Worker<Task, Result> {
  readonly pid: number;
  readonly run: (task: Task) => Promise<Result>;
  readonly stop: () => Promise<void>;
}

function startWorker<Task extends object, Result>(name: string, given = ''): Worker<Task, Result> {
  const child = start(name, given);
  return {
    pid: child.pid ?? 0,
    async run(task) {
      const result = said<Result>(child);
      child.send(task);
      return result;
    },
    stop: () => ended(child),
  };
}

export type Generator = Worker<Load, LoadResult>;

/** The load generator, in a process of its own. */
export const startGenerator = (): Generator => startWorker('load');

/** The followers of lists, in a process of their own. */
export const startFollowers = (): Worker<FollowTask, Followed> => startWorker('followers');

/** Only the queries of reads, in a process of their own. */
export const startQueries = (target: Target): Worker<QueryLoad, CallersResult> =>
  startWorker('queries', JSON.stringify(target));
