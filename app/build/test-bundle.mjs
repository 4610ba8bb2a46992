// Bundles a program of the tests into one file, with everything it imports from this repository. Tests kill and start
// many processes, and one starts from the bundle in half the time that it takes from the single sources.
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { addressesOfModules, grammars, postgresDriver } from './plugins.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `outfile` must be inside this repository, so that packages are found. `changed`: texts to use instead of files' own.
 */
export async function bundleForTests(entry, outfile, changed = {}) {
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
    plugins: [otherTexts(changed), postgresDriver(ROOT), grammars(), addressesOfModules(ROOT, dirname(outfile))],
  });
}

const otherTexts = (changed) => ({
  name: 'other texts',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = changed[relative(ROOT, path)];
      return contents === undefined ? undefined : { contents, loader: 'ts' };
    });
  },
});
