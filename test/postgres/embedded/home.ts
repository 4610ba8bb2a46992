import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh PERCH_HOME, by default one that other users may pass through. */
export async function openHome(mode = 0o711): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'perch-home-'));
  await chmod(home, mode);
  return home;
}

/** Removes a home whose server is down, and its data folder if that is elsewhere. */
export async function removeHome(home: string): Promise<void> {
  const root = await realpath(join(home, 'postgres')).catch(() => home);
  for (const folder of [root, home]) await rm(folder, { recursive: true, force: true });
}
