// A program of the tests in one file, with all that it imports of this repository: a process starts from that in half the time that
// it takes to read the sources one by one, and tests kill and start many.
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { addressesOfModules, grammars, postgresDriver } from './plugins.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `outfile`: somewhere in this repository, since packages are found from there. `changed`: files that get other texts. */
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
