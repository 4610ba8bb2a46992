import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type { Mutant } from '../mutants.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const ENTRY = join(ROOT, 'test/models/simulation/worker.ts');

export interface Bundle {
  /** A program for Node: see `worker.ts`. */
  readonly file: string;
  remove(): void;
}

/** The simulation in one file, which runs faster than its modules; with a mutant, of code that has it. */
export async function bundle(name: string, mutant?: Mutant): Promise<Bundle> {
  // Where packages are found, and which no tool looks into.
  const folder = join(ROOT, 'node_modules/.cache/simulation', `${process.pid}-${name}`);
  mkdirSync(folder, { recursive: true });
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    plugins: [ownAddresses, ...(mutant === undefined ? [] : [mutation(mutant)])],
    build: {
      ssr: ENTRY,
      outDir: folder,
      target: 'node20',
      sourcemap: 'inline',
      rollupOptions: { output: { inlineDynamicImports: true, entryFileNames: 'worker.mjs' } },
    },
  });
  return { file: join(folder, 'worker.mjs'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Files beside a module are found as if it had not moved. */
const ownAddresses: Plugin = {
  name: 'own addresses',
  enforce: 'pre',
  transform(text, path) {
    if (path.includes('node_modules') || !text.includes('import.meta.url')) return undefined;
    return { code: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), map: null };
  },
};

/** The file's text with the mutant. Throws where its text is not there, or more than once. */
function mutated({ name, file, text, instead }: Mutant): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`${name}: ${file} has its text ${parts.length - 1} times, not once`);
  return parts.join(instead);
}

function mutation(mutant: Mutant): Plugin {
  const changed = mutated(mutant);
  return {
    name: 'mutant',
    enforce: 'pre',
    load: (path) => (path === join(ROOT, mutant.file) ? changed : undefined),
  };
}
