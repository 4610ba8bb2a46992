import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../docs/readme/markdown.js';

const run = promisify(execFile);
const MODULES = join(ROOT, 'node_modules');

/** The folders that are built. */
export const FOLDERS = ['app', 'src', 'schema', 'adapters', 'demo', 'clients', 'docs'] as const;

export interface PackedPerch {
  readonly tarball: Uint8Array;
  /** Paths in the package. */
  readonly files: readonly string[];
  /** A project with the package, its dependencies, and Mercurius. */
  readonly project: string;
  remove(): Promise<void>;
}

/** Packs Perch as `npm pack` does, from a copy, so the checkout stays unchanged. Installs it in a new project. */
export async function packPerch(): Promise<PackedPerch> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'perch-packed-')));
  const source = join(home, 'source');
  for (const path of [
    ...FOLDERS,
    'package.json',
    'tsconfig.json',
    'LICENSE',
    'CHANGELOG.md',
    'compose.yaml',
    'README.md',
  ]) {
    await cp(join(ROOT, path), join(source, path), { recursive: true });
  }
  // Linked into the copy, because packing starts an installation if the modules are missing.
  await symlink(MODULES, join(source, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', home], { cwd: source });
  const tarball = join(home, (await readdir(home)).find((name) => name.endsWith('.tgz')) ?? '');
  const project = join(home, 'project');
  await mkdir(join(project, 'node_modules/perch'), { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', join(project, 'node_modules/perch')]);
  await linkPackages(join(project, 'node_modules'));
  await link('mercurius', join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const { stdout } = await run('tar', ['-tzf', tarball]);
  return {
    tarball: await readFile(tarball),
    files: stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, '')),
    project,
    remove: () => rm(home, { recursive: true, force: true }),
  };
}

interface Entry {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

/** Links the packages that an installation would add into a folder of modules. */
export async function linkPackages(modules: string): Promise<void> {
  for (const name of await brought()) await link(name, modules);
}

/** The packages of the lockfile that `npm i perch` installs, without those that only develop or build it. */
async function brought(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Entry>;
  };
  const there = new Set(Object.keys(JSON.parse(await readFile(join(MODULES, '.package-lock.json'), 'utf8')).packages));
  const found = new Set<string>();
  const add = (entry: Entry | undefined): void => {
    for (const name of Object.keys({ ...entry?.dependencies, ...entry?.optionalDependencies })) {
      // A package's own nested copy is linked with its folder.
      if (found.has(name) || !there.has(`node_modules/${name}`)) continue;
      found.add(name);
      add(packages[`node_modules/${name}`]);
    }
  };
  add(packages['']);
  return [...found];
}

async function link(name: string, modules: string): Promise<void> {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(join(MODULES, name), join(modules, name));
}
