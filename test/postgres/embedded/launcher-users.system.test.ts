import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, realpath, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { findNative, usableNative } from '../../../adapters/postgres/embedded/native.js';
import { mayReach } from '../../../adapters/postgres/embedded/run-as.js';
import { openHome, removeHome } from './home.js';
import { openInProcess, REPOSITORY, serverOf } from './launcher-support.js';

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65534, gid: 65534 };
const nobodyMayReadUs = isRoot && (await mayReach(join(REPOSITORY, 'node_modules', 'tsx', 'package.json'), nobody));

let home = '';
afterEach(async () => {
  if (home !== '') await removeHome(home);
  home = '';
});

describe.runIf(isRoot)('as root', () => {
  test('the server runs as a user without rights', async () => {
    home = await openHome();
    const server = await openEmbeddedPostgres({ home });
    const { pid } = await serverOf(home);
    expect((await stat(`/proc/${pid}`)).uid).toBe(nobody.uid);
    await server.stop();
  });

  test('keeps the data of a home closed to other users where the server can reach it, and finds it again', async () => {
    home = await openHome(0o700);
    await (await openEmbeddedPostgres({ home })).stop();
    const root = await realpath(join(home, 'postgres'));
    expect(root.startsWith(home)).toBe(false);
    const again = await openEmbeddedPostgres({ home });
    expect(again.started).toBe(true);
    await again.stop();
    expect(await realpath(join(home, 'postgres'))).toBe(root);
    await rm(root, { recursive: true });
  });
});

test.runIf(nobodyMayReadUs)('starts, attaches and stops as an unprivileged user', async () => {
  home = await openHome(0o700);
  await chown(home, nobody.uid, nobody.gid);
  const first = await openInProcess(home, nobody);
  const second = await openInProcess(home, nobody);
  expect([first.report, second.report]).toEqual([
    { started: true, one: 1 },
    { started: false, one: 1 },
  ]);
  const server = await serverOf(home);
  await first.leave();
  await second.leave();
  expect(await server.runs()).toBe(false);
});

describe('the binaries', () => {
  test('reports an unsupported platform with what to do', async () => {
    await expect(findNative('sunos', 'x64')).rejects.toThrow(/sunos-x64.*DATABASE_URL/);
    await expect(findNative('win32', 'x64')).rejects.toThrow(/DATABASE_URL/);
  });

  test('repairs a package without its links and executable bits, or copies one that it may not change', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-native-')));
    try {
      const [native, root] = [join(folder, 'package', 'native'), join(folder, 'root')];
      await cp((await findNative(process.platform, process.arch)).folder, native, {
        recursive: true,
        verbatimSymlinks: true,
      });
      const links = await breakNative(native);
      expect(links.length).toBeGreaterThan(0);
      expect(await usableNative({ folder: native, version: '1' }, root, undefined)).toBe(native);
      for (const link of links) expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect((await stat(join(native, 'bin', 'postgres'))).mode & 0o111).toBe(0o111);

      await breakNative(native);
      await mkdir(root);
      await chmod(folder, 0o711);
      await chmod(join(folder, 'package'), 0o700);
      const copied = await usableNative({ folder: native, version: '1' }, root, isRoot ? nobody : undefined);
      expect(copied).toBe(isRoot ? join(root, 'native-1', 'native') : native);
      expect((await stat(join(copied, 'bin', 'initdb'))).mode & 0o111).toBe(0o111);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test('leaves nothing of a copy that fails', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-native-')));
  try {
    const [native, root] = [join(folder, 'native'), join(folder, 'root')];
    await Promise.all([mkdir(join(native, 'bin'), { recursive: true }), mkdir(root)]);
    await expect(usableNative({ folder: native, version: '1' }, root, undefined)).rejects.toThrow('initdb');
    expect(await readdir(root)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Leaves the package as an install without scripts from an archive without modes does. Returns the removed links. */
async function breakNative(native: string): Promise<string[]> {
  const links: string[] = [];
  for (const entry of await readdir(join(native, 'lib'), { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    links.push(join(native, 'lib', entry.name));
    await unlink(join(native, 'lib', entry.name));
  }
  for (const program of await readdir(join(native, 'bin'))) await chmod(join(native, 'bin', program), 0o644);
  return links;
}
