import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForTests } from '../../../../app/build/test-bundle.mjs';
import type { Mutant } from '../mutants.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const ENTRY = 'test/models/simulation/worker.ts';

export interface Bundle {
  /** A program for Node; see `worker.ts`. */
  readonly file: string;
  remove(): void;
}

/** Bundles the simulation into one file, which runs faster than its modules; with a mutant, from the mutated code. */
export async function bundle(name: string, mutant?: Mutant): Promise<Bundle> {
  // Packages are found from here, and no tool scans it.
  const folder = `node_modules/.cache/simulation/${process.pid}-${name}`;
  const file = `${folder}/worker.mjs`;
  await bundleForTests(ENTRY, file, mutant && { [mutant.file]: mutated(mutant) });
  return { file: join(ROOT, file), remove: () => rmSync(join(ROOT, folder), { recursive: true, force: true }) };
}

/** The file's text with the mutant. Throws unless the replaced text occurs exactly once. */
function mutated({ name, file, text, instead }: Mutant): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`${name}: ${file} has its text ${parts.length - 1} times, not once`);
  return parts.join(instead);
}
