import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientArchives } from '../../../clients/archives.mjs';
import { blocksOf, ROOT } from '../../docs/readme/markdown.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch } from '../../kit/perch.js';
import { importsOf, readSources } from '../../kit/sources.js';
import { esmOnlyProblems } from '../esm-only.js';
import { type Packed, packClient } from './packed.js';

let packed: Packed;
beforeAll(async () => {
  packed = await packClient();
}, 120_000);
afterAll(() => packed.remove());

const DOM = { lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] };
const FIXTURE = join(ROOT, 'test/clients/typescript/fixture/types.ts');

it('contains the built files, its page and its licences, and no sources', () => {
  expect(packed.files.filter((path) => !path.startsWith('dist/'))).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(packed.files).toContain('dist/gql.tada/LICENSE.md');
  expect(packed.files.filter((path) => !/(?:\.(?:js|d\.ts|md|json)|^LICENSE)$/.test(path))).toEqual([]);
});

it('is the archive that services offer, which is the same bytes each time', async () => {
  const served = clientArchives().typescript;
  expect(clientArchives().typescript.equals(served)).toBe(true);
  const folder = await mkdtemp(join(tmpdir(), 'perch-served-'));
  try {
    await writeFile(join(folder, 'served.tgz'), served);
    await promisify(execFile)('tar', ['-xzf', join(folder, 'served.tgz'), '-C', folder]);
    const installed = join(packed.project, 'node_modules/@perch/client');
    const { stdout } = await promisify(execFile)('diff', ['-r', join(folder, 'package'), installed]);
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('has the licence of the project', async () => {
  const licence = await readFile(join(ROOT, 'LICENSE'), 'utf8');
  expect(await readFile(join(packed.project, 'node_modules/@perch/client/LICENSE'), 'utf8')).toBe(licence);
});

it('has the version of the service, and a manifest that npm publishes as it is', async () => {
  const manifest = join(packed.project, 'node_modules/@perch/client/package.json');
  const before = await readFile(manifest, 'utf8');
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect(JSON.parse(before)).toMatchObject({ version, license: 'MIT', publishConfig: { access: 'public' } });
  expect(JSON.parse(before)).not.toHaveProperty('private');
  // Makes the corrections that `npm publish` would make with a warning.
  await promisify(execFile)('npm', ['pkg', 'fix'], { cwd: join(manifest, '..') });
  expect(await readFile(manifest, 'utf8')).toBe(before);
});

it('can be required from Node 20.19 on', async () => {
  await writeFile(
    join(packed.project, 'old.cjs'),
    "process.stdout.write(typeof require('@perch/client').createPerch);",
  );
  const { stdout } = await promisify(execFile)(process.execPath, [join(packed.project, 'old.cjs')]);
  expect(stdout).toBe('function');
});

it('passes publint', async () => {
  const tarball = packed.tarball.slice().buffer;
  const { messages } = await publint({ pack: { tarball }, strict: true });
  expect(messages).toEqual([]);
});

it('passes are-the-types-wrong', async () => {
  expect(await esmOnlyProblems(packed.tarball)).toEqual([]);
});

it.each([
  ['NodeNext, for the browser’s types', { module: 'NodeNext', ...DOM }],
  ['a bundler', { module: 'ESNext', moduleResolution: 'bundler', ...DOM }],
])(
  'compiles for its user, declarations included, and a wrong field does not: %s',
  async (_, options) => {
    await cp(FIXTURE, join(packed.project, 'types.ts'));
    const said = await packed.compile({ target: 'ES2022', noEmit: true, skipLibCheck: false, ...options });
    await rm(join(packed.project, 'types.ts'));
    expect(said).toBe('');
  },
  120_000,
);

it('reports which field is wrong', async () => {
  const wrong = "import { graphql } from '@perch/client';\ngraphql('{ me { ballance } }');\ngraphql('{ me ');\n";
  await writeFile(join(packed.project, 'wrong.ts'), wrong);
  const said = await packed.compile({ target: 'ES2022', noEmit: true, module: 'NodeNext', ...DOM });
  await rm(join(packed.project, 'wrong.ts'));
  expect(said).toMatch(/^wrong\.ts|\/wrong\.ts/);
  expect(said).toContain('There is no field ballance on Account');
  expect(said).toContain('This is not a GraphQL document');
}, 120_000);

it('does what its page shows', async () => {
  const page = await readFile(join(ROOT, 'clients/typescript/README.md'), 'utf8');
  const text = blocksOf(page)
    .filter(({ language }) => language === 'ts')
    .map((block) => block.text)
    .join('\n');
  const environment = 'declare const process: { env: Record<string, string | undefined> };\n';
  await writeFile(join(packed.project, 'page.ts'), environment + text);
  expect(await packed.compile({ target: 'ES2022', module: 'NodeNext', skipLibCheck: true, ...DOM })).toBe('');
  await rm(join(packed.project, 'page.ts'));
  const perch = await startPerch({ openDatabase: demoDatabase });
  try {
    const { key } = await perch.account();
    const { stdout } = await promisify(execFile)(process.execPath, [join(packed.project, 'page.js')], {
      env: { ...process.env, PERCH_URL: perch.url, PERCH_KEY: key },
    });
    expect(stdout).toMatch(/^Harbor Observatory has \d+ followers; that cost 1\.\nAt most 50 credits\.\n4 tweets\n/);
    expect(stdout).toMatch(/\nmax_credits: [\d.]+ spent, [\d.]+ left, go on from \S+\n/);
    expect(stdout).toMatch(/\naborted: [\d.]+ spent, go on from \S+\n/);
    expect(stdout).toMatch(/\nnot_found 404 [0-9a-f-]{36}\n$/);
  } finally {
    await perch.close();
  }
}, 120_000);

it('imports nothing but its one dependency, and uses nothing that only Node has', async () => {
  const sources = readSources(['clients']).filter(({ path }) => path.startsWith('clients/typescript/src/'));
  const steps = sources.flatMap(importsOf).filter(({ isFile }) => !isFile);
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'clients/typescript/package.json'), 'utf8'));
  expect(steps.filter(({ isTypeOnly }) => !isTypeOnly).map(({ to }) => to)).toEqual(Object.keys(dependencies));
  expect(steps.filter(({ isTypeOnly }) => isTypeOnly).map(({ to }) => to)).toEqual(['gql.tada']);
  const ofNode = /\b(?:process|Buffer|require|__dirname|setImmediate|global)\b(?=\.\w|[([])|node:/;
  expect(sources.filter(({ text }) => ofNode.test(text)).map(({ path }) => path)).toEqual([]);
  // The service is developed with a range of its own, which must be the same.
  const { devDependencies } = createRequire(import.meta.url)(join(ROOT, 'package.json'));
  expect(dependencies['openapi-fetch']).toBe(devDependencies['openapi-fetch']);
});
