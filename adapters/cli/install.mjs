// Installs the lockfile's packages if they are missing. Plain JavaScript that needs only Node, because it runs before
// everything else.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const PACKAGE_FOLDER = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));

const WAIT_MS = 10 * 60_000;

/** In a dependency, the other package's package manager has installed everything. */
export const isDependency = (folder) => folder.split(sep).includes('node_modules');

/**
 * Installs if node_modules doesn't contain the lockfile's packages; otherwise only reads two files, without network
 * access. Throws an Error that says what to do.
 */
export async function ensureInstalled({ folder = PACKAGE_FOLDER, dev = false } = {}) {
  if (isDependency(folder) || missing(folder, dev) === null) return;
  const release = await takeTurn(folder, 'installing the dependencies');
  try {
    // Another process may have installed them while this one waited.
    const why = missing(folder, dev);
    if (why !== null) await runNpm(folder, why, dev);
  } finally {
    release();
  }
}

/**
 * Why an install is needed, as a message; null when it isn't. Optional packages may be absent: they depend on the
 * platform.
 */
export function missing(folder, dev) {
  const wanted = readLock(join(folder, 'package-lock.json'));
  const there = installed(folder);
  if (there === null) return 'the dependencies are not installed yet';
  for (const [path, entry] of Object.entries(wanted ?? {})) {
    // The repository's own folders need no install, only their dependencies do.
    if (!path.includes('node_modules/') || entry.link || (entry.dev && !dev)) continue;
    const found = there[path];
    if (found === undefined && !entry.optional && !entry.devOptional) return `${nameOf(path)} is missing`;
    if (found !== undefined && found.version !== entry.version) {
      return `${nameOf(path)} is ${found.version}, the lockfile says ${entry.version}`;
    }
  }
  return null;
}

const installed = (folder) => readLock(join(folder, 'node_modules', '.package-lock.json'));

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return null;
  }
}

/** Lets one process at a time work. The system frees the name when a process dies, so no stale lock remains. */
export async function takeTurn(folder, work) {
  const name = `perch-install-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
  const deadline = Date.now() + WAIT_MS;
  for (let isAnnounced = false; ; isAnnounced = true) {
    const server = await listenOn(name);
    if (server !== null) return () => server.close();
    if (Date.now() > deadline) throw new Error(`Another process has been ${work} for ten minutes. Is it stuck?`);
    if (!isAnnounced) process.stderr.write(`perch: waiting for another process that is ${work}\n`);
    await sleep(200);
  }
}

function listenOn(name) {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(addressOf(name), () => resolve(server.unref()));
  });
}

function addressOf(name) {
  if (process.platform === 'linux') return { path: `\0${name}` };
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${name}` };
  // On other systems a socket is a file that outlives its process; a port doesn't.
  return { host: '127.0.0.1', port: 49_152 + (Number.parseInt(name.slice(-4), 16) % 16_000) };
}

async function runNpm(folder, why, dev) {
  const command = existsSync(join(folder, 'package-lock.json')) ? 'ci' : 'install';
  process.stderr.write(`perch: installing with npm ${command}, because ${why}. This takes about half a minute.\n`);
  // A development checkout keeps its dev dependencies. Running Perch needs nothing that an install script would do.
  const all = dev || Object.values(installed(folder) ?? {}).some((entry) => entry.dev);
  const args = [command, '--no-audit', '--no-fund', ...(all ? ['--include=dev'] : ['--omit=dev', '--ignore-scripts'])];
  const npm = npmProgram();
  const child = spawn(npm.program, [...npm.args, ...args], {
    cwd: folder,
    // Standard output is reserved for the command's result.
    stdio: ['ignore', 2, 2],
    shell: npm.shell,
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(status ?? signal));
  });
  if (code === 0) return;
  throw new Error(
    `npm ${command} failed (${code}) in ${folder}: see above. It needs access to the npm registry once, and write access to the folder.`,
  );
}

/** The npm that runs this script, or the one next to this Node, or the one on the PATH. */
function npmProgram() {
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const running = process.env.npm_execpath ?? '';
  const script = basename(running) === 'npm-cli.js' ? running : beside;
  if (existsSync(script)) return { program: process.execPath, args: [script], shell: false };
  return { program: 'npm', args: [], shell: process.platform === 'win32' };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await ensureInstalled({ dev: true });
  } catch (error) {
    process.stderr.write(`perch: ${error.message}\n`);
    process.exitCode = 1;
  }
}
