// Checks whether dist/ was built from the current sources. Plain JavaScript that needs only Node, because every start
// of a clone runs it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER, takeTurn } from './install.mjs';

const ROOT = PACKAGE_FOLDER;
const STAMP = join(ROOT, 'dist', '.sources');
/** The folders that the built program comes from. */
const SOURCES = ['app', 'src', 'schema', 'adapters', 'demo'];
/** The clients that the service offers for download, with the pages about them. */
const CLIENTS = { folder: 'clients', isRead: /^[^.#].*\.(?:[cm]?[jt]s|json|py|typed|toml|cfg|md)$/ };
/** The parts of the documentation that the service shows. */
const DOCS = { folder: 'docs', isRead: /^[^.#].*\.(?:md|png)$/ };
/** The files that the build reads or copies, by extension; neither documents for people nor an editor's own files. */
const IS_READ = /^[^.#].*\.(?:[cm]?[jt]s|tsx|json|css|svg|sql|graphql|peggy|txt)$/;
const SINGLE = ['package-lock.json', 'tsconfig.json', 'CHANGELOG.md', 'compose.yaml'];

/** Builds when a source has changed since the last build. Throws an Error that says what to do. */
export async function ensureBuilt() {
  if (isCurrent()) return;
  const release = await takeTurn(ROOT, 'building Perch');
  try {
    // Another process may have built while this one waited.
    if (!isCurrent()) await run();
  } finally {
    release();
  }
}

/**
 * Builds, and records the sources as they were before the build, so that the next start rebuilds if a file changed
 * meanwhile.
 */
export async function writeStamp(build) {
  const before = fingerprint();
  await build();
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(STAMP, before);
}

const isCurrent = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();

/** By time and size: a few hundred stat calls instead of as many reads. */
function fingerprint() {
  const hash = createHash('sha256');
  const add = (path) => {
    // It may have been deleted since its folder was listed, for example while an editor replaces it.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) hash.update(`${path} ${found.mtimeMs} ${found.size}\n`);
  };
  for (const { folder, isRead } of [...SOURCES.map((name) => ({ folder: name, isRead: IS_READ })), CLIENTS, DOCS]) {
    const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile() && isRead.test(entry.name)) add(join(entry.parentPath ?? entry.path, entry.name));
    }
  }
  for (const file of SINGLE.filter((name) => existsSync(join(ROOT, name)))) add(join(ROOT, file));
  return hash.digest('hex');
}

/** In a separate process, which frees the compiler's memory when it ends. */
async function run() {
  process.stderr.write('perch: building, which takes about ten seconds\n');
  const args = [join(ROOT, 'app', 'build', 'build.mjs'), '--keep'];
  // Standard output is reserved for the command's result.
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? signal));
  });
  if (code !== 0) throw new Error(`building failed (${code}) in ${ROOT}: see above`);
}
