/** What runs in production: built JavaScript on plain Node. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../adapters/cli/ensure-built.mjs';
import { FOLDERS } from '../../cli/embed/packed.js';
import { newKey, serve } from '../../cli/support/service.js';
import { Cli, REPOSITORY, runNode, startNode } from '../../cli/support/support.js';

const SLOW_MS = 120_000;
const DIST = join(REPOSITORY, 'dist');

beforeAll(() => ensureBuilt(), SLOW_MS);

describe('the built files', () => {
  it('has a source map for each file, which names sources of the repository', async () => {
    const [sources, bare]: [Set<string>, string[]] = [new Set(), []];
    for (const name of (await readdir(DIST)).filter((each) => each.endsWith('.js'))) {
      const code = await readFile(join(DIST, name), 'utf8');
      if (!code.endsWith(`//# sourceMappingURL=${name}.map\n`)) bare.push(name);
      const map = JSON.parse(await readFile(join(DIST, `${name}.map`), 'utf8')) as { sources: string[] };
      for (const source of map.sources) sources.add(join(DIST, source));
    }
    expect(bare).toEqual([]);
    // Other chunks may be left over from earlier builds and name sources that no longer exist.
    expect([...sources]).toEqual(expect.arrayContaining([join(REPOSITORY, 'app/compose.ts')]));
    for (const source of [...sources].slice(0, 50)) expect(source.startsWith(REPOSITORY)).toBe(true);
  });

  it('traces an error to its source', async () => {
    const script = `
      process.setSourceMapsEnabled(true);
      const { perchMercurius } = await import(process.argv[1]);
      await perchMercurius({ hasDecorator: () => false }, { path: 'graphql' }).catch(({ stack }) => console.log(stack));`;
    const { stdout } = await runNode(['--input-type=module', '-e', script, `file://${join(DIST, 'embed.js')}`]);
    expect(stdout).toMatch(/TypeError: perchMercurius: path must be a path.*app[\\/]embed\.ts:\d+/s);
  });

  it('import no compiler of grammars, code or bundles', async () => {
    const names = (await readdir(DIST)).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(names.map((name) => readFile(join(DIST, name), 'utf8')));
    expect(texts.join('\n')).not.toMatch(/from "(?:peggy|tsx|esbuild|typescript|react|graphiql)\b/);
  });
});

describe.runIf(process.platform === 'linux')('a service', () => {
  it('is one process of plain Node beside its database, without a compiler', async () => {
    const cli = await Cli.open();
    const { started } = await serve(cli);
    try {
      const { stdout } = await promisify(execFile)('ps', ['-o', 'args=', '--ppid', String(started.process.pid)]);
      expect(stdout.split('\n').filter((line) => line !== '' && !/bin\/postgres -D/.test(line))).toEqual([]);
      const maps = await readFile(`/proc/${started.process.pid}/maps`, 'utf8');
      expect(maps).not.toMatch(/esbuild|tsx/);
    } finally {
      started.process.kill('SIGTERM');
      await started.end;
      await cli.close();
    }
  }, 120_000);
});

describe('a clone', () => {
  let clone = '';
  beforeAll(async () => {
    clone = await realpath(await mkdtemp(join(tmpdir(), 'perch-clone-')));
    for (const path of [...FOLDERS, 'CHANGELOG.md', 'LICENSE', 'compose.yaml', 'package.json', 'tsconfig.json']) {
      await cp(join(REPOSITORY, path), join(clone, path), { recursive: true, preserveTimestamps: true });
    }
    await symlink(join(REPOSITORY, 'node_modules'), join(clone, 'node_modules'));
  });
  afterAll(() => rm(clone, { recursive: true }));
  const version = () => runNode([join(clone, 'adapters/cli/perch.mjs'), '--version']);
  const builtAtMs = async () => (await stat(join(clone, 'dist/.sources'))).mtimeMs;

  it('builds once for concurrent starts and says so, and builds again only if a source has changed', async () => {
    const all = await Promise.all([version(), version(), version()]);
    const [first] = all;
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(all.map(() => [0, first?.stdout]));
    expect(all.flatMap(({ stderr }) => stderr.match(/^perch: building, which takes/gm) ?? [])).toHaveLength(1);
    const before = await builtAtMs();
    expect(await version()).toEqual({ code: 0, stdout: first?.stdout, stderr: '' });
    expect(await builtAtMs()).toBe(before);
    // Node's compile cache, for the next start.
    if ('enableCompileCache' in module) expect(await readdir(join(clone, 'dist/.compiled'))).not.toEqual([]);
    // Documentation and temporary files of editors do not affect the build.
    for (const name of ['README.md', '.version.ts.swp', 'version.ts~', '#version.ts#', '4913']) {
      await writeFile(join(clone, 'src/domain', name), 'x');
    }
    expect((await version()).code).toBe(0);
    expect(await builtAtMs()).toBe(before);

    const source = join(clone, 'src/domain/version.ts');
    // A migration left by an earlier version, under another name.
    const migrations = join(clone, 'dist/adapters/postgres/migrations');
    await writeFile(join(migrations, '001.do.old.sql'), 'select 1;');
    await writeFile(source, (await readFile(source, 'utf8')).replace(/'[\d.]+'/, `'9.8.7'`));
    expect((await version()).stdout).toBe('9.8.7\n');
    expect(await builtAtMs()).toBeGreaterThan(before);
    expect(await readdir(migrations)).toEqual(await readdir(join(clone, 'adapters/postgres/migrations')));
  }, 120_000);

  it('reports where a source cannot be built, and stops', async () => {
    const source = join(clone, 'adapters/cli/program.ts');
    const right = await readFile(source, 'utf8');
    await writeFile(source, `${right}\nconst = wrong;\n`);
    const ran = await version();
    await writeFile(source, right);
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/adapters\/cli\/program\.ts:\d+/);
    expect(ran.stderr).toContain('perch: building failed');
  });

  it('serves all of its interfaces after later builds have removed the files that it was started from', async () => {
    const cli = await Cli.open();
    const [command, env] = [
      join(clone, 'adapters/cli/perch.mjs'),
      { PERCH_HOME: cli.home, PORT: '0', PERCH_DEMO: 'off' },
    ];
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    const started = startNode([command, 'serve'], { env: { ...env, ...stripe } });
    await started.says('Ctrl-C stops it.');
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
    try {
      const key = await newKey(cli);
      for (const name of await readdir(join(clone, 'dist'))) {
        if (name.endsWith('.js')) await unlink(join(clone, 'dist', name));
      }
      const post = (path: string, body: object) => {
        const accept = 'application/json, text/event-stream';
        const headers = { 'content-type': 'application/json', accept, 'x-api-key': key };
        return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      };
      const replies = await Promise.all([
        fetch(`${url}/openapi.yaml`),
        post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        post('/webhooks/stripe', {}),
      ]);
      const texts = await Promise.all(replies.map((reply) => reply.text()));
      expect(
        replies.map(({ status }) => status),
        texts.join('\n'),
      ).toEqual([200, 200, 400]);
      expect(texts[2]).toContain('Not a signed event');
    } finally {
      started.process.kill('SIGTERM');
      await started.end;
      await cli.close();
      // The next command builds the removed files again.
      await rm(join(clone, 'dist/.sources'), { force: true });
    }
  }, 120_000);
});
