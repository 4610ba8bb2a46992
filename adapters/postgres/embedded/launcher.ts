import { mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportWait } from '../../../src/lib/monotonic.js';
import { type AttachedServer, type AttachOptions, attachOrStart } from './attach-or-start.js';
import { type Folders, openFolders } from './folders.js';
import { exists, findNative, usableNative } from './native.js';
import { isPostmaster, runInitdb } from './postmaster.js';
import { chownTree } from './run-as.js';

/** How to reach the embedded server: `host` is the folder of its Unix socket. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
}

export interface EmbeddedServer {
  readonly connection: EmbeddedConnection;
  /** False when it was already running and this process attached to it. */
  readonly started: boolean;
  /** Releases the server; the last process to leave shuts it down (fast, with a checkpoint) and waits for it. */
  stop(): Promise<void>;
}

const SHUT_DOWN_MS = 120_000;
/** The delay between two attempts to bring a lost server back. */
const TRY_AGAIN_MS = 1000;
/**
 * A process that did not start the server leaves the restart to the one that did for this long, staggered by process so
 * that not all start it at once.
 */
const PATIENCE_MS = 500;
const PATIENCE_STEP_MS = 100;
const PATIENCE_STEPS = 16;

/**
 * Starts the Postgres kept in `home`, or attaches to it when it is already running (a command beside the service).
 * Until `stop`, restarts it at the same address when it dies. Safe to call from several processes at once: only one
 * server runs, and `initdb` works in a temporary folder that is then renamed. Where it cannot run, throws an Error that
 * says what to do.
 */
export async function openEmbeddedPostgres(options: {
  home: string;
  onProgress?: (text: string) => void;
  /** Settings as `name=value`, which override the usual ones: a ledger for tests need not survive a power cut. */
  settings?: readonly string[];
}): Promise<EmbeddedServer> {
  const { home, onProgress = () => {}, settings = [] } = options;
  const folders = await openFolders(home);
  const native = await usableNative(await findNative(process.platform, process.arch), folders.root, folders.as);
  if (!(await exists(folders.data))) {
    onProgress('Setting up the embedded database');
    await createData(native, folders);
  }
  const reach = (again: AttachOptions) => attachOrStart(native, folders, { ...again, settings });
  const first = await reportWait(reach({}), () => onProgress('Waiting for the embedded database'));
  return keep(first, folders, reach, onProgress);
}

async function createData(native: string, folders: Folders): Promise<void> {
  const unfinished = await mkdtemp(join(folders.root, 'data-unfinished-'));
  await chownTree(unfinished, folders.as);
  try {
    await runInitdb(native, folders, unfinished);
    await rename(unfinished, folders.data);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // If another process was first, its folder will do.
    if (!(await exists(folders.data))) throw error;
  }
}

/** Whenever the lease is lost, attaches to the server again, however long it takes. */
function keep(
  first: AttachedServer,
  folders: Folders,
  reach: (options: AttachOptions) => Promise<AttachedServer>,
  say: (text: string) => void,
): EmbeddedServer {
  const { socketFolder } = first.file;
  const leaving = new AbortController();
  const { signal } = leaving;
  let attached = first;
  const watch = async (): Promise<void> => {
    while (await isLost(attached, signal)) {
      say('The embedded database stopped: restarting it');
      const patienceMs = attached.started ? 0 : PATIENCE_MS + PATIENCE_STEP_MS * (process.pid % PATIENCE_STEPS);
      const again = await reachAgain(() => reach({ socketFolder, patienceMs, signal }), signal, say);
      if (again === undefined) return;
      attached = again;
      say('The embedded database is running again');
    }
  };
  const watching = watch();
  const leave = async (): Promise<void> => {
    leaving.abort();
    await watching;
    if (!(await attached.lease.release(() => shutDown(attached.file.pid, folders.data)))) return;
    // Only while it is empty: a process that restarts the server may already be using it.
    await rmdir(socketFolder).catch(() => {});
  };
  let left: Promise<void> | undefined;
  return {
    connection: { host: socketFolder, port: 5432, database: 'perch', username: 'perch' },
    started: first.started,
    stop: () => (left ??= leave()),
  };
}

/** Resolves true when the lease is lost, false when it should be released. */
function isLost({ lease }: AttachedServer, signal: AbortSignal): Promise<boolean> {
  const left = new Promise<boolean>((resolve) => {
    if (signal.aborted) resolve(false);
    signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  return Promise.race([left, lease.lost.then(() => !signal.aborted)]);
}

/** Undefined once the signal has fired. */
async function reachAgain(
  reach: () => Promise<AttachedServer>,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<AttachedServer | undefined> {
  while (!signal.aborted) {
    try {
      return await reach();
    } catch (error) {
      if (signal.aborted) break;
      say(error instanceof Error ? error.message : String(error));
      await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}

/** SIGINT is Postgres's fast shutdown: sessions end, everything is written. */
async function shutDown(pid: number, data: string): Promise<void> {
  if (await isPostmaster(pid, data)) process.kill(pid, 'SIGINT');
  const deadline = Date.now() + SHUT_DOWN_MS;
  while ((await isPostmaster(pid, data)) && Date.now() < deadline) await sleep(5);
}
