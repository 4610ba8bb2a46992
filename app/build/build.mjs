// Builds Perch into dist/: JavaScript for plain Node, with source maps, and the files that it reads. `npm run build`
// begins with an empty folder. A start from a clone keeps the files of earlier builds for a day, because running
// services load them.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { writeStamp } from '../../adapters/cli/ensure-built.mjs';
import { clientArchives } from '../../clients/archives.mjs';
import { addressesOfModules, archivesOfClients, grammars, packageFiles, postgresDriver } from './plugins.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DAY_MS = 24 * 60 * 60_000;

/** Files that the program reads at run time, copied unchanged. */
const FILES = [
  'LICENSE',
  'CHANGELOG.md',
  'compose.yaml',
  'schema/operations',
  'schema/schema.graphql',
  'demo/vocabulary',
  'clients/python/README.md',
  'clients/typescript/README.md',
  'adapters/pages/graphiql/browser',
  'adapters/postgres/migrations',
  'adapters/pages/dashboard/files',
  'adapters/pages/docs/files',
  'adapters/pages/kit/files',
  'adapters/oauth/files',
  'adapters/pages/sign-in/files',
  'adapters/pages/site/files',
];

/** The command and the plugin. Code that both use is built once. */
const ENTRIES = { perch: 'adapters/cli/bin.ts', embed: 'app/embed.ts' };

const outdir = join(ROOT, 'dist');

/** @type {import('esbuild').BuildOptions} */
const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // Stack traces name the sources; their contents are in the repository.
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'warning',
  splitting: true,
  // All files in one folder: see `addressesOfModules`.
  chunkNames: '[name]-[hash]',
  packages: 'external',
  plugins: [
    postgresDriver(ROOT),
    grammars(),
    archivesOfClients(),
    packageFiles(ROOT, outdir),
    addressesOfModules(ROOT),
  ],
};

async function build({ clean }) {
  if (clean) rmSync(outdir, { recursive: true, force: true });
  // Node's compile cache of the last build: see adapters/cli/bin.ts.
  rmSync(join(outdir, '.compiled'), { recursive: true, force: true });
  const { outputFiles } = await esbuild.build(OPTIONS);
  copyDocs();
  const { typescript, python } = clientArchives();
  replace(join(outdir, 'clients', 'typescript.tgz'), typescript);
  replace(join(outdir, 'clients', 'python.whl'), python);
  for (const path of FILES) mirror(join(ROOT, path), join(outdir, path));
  // Writes the entries last, because they name the chunks, whose names are hashes of their contents.
  const ordered = outputFiles.sort((a, b) => isEntry(a.path) - isEntry(b.path));
  for (const { path, contents } of ordered) replace(path, contents);
  removeOld(new Set(ordered.map(({ path }) => path)));
}

const isEntry = (path) => Object.keys(ENTRIES).some((name) => path === join(outdir, `${name}.js`));

/** Copies, and removes files that no longer exist in the source: a renamed migration would otherwise run twice. */
function mirror(from, to) {
  cpSync(from, to, { recursive: true });
  if (!statSync(from).isDirectory()) return;
  for (const name of readdirSync(to, { recursive: true })) {
    if (!existsSync(join(from, name))) rmSync(join(to, name), { recursive: true, force: true });
  }
}

/** Copies the documentation that the service shows: its pages, and the pictures that those pages use. */
function copyDocs() {
  const [from, to] = [join(ROOT, 'docs'), join(outdir, 'docs')];
  rmSync(to, { recursive: true, force: true });
  for (const name of readdirSync(from).filter((each) => each.endsWith('.md'))) {
    cpSync(join(from, name), join(to, name));
    const pictures = readFileSync(join(from, name), 'utf8').matchAll(/(?:src|srcset)="([^":]+\.png)"/g);
    for (const [, picture] of pictures) cpSync(join(from, picture), join(to, picture));
  }
}

/** Replaces a file atomically, because another process may be reading it. */
function replace(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

/** Removes chunks that no build has written for a day. */
function removeOld(written) {
  for (const name of readdirSync(outdir)) {
    const path = join(outdir, name);
    if (!/\.js(?:\.map)?$/.test(name) || written.has(path)) continue;
    if (Date.now() - statSync(path).mtimeMs > DAY_MS) rmSync(path, { force: true });
  }
}

const clean = !process.argv.includes('--keep');
await writeStamp(() => build({ clean }));
if (process.argv.includes('--types')) (await import('./declarations.mjs')).declare(ROOT, outdir, ENTRIES.embed);
