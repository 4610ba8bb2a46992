import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';

/** Mounts a file system in memory; null if this user may not mount one. */
function mount(megabytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'perch-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

/** A suite on a disk that fills up soon. Without such a disk, the suite is left out and its name says why. */
export function describeOnSmallDisk(name: string, megabytes: number, suite: (folder: () => string) => void): void {
  const folder = mount(megabytes);
  if (folder === null) {
    describe.skip(`${name} [left out: this user may not mount a file system]`, () => suite(() => ''));
    return;
  }
  describe(name, () => {
    afterAll(() => {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    });
    suite(() => folder);
  });
}
