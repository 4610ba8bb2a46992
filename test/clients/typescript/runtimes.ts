import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The npm packages of the programs, for the machines that they support. Their install scripts are not run. */
const PACKAGES: Readonly<Record<string, { deno: string; bun: string }>> = {
  'linux-x64': { deno: '@deno/linux-x64-glibc', bun: '@oven/bun-linux-x64' },
  'linux-arm64': { deno: '@deno/linux-arm64-glibc', bun: '@oven/bun-linux-aarch64' },
  'darwin-x64': { deno: '@deno/darwin-x64', bun: '@oven/bun-darwin-x64' },
  'darwin-arm64': { deno: '@deno/darwin-arm64', bun: '@oven/bun-darwin-aarch64' },
};
const VERSIONS = { deno: '2.9.6', bun: '1.4.5' };
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;

export interface Runtime {
  readonly name: string;
  /** Runs a module of a project, and returns what it prints. It may only use the network and read its environment. */
  run(project: string, file: string, env: Readonly<Record<string, string>>): Promise<string>;
}

export interface Runtimes {
  readonly all: readonly Runtime[];
  /** Why there is only Node; empty if there are all. */
  readonly missing: string;
  remove(): Promise<void>;
}

/** Node, and Deno and Bun from npm. CI requires them; elsewhere they are left out if there is no network. */
export async function installRuntimes(): Promise<Runtimes> {
  const node = runtime('Node', process.execPath, []);
  const packages = PACKAGES[`${process.platform}-${process.arch}`];
  if (!packages)
    return { all: [node], missing: ` (Deno and Bun left out: npm has none for ${process.arch})`, async remove() {} };
  const home = await mkdtemp(join(tmpdir(), 'perch-runtimes-'));
  const remove = () => rm(home, { recursive: true, force: true });
  try {
    const wanted = [`${packages.deno}@${VERSIONS.deno}`, `${packages.bun}@${VERSIONS.bun}`];
    const options = [
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--fetch-retries=1',
    ];
    await run('npm', ['install', '--prefix', home, ...options, ...wanted], { cwd: home, timeout: 150_000 });
  } catch (error) {
    await remove();
    const { stderr = '' } = error as { stderr?: string };
    if (process.env.CI || !NO_NETWORK.test(stderr)) throw error;
    return { all: [node], missing: " (Deno and Bun left out: npm's registry can't be reached)", async remove() {} };
  }
  const deno = join(home, 'node_modules', packages.deno, 'deno');
  const bun = join(home, 'node_modules', packages.bun, 'bin/bun');
  const allowed = ['--allow-net=127.0.0.1', '--allow-env'];
  return {
    all: [
      node,
      runtime('Deno', deno, ['run', '--quiet', '--no-prompt', '--no-lock', '--node-modules-dir=manual', ...allowed]),
      runtime('Bun', bun, ['run', '--no-install']),
    ],
    missing: '',
    remove,
  };
}

function runtime(name: string, program: string, options: readonly string[]): Runtime {
  return {
    name,
    async run(project, file, env) {
      const given = {
        PATH: process.env.PATH,
        HOME: project,
        DENO_DIR: join(project, '.deno'),
        DENO_NO_UPDATE_CHECK: '1',
      };
      const { stdout } = await run(program, [...options, file], {
        cwd: project,
        env: { ...given, NO_COLOR: '1', ...env },
      });
      return stdout;
    },
  };
}
