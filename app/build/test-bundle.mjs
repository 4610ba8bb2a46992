// A program of the tests in one file, with all that it imports of this repository: a process starts from that in half the time that
// it takes to read the sources one by one, and tests kill and start many.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { addressesOfModules, grammars, postgresDriver } from './plugins.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `outfile`: somewhere in this repository, since packages are found from there. */
export async function bundleForTests(entry, outfile) {
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: join(ROOT, outfile),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    plugins: [postgresDriver(ROOT), grammars(), addressesOfModules(ROOT, dirname(outfile))],
  });
}
