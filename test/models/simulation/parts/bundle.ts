import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForTests } from '../../../../app/build/test-bundle.mjs';
import type { Mutant } from '../mutants.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const ENTRY = 'test/models/simulation/worker.ts';

export interface Bundle {
  /** A program for Node: see `worker.ts`. */
  readonly file: string;
  remove(): void;
}

/** The simulation in one file, which runs faster than its modules; with a mutant, of code that has it. */
export async function bundle(name: string, mutant?: Mutant): Promise<Bundle> {
  // Where packages are found, and which no tool looks into.
  const folder = `node_modules/.cache/simulation/${process.pid}-${name}`;
  const file = `${folder}/worker.mjs`;
  await bundleForTests(ENTRY, file, mutant && { [mutant.file]: mutated(mutant) });
  return { file: join(ROOT, file), remove: () => rmSync(join(ROOT, folder), { recursive: true, force: true }) };
}

/** The file's text with the mutant. Throws where its text is not there, or more than once. */
function mutated({ name, file, text, instead }: Mutant): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`${name}: ${file} has its text ${parts.length - 1} times, not once`);
  return parts.join(instead);
}
