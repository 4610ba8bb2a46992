import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

const BESIDE = fileURLToPath(new URL('../../../../shared/', import.meta.url));

/**
 * Captured answers and published contracts of the networks. They are kept outside the checkout because we may not
 * publish them.
 */
const ROOT = process.env.PERCH_SHARED || BESIDE;

/** Without them, the suite is left out and its name says why; if `PERCH_SHARED` promises them, it fails instead. */
export function describeWithShared(folder: string, name: string, suite: () => void): void {
  const isMissing = !existsSync(join(ROOT, folder)) && !process.env.PERCH_SHARED;
  const shown = isMissing ? `${name} [left out: no ${folder}; name the folder it is in as PERCH_SHARED]` : name;
  // Vitest would still run the suite's body, which reads what is missing.
  describe.skipIf(isMissing)(shown, isMissing ? () => it('is left out', () => {}) : suite);
}

/** File names, in order. */
export const listShared = (folder: string): string[] => readdirSync(join(ROOT, folder)).sort();

export const readSharedText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const readShared = (path: string): unknown => JSON.parse(readSharedText(path));
