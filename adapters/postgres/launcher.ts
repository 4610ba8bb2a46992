import { mkdtemp, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Folders, openFolders, openSocketFolder } from './folders.js';
import { exists, findNative, usableNative } from './native.js';
import {
  disownPidFile,
  isAlive,
  isPostmaster,
  type PidFile,
  readPidFile,
  runInitdb,
  type Spawned,
  spawnPostmaster,
} from './postmaster.js';
import { chownTree } from './run-as.js';
import { joinServer, type Seat } from './seat.js';

/** How to reach the embedded server: `host` is the folder of its Unix socket. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
}

export interface EmbeddedServer {
  readonly connection: EmbeddedConnection;
  /** False when it was already running and we attached to it. */
  readonly started: boolean;
  /** Leaves the server; whoever leaves last shuts it down (fast, with a checkpoint) and waits for it. */
  stop(): Promise<void>;
}

const START_MS = 120_000;
const STARTS = 5;

/**
 * Starts the Postgres kept in `home`, or attaches to it when it runs already (a command beside the service). Safe to call
 * from several processes at once: Postgres's own pid file lets one server live, and `initdb` works aside and is renamed
 * into place. Throws an Error that says what to do where it cannot run.
 */
export async function openEmbeddedPostgres(options: {
  home: string;
  onProgress?: (text: string) => void;
}): Promise<EmbeddedServer> {
  const folders = await openFolders(options.home);
  const native = await usableNative(await findNative(process.platform, process.arch), folders.root, folders.as);
  if (!(await exists(folders.data))) {
    options.onProgress?.('Setting up the embedded database');
    await createData(native, folders);
  }

  const deadline = Date.now() + START_MS;
  let child: Spawned | undefined;
  for (let starts = 0; Date.now() < deadline; await sleep(5)) {
    const file = await readPidFile(folders.data);
    if (file !== undefined && (await isPostmaster(file.pid, folders.data))) {
      if (file.status !== 'ready') continue;
      const seat = await joinServer(file.socketFolder).catch(() => undefined);
      if (seat !== undefined) return serverOf(file, seat, folders, child);
    } else if (child === undefined || child.ended()) {
      if (starts === STARTS) throw await startFailure(folders, await child?.end);
      // A server killed a moment ago may still have backends on their way out; Postgres waits for nobody, so we do.
      if (starts > 0) await sleep(200);
      if (file !== undefined && isAlive(file.pid)) await disownPidFile(folders.data, file);
      child = await spawnPostmaster(native, folders, await openSocketFolder(folders.root, folders.as));
      starts++;
    }
  }
  throw await startFailure(folders, `not ready within ${START_MS / 1000} s`);
}

async function createData(native: string, folders: Folders): Promise<void> {
  const unfinished = await mkdtemp(join(folders.root, 'data-unfinished-'));
  await chownTree(unfinished, folders.as);
  try {
    await runInitdb(native, folders, unfinished);
    await rename(unfinished, folders.data);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // Another process was first: its folder is as good as ours.
    if (!(await exists(folders.data))) throw error;
  }
}

function serverOf(file: PidFile, seat: Seat, folders: Folders, child: Spawned | undefined): EmbeddedServer {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (!(await seat.leave(() => shutDown(file.pid, folders.data)))) return;
    // Only while it is empty: whoever starts the server anew may be in it already.
    await rmdir(file.socketFolder).catch(() => {});
  };
  return {
    connection: { host: file.socketFolder, port: 5432, database: 'perch', username: 'perch' },
    started: child?.pid === file.pid,
    stop: () => (stopping ??= stop()),
  };
}

/** SIGINT is Postgres's fast shutdown: sessions end, everything is written. */
async function shutDown(pid: number, data: string): Promise<void> {
  if (await isPostmaster(pid, data)) process.kill(pid, 'SIGINT');
  const deadline = Date.now() + START_MS;
  while ((await isPostmaster(pid, data)) && Date.now() < deadline) await sleep(5);
}

async function startFailure(folders: Folders, how: string | undefined): Promise<Error> {
  const log = await readFile(folders.log, 'utf8').catch(() => '');
  const tail = log.trim().split('\n').slice(-8).join('\n');
  return new Error(
    `The embedded Postgres in ${folders.data} did not start (${how ?? 'it ended'}). It says:\n${tail}\n` +
      `The whole log is ${folders.log}. Set DATABASE_URL to use another Postgres.`,
  );
}
