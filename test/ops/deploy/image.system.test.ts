import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../adapters/cli/ensure-built.mjs';
import { SETTING_NAMES } from '../../../src/config/read-settings.js';
import { VERSION } from '../../../src/domain/version.js';
import { linkPackages } from '../../cli/embed/packed.js';
import { readRoot } from './compose-file.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DOCKERFILE = readRoot('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', '');
const [, BUILD = '', DEPENDENCIES = '', RUNTIME = ''] = DOCKERFILE.split(/^FROM /m);

/** The paths that a stage copies from the checkout. */
const copied = (stage: string): string[] =>
  [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));

describe('the image', () => {
  it('copies only files that .dockerignore allows', () => {
    const let_through = readRoot('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
    // Files of one folder may be copied in two steps.
    const tops = [BUILD, DEPENDENCIES, RUNTIME].flatMap(copied).map((path) => path.split('/')[0]);
    expect([...new Set(tops)].sort()).toEqual(let_through.sort());
  });

  it('has the same files as the package', () => {
    const { files } = JSON.parse(readRoot('package.json')) as { files: string[] };
    expect(RUNTIME).toMatch(/^COPY --from=build \/perch\/dist \.\/dist$/m);
    expect([...files.filter((name) => !name.startsWith('!')), ...copied(RUNTIME)].sort()).toEqual([
      'LICENSE',
      'dist',
      'package.json',
    ]);
  });

  it('copies everything that the build reads', () => {
    const [, list = ''] = /const FILES = \[([^\]]+)\]/.exec(readRoot('app/build/build.mjs')) ?? [];
    const read = [...list.matchAll(/'([^'/]+)[^']*'/g)].map(([, top]) => top);
    expect(copied(BUILD)).toEqual(expect.arrayContaining([...read, 'docs', 'tsconfig.json']));
  });

  it('starts from one fixed version of Node in all stages', () => {
    const bases = [BUILD, DEPENDENCIES, RUNTIME].map((stage) => stage.split(/\s/)[0]);
    expect(bases[0]).toMatch(/^node:22\.\d+\.\d+-bookworm-slim$/);
    expect(new Set(bases).size).toBe(1);
  });

  it('runs as an unprivileged user, listens on all interfaces and receives signals', () => {
    expect(RUNTIME).toMatch(/^USER node$/m);
    expect(RUNTIME).toMatch(/^STOPSIGNAL SIGTERM$/m);
    const set =
      /^ENV (.+)$/m
        .exec(RUNTIME)?.[1]
        ?.split(' ')
        .map((pair) => pair.split('=')) ?? [];
    expect(Object.fromEntries(set)).toMatchObject({ HOST: '0.0.0.0', NODE_ENV: 'production' });
    expect([...SETTING_NAMES, 'NODE_ENV']).toEqual(expect.arrayContaining(set.map(([name]) => name)));
    const command = ['ENTRYPOINT', 'CMD'].flatMap((word) =>
      JSON.parse(new RegExp(`^${word} (.+)$`, 'm').exec(RUNTIME)?.[1] ?? '[]'),
    );
    expect(command).toEqual(['node', 'dist/perch.js', 'serve']);
  });

  it('runs the program from its own files, without sources or tools', async () => {
    await ensureBuilt();
    const image = await mkdtemp(join(tmpdir(), 'perch-image-'));
    try {
      for (const name of copied(RUNTIME)) await cp(join(ROOT, name), join(image, name), { recursive: true });
      await cp(join(ROOT, 'dist'), join(image, 'dist'), { recursive: true });
      await linkPackages(join(image, 'node_modules'));
      const run = (...words: string[]) =>
        promisify(execFile)(process.execPath, ['dist/perch.js', ...words], { cwd: image });
      expect((await run('--version')).stdout).toContain(VERSION);
      expect((await run('price', 'GET', '/v1/users/harbor_obs')).stdout).toContain('1 credit');
    } finally {
      await rm(image, { recursive: true });
    }
  });

  describe('its health check', () => {
    const check = JSON.parse(/^HEALTHCHECK .*?CMD (.+)$/m.exec(RUNTIME)?.[1] ?? '[]') as string[];

    it.each([
      [200, 0],
      [429, 0],
      [503, 1],
    ])('answers status %i with exit code %i', async (status, exitCode) => {
      const { createServer } = await import('node:http');
      const server = createServer(({ url }, response) => response.writeHead(url === '/healthz' ? status : 404).end());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      expect(await exitOf(check, port)).toBe(exitCode);
      server.close();
      server.closeAllConnections();
    });

    it('fails if nothing listens', async () => {
      expect(await exitOf(check, 1)).toBe(1);
    });
  });
});

function exitOf([, ...args]: string[], port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env: { PORT: String(port) } });
    child.once('exit', resolve);
  });
}
