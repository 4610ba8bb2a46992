/** Perch as installed by `npm i perch`: in a plain JavaScript app, on plain Node, and as a command. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedServer, openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { esmOnlyProblems } from '../../clients/esm-only.js';
import { until } from '../support/service.js';
import { Cli, REPOSITORY, runNode, startNode } from '../support/support.js';
import { type PackedPerch, packPerch } from './packed.js';

let packed: PackedPerch;
let cli: Cli;
let server: EmbeddedServer;
beforeAll(async () => {
  [packed, cli] = await Promise.all([packPerch(), Cli.open()]);
  server = await openEmbeddedPostgres({ home: cli.home });
}, 300_000);
afterAll(async () => {
  await server?.stop();
  await cli?.close();
  await packed?.remove();
});

/** The command of the package, started through its link in `.bin`. */
const command = (...words: readonly string[]) =>
  runNode([join(packed.project, 'node_modules/perch/dist/perch.js'), ...words], {
    env: { PERCH_HOME: cli.home },
  });

const APP = `
import fastify from 'fastify';
import { perchMercurius } from 'perch/mercurius';

const app = fastify();
const seen = [];
await app.register(perchMercurius, { env: process.env });
app.graphql.addHook('onResolution', async () => { seen.push('resolved'); });
const reply = await app.inject({
  method: 'POST',
  url: '/graphql',
  headers: { 'x-api-key': process.env.KEY, 'content-type': 'application/json' },
  payload: { query: '{ user(handle: "lighthouse_hq") { id name } search(q: "lamp", first: 1) { nodes { __typename } } }' },
});
await app.close();
process.stdout.write(JSON.stringify({ status: reply.statusCode, body: reply.json(), seen }));
`;

it('answers a query in a plain JavaScript app, and works as a command on the same home', async () => {
  const imported = await command('import', join(REPOSITORY, 'test/kit/fixtures/import/plain'));
  expect(imported).toMatchObject({ code: 0 });
  const made = await command('account', 'create', '--name', 'app', '--credits', '50', '--json');
  expect(made).toMatchObject({ code: 0 });
  await writeFile(join(packed.project, 'app.js'), APP);
  const ran = await runNode([join(packed.project, 'app.js')], {
    cwd: packed.project,
    env: { PERCH_HOME: cli.home, KEY: JSON.parse(made.stdout).key },
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    status: 200,
    body: { data: { user: { id: '101', name: 'Lighthouse & Sons' } } },
    seen: ['resolved'],
  });
}, 120_000);

it('serves a read, a search, the pages and the OpenAPI document from an empty folder', async () => {
  const folder = join(packed.project, 'empty');
  await mkdir(folder);
  const started = startNode([join(packed.project, 'node_modules/perch/dist/perch.js'), 'serve'], {
    cwd: folder,
    env: { PORT: '0', LOG_LEVEL: 'warn' },
  });
  try {
    await started.says('Ctrl-C stops it.');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
    const headers = { 'x-api-key': /perch_live_\w{32}/.exec(started.said.stdout)?.[0] ?? '' };
    const get = (path: string, accept = '*/*') => fetch(`${url}${path}`, { headers: { ...headers, accept } });
    // A busy machine may be at capacity right after the start.
    await until(async () => (await get('/v1/users/harbor_obs')).status === 200, 'it reads', started);
    expect(await (await get('/v1/users/harbor_obs')).json()).toMatchObject({ data: { handle: 'harbor_obs' } });
    expect((await get('/v1/tweets/search?q=harbour%20-filter:replies')).status).toBe(200);
    expect(await (await get('/openapi.yaml')).text()).toMatch(/^openapi: /);
    for (const page of ['/', '/graphql']) {
      const html = await (await get(page, 'text/html')).text();
      const assets = [...html.matchAll(/(?:src|href)="(\/[^"]*\/assets\/[^"]+|\/assets\/[^"]+)"/g)].map(
        ([, path]) => path,
      );
      expect(assets.length).toBeGreaterThan(2);
      for (const path of assets) expect([path, (await get(path ?? '')).status]).toEqual([path, 200]);
    }
    // The data is in the current folder, not in that of the package.
    expect(await readdir(folder)).toEqual(['.perch']);
  } finally {
    started.process.kill('SIGTERM');
  }
  expect(await started.end).toMatchObject({ code: 0 });
}, 300_000);

it.each(['NodeNext', 'Bundler'])(
  'has types for %s, even for a compiler that also checks the declarations',
  async (way) => {
    const file = join(packed.project, 'app.ts');
    const network =
      "import type { EmbedOptions } from 'perch/mercurius';\nexport const options: EmbedOptions = { path: '/g' };\n";
    const wrong = "// @ts-expect-error there is no such option\nexport const wrong: EmbedOptions = { paths: '/g' };\n";
    const register =
      "import fastify from 'fastify';\nimport { perchMercurius } from 'perch/mercurius';\nimport type {} from 'mercurius';\nconst app = fastify();\nawait app.register(perchMercurius, { path: '/g' });\napp.graphql.addHook('onResolution', async () => {});\n";
    await writeFile(file, network + wrong + register);
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--types', 'node', '--moduleResolution', way];
    const module = way === 'Bundler' ? 'ESNext' : way;
    const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
    const said = await promisify(execFile)(process.execPath, [tsc, ...options, '--module', module, file], {
      cwd: packed.project,
    }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
    await rm(file);
    // Mercurius's declarations need @types/ws, which it does not depend on.
    expect(said.split('\n').filter((line) => /^app\.ts|node_modules\/perch\//.test(line))).toEqual([]);
  },
  120_000,
);

it('can be required by a CommonJS app', async () => {
  await writeFile(
    join(packed.project, 'app.cjs'),
    "process.stdout.write(typeof require('perch/mercurius').perchMercurius);",
  );
  const ran = await runNode([join(packed.project, 'app.cjs')], { cwd: packed.project });
  expect(ran).toMatchObject({ code: 0, stdout: 'function' });
});

it('contains what was built and the licence, but no sources or build tools', () => {
  const tops = [...new Set(packed.files.map((path) => path.split('/')[0]))].sort();
  expect(tops).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(packed.files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
});

it('has nothing that publint complains of', async () => {
  const { messages } = await publint({ pack: { tarball: packed.tarball.slice().buffer }, strict: true });
  expect(messages).toEqual([]);
});

it('has types where compilers look for them (are the types wrong?)', async () => {
  expect(await esmOnlyProblems(packed.tarball)).toEqual([]);
});
