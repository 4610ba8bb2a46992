import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, realpath, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { chooseRunAs, maySearch, type RunAs } from './run-as.js';

/** `sun_path` holds 107 bytes and a zero; the name of the socket itself takes 15 of them. */
const SOCKET_FOLDER_BYTES = 107 - '/.s.PGSQL.5432'.length;

export interface Folders {
  /** Data, log and copied binaries; owned by the server's user. A real path. */
  readonly root: string;
  readonly data: string;
  readonly log: string;
  readonly as: RunAs;
}

/** Finds or creates `home/postgres`. It is a link to a folder elsewhere if the server's user cannot traverse `home`. */
export async function openFolders(home: string): Promise<Folders> {
  const wanted = join(resolve(home), 'postgres');
  await mkdir(resolve(home), { recursive: true });
  const as = chooseRunAs(await stat(join(wanted, 'data')).catch(() => undefined));
  await makeRoot(wanted, as);
  const root = await realpath(wanted);
  if (as !== undefined && !(await maySearch(root, as))) {
    throw new Error(
      `The embedded Postgres runs as user ${as.uid}, who cannot access its folder ${root}. ` +
        `Allow access through its parent folders (chmod o+x), choose another PERCH_HOME, or set DATABASE_URL.`,
    );
  }
  return { root, data: join(root, 'data'), log: join(root, 'server.log'), as };
}

async function makeRoot(wanted: string, as: RunAs): Promise<void> {
  if (await lstat(wanted).catch(() => undefined)) return;
  if (await maySearch(resolve(wanted, '..'), as)) return makeOwned(wanted, as);
  // Only root gets here. The name is random so that deleting PERCH_HOME gives a clean start rather than the old data.
  const elsewhere = join('/var/lib/perch', randomBytes(6).toString('hex'));
  await mkdir('/var/lib/perch', { recursive: true, mode: 0o755 });
  await makeOwned(elsewhere, as);
  await symlink(elsewhere, wanted).catch(ignoreExisting);
}

async function makeOwned(folder: string, as: RunAs): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  if (as !== undefined) await chown(folder, as.uid, as.gid);
}

/**
 * A folder for the socket, with a short enough path, and closed to other users because there is no password. The
 * `wanted` one if possible, since TMPDIR may differ between processes.
 */
export async function openSocketFolder(root: string, as: RunAs, wanted?: string): Promise<string> {
  const name = `perch-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
  const parents = [tmpdir(), '/tmp', '/var/tmp'];
  if (wanted !== undefined && basename(wanted) === name) parents.unshift(dirname(wanted));
  for (const parent of parents) {
    const folder = join(parent, name);
    if (Buffer.byteLength(folder) > SOCKET_FOLDER_BYTES) continue;
    if (!(await maySearch(parent, as).catch(() => false))) continue;
    const made = await mkdir(folder, { mode: 0o700 }).then(
      () => true,
      () => false,
    );
    if (made && as !== undefined) await chown(folder, as.uid, as.gid);
    const found = await lstat(folder).catch(() => undefined);
    // A folder of that name created by another user would let them listen on the socket instead.
    if (!found?.isDirectory() || found.uid !== (as?.uid ?? process.getuid?.())) continue;
    await chmod(folder, 0o700);
    return folder;
  }
  throw new Error(
    `No folder for the socket of the embedded Postgres: set TMPDIR to a short, writable path, or set DATABASE_URL.`,
  );
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
