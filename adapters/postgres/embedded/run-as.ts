import { constants, type Stats } from 'node:fs';
import { access, lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The user that the server runs as if this process is root, which Postgres refuses to run as; undefined: the current
 * user.
 */
export type RunAs = { readonly uid: number; readonly gid: number } | undefined;

/** The user `nobody` on Linux; `initdb` requires a user that has a name. */
const NOBODY = 65534;

/** The owner of an existing data folder decides; a new one belongs to the user `nobody` when this process is root. */
export function chooseRunAs(data: Stats | undefined): RunAs {
  if (process.getuid?.() !== 0) return undefined;
  if (data !== undefined && data.uid !== 0) return { uid: data.uid, gid: data.gid };
  return { uid: NOBODY, gid: NOBODY };
}

/** Whether the user can read the path, and run or search it where it is a program or a folder. */
export async function mayReach(path: string, as: RunAs): Promise<boolean> {
  try {
    const stats = await stat(path);
    const search = stats.isDirectory() || (stats.mode & 0o111) !== 0;
    if (as === undefined) {
      await access(path, constants.R_OK | (search ? constants.X_OK : 0));
      return true;
    }
    if (!allows(stats, search ? 0o5 : 0o4, as)) return false;
    return await maySearch(dirname(path), as);
  } catch {
    return false;
  }
}

/** Whether the user can traverse the folder and every one above it. */
export async function maySearch(folder: string, as: RunAs): Promise<boolean> {
  if (as === undefined) return true;
  for (let at = folder; ; at = dirname(at)) {
    if (!allows(await stat(at), 0o1, as)) return false;
    if (at === dirname(at)) return true;
  }
}

function allows(stats: Stats, bits: number, as: { uid: number; gid: number }): boolean {
  const shift = stats.uid === as.uid ? 6 : stats.gid === as.gid ? 3 : 0;
  return ((stats.mode >> shift) & bits) === bits;
}

/** Makes the server's user the owner of a folder and everything in it. */
export async function chownTree(path: string, as: RunAs): Promise<void> {
  if (as === undefined) return;
  await lchown(path, as.uid, as.gid);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), as.uid, as.gid);
  }
}
