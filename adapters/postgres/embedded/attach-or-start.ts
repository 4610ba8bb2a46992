import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Folders, openSocketFolder } from './folders.js';
import {
  disownPidFile,
  isAlive,
  isPostmaster,
  type PidFile,
  readPidFile,
  type Spawned,
  spawnPostmaster,
} from './postmaster.js';
import { acquireLease, type ServerLease } from './server-lease.js';

/** A running server, and this process's lease on it. */
export interface AttachedServer {
  readonly file: PidFile;
  readonly lease: ServerLease;
  /** Whether this process started it. */
  readonly started: boolean;
}

export interface AttachOptions {
  /** The folder where connections already expect its socket; undefined if nothing is connected. */
  readonly socketFolder?: string;
  /** Settings of the server as `name=value`, which override its usual ones. */
  readonly settings?: readonly string[];
  /** How long to wait for another process to start the server, in milliseconds. */
  readonly patienceMs?: number;
  /**
   * Once it fires, the call starts no further server and rejects; but it still waits for a server that it has already
   * started.
   */
  readonly signal?: AbortSignal;
}

const START_MS = 120_000;
const STARTS = 5;

/** Attaches to the server of the folders, or starts it: Postgres's own pid file ensures that only one runs. */
export async function attachOrStart(
  native: string,
  folders: Folders,
  options: AttachOptions = {},
): Promise<AttachedServer> {
  const began = Date.now();
  let child: Spawned | undefined;
  for (let starts = 0; Date.now() - began < START_MS; await sleep(5)) {
    if (child === undefined || child.ended()) options.signal?.throwIfAborted();
    const file = await readPidFile(folders.data);
    if (file !== undefined && (await isPostmaster(file.pid, folders.data))) {
      if (file.status !== 'ready') continue;
      const lease = await acquireLease(file.socketFolder).catch(() => undefined);
      if (lease !== undefined) return { file, lease, started: child?.pid === file.pid };
    } else if (child === undefined || child.ended()) {
      if (Date.now() - began < (options.patienceMs ?? 0)) continue;
      if (starts === STARTS) throw await startFailure(folders, await child?.end);
      // A server killed a moment ago may still have backends that are exiting; Postgres does not wait for them.
      if (starts > 0) await sleep(200);
      if (file !== undefined && isAlive(file.pid)) await disownPidFile(folders.data, file);
      const wanted = options.socketFolder ?? file?.socketFolder;
      const socketFolder = await openSocketFolder(folders.root, folders.as, wanted);
      child = await spawnPostmaster(native, folders, socketFolder, options.settings);
      starts++;
    }
  }
  throw await startFailure(folders, `not ready within ${START_MS / 1000} s`);
}

async function startFailure(folders: Folders, how: string | undefined): Promise<Error> {
  const log = await readFile(folders.log, 'utf8').catch(() => '');
  const tail = log.trim().split('\n').slice(-8).join('\n');
  return new Error(
    `The embedded Postgres in ${folders.data} did not start (${how ?? 'it exited'}). Its output:\n${tail}\n` +
      `The full log is in ${folders.log}. To use another Postgres, set DATABASE_URL.`,
  );
}
