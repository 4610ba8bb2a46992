import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../docs/readme/markdown.js';

const run = promisify(execFile);
const MODULES = join(ROOT, 'node_modules');
/** What a user's own `npm install` would also install. */
const BROUGHT = ['openapi-fetch', 'openapi-typescript-helpers'];

export interface Packed {
  readonly tarball: Uint8Array;
  /** Paths in the package. */
  readonly files: readonly string[];
  /** A project that has the package and what it depends on, and nothing else. */
  readonly project: string;
  /** The compiler's messages about the project's files; empty if there are none. */
  compile(options: object): Promise<string>;
  remove(): Promise<void>;
}

/** Packs the client as `npm pack` does, from a copy: the checkout stays as it is. Installs it in a project of its own. */
export async function packClient(): Promise<Packed> {
  const home = await mkdtemp(join(tmpdir(), 'perch-client-'));
  const source = join(home, 'source');
  await cp(join(ROOT, 'clients/typescript'), source, {
    recursive: true,
    filter: (path) => !/\/(?:dist|node_modules)$/.test(path),
  });
  await symlink(MODULES, join(home, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', home], { cwd: source });
  const name = (await readdir(home)).find((file) => file.endsWith('.tgz')) ?? '';
  const project = join(home, 'project');
  const installed = join(project, 'node_modules/@perch/client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(home, name), '--strip-components=1', '-C', installed]);
  for (const each of BROUGHT) await cp(join(MODULES, each), join(project, 'node_modules', each), { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const { stdout } = await run('tar', ['-tzf', join(home, name)]);
  return {
    tarball: await readFile(join(home, name)),
    files: stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''))
      .sort(),
    project,
    async compile(options) {
      const config = { compilerOptions: { strict: true, noEmitOnError: true, ...options }, include: ['*.ts'] };
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(MODULES, 'typescript/bin/tsc');
      return run(process.execPath, [tsc, '-p', project]).then(
        ({ stdout: said }) => said,
        ({ stdout: said, message }: { stdout?: string; message: string }) => said || message,
      );
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };
}
