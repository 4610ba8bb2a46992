/** The samples of the API reference are compiled, parsed and run, as a reader who copies them would. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiEntries } from '../../adapters/pages/docs/api/model.js';
import { type SampleCall, samplesOf } from '../../adapters/pages/docs/files/samples.js';
import { ROOT } from '../docs/readme/markdown.js';
import { describedAt, OPTIONS } from '../interfaces/openapi/subject.js';
import { demoDatabase } from '../kit/demo.js';
import { startPerch, type TestPerch } from '../kit/perch.js';

const run = promisify(execFile);
const BASE = 'https://perch.example';
const entries = apiEntries({ document: describedAt(BASE), operations: OPTIONS.operations, baseUrl: BASE });
const sample = (id: string, label: string): string =>
  entries.find((entry) => entry.id === id)?.samples.find((each) => each.label === label)?.text ?? '';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-samples-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The compiler's messages for a program of these files, against the sources of the client. */
async function compile(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const config = {
    extends: join(ROOT, 'clients/typescript/tsconfig.json'),
    compilerOptions: {
      ...{ rootDir: '/', noEmit: true, declaration: false, composite: false },
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
      paths: { '@perch/client': [join(ROOT, 'clients/typescript/src/index.ts')] },
    },
    files: Object.keys(files),
  };
  const project = join(folder, `${name}.json`);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(project, JSON.stringify(config));
  for (const [file, text] of Object.entries(files))
    await writeFile(join(folder, file), `${text}\nexport { answer };\n`);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', project]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/** Every character in a parameter that could break quoting, a shell or a URL. */
const AWKWARD = `it's "100%" $HOME \`ticked\` \\ é & #x ${'word '.repeat(20)}`;

/** Values for every parameter of the page's form: awkward ones where the type allows them. */
function everyValue({ inputs }: (typeof entries)[number]): Record<string, unknown> {
  return Object.fromEntries(
    inputs
      .filter(({ place }) => place !== 'header')
      .map(({ name, schema, values, place, example }) => {
        if (schema.type === 'array') return [name, ['one', 'two', "o'three"]];
        if (schema.type === 'boolean') return [name, name !== 'estimate'];
        if (schema.type === 'integer' || schema.type === 'number') return [name, 5];
        return [name, place === 'path' ? example : (values.at(-1)?.value ?? AWKWARD)];
      }),
  );
}

const AWKWARD_BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  checkout: { pack: 'scale' },
  usersBatch: { handles: ['harbor_obs', AWKWARD], fresh: true },
  watchCreate: { user: AWKWARD, webhook_url: 'https://example.com/webhooks/perch', max_credits_per_day: 12.5 },
  tweetsBatch: { ids: ['1', AWKWARD], fresh: false },
};

/** Each operation in three variants: as its page first shows it, with every parameter set, and as an estimate. */
function variantsOf(label: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const body = AWKWARD_BODIES[entry.id] ?? null;
    const write = (values: Record<string, unknown>) =>
      samplesOf(entry.call, values, body).find((each) => each.label === label)?.text;
    const first = entry.samples.find((each) => each.label === label)?.text;
    const all = write(everyValue(entry));
    const estimate = entry.price === null ? undefined : write({ ...everyValue(entry), estimate: true });
    for (const [name, text] of Object.entries({ first, all, estimate })) {
      if (text !== undefined) found[`${entry.id}_${name}`] = text;
    }
  }
  return found;
}

/** Whether a program that parses or runs samples is installed. On CI it must be. */
const isHere = (program: string): boolean =>
  process.env.CI === 'true' || spawnSync(program, ['--help'], { stdio: 'ignore' }).error === undefined;

const needs = (program: string): string => (isHere(program) ? '' : ` [left out: no ${program}]`);

/** Writes each sample into a file of its own, in a new folder. */
async function write(label: string, extension: string): Promise<string[]> {
  const into = await mkdtemp(join(folder, 'in-'));
  const files = Object.entries(variantsOf(label)).map(
    ([id, text]) => [join(into, `${id}.${extension}`), text] as const,
  );
  for (const [path, text] of files) await writeFile(path, `${text}\n`);
  return files.map(([path]) => path);
}

describe('the samples of the API reference', () => {
  it('compile as TypeScript, every one; a wrong path does not', { timeout: 120_000 }, async () => {
    const files = Object.fromEntries(Object.entries(variantsOf('TypeScript')).map(([id, text]) => [`${id}.ts`, text]));
    expect(await compile('all', files)).toBe('');
    const wrong = sample('user', 'TypeScript').replace('/v1/users/', '/v9/users/');
    expect(await compile('wrong', { 'wrong.ts': wrong })).toContain('wrong.ts(7,');
  });

  it('parse as shell commands', { timeout: 60_000 }, async () => {
    const script = Object.values(variantsOf('curl')).join('\n');
    await expect(run('sh', ['-n', '-c', script])).resolves.toBeDefined();
  });

  it('parse as Python', async () => {
    const program = 'import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path)';
    await expect(run('python3', ['-c', program, ...(await write('Python', 'py'))])).resolves.toBeDefined();
  });

  it.skipIf(!isHere('gofmt'))(`are set as gofmt sets Go${needs('gofmt')}`, async () => {
    const { stdout } = await run('gofmt', ['-d', ...(await write('Go', 'go'))]);
    expect(stdout).toBe('');
  });

  it.skipIf(!isHere('php'))(`parse as PHP${needs('php')}`, { timeout: 60_000 }, async () => {
    const program = 'foreach (array_slice($argv, 1) as $path) token_get_all(file_get_contents($path), TOKEN_PARSE);';
    await expect(run('php', ['-r', program, '--', ...(await write('PHP', 'php'))])).resolves.toBeDefined();
  });

  it.skipIf(!isHere('ruby'))(`parse as Ruby${needs('ruby')}`, async () => {
    const program = 'ARGV.each { |path| RubyVM::AbstractSyntaxTree.parse_file(path) }';
    await expect(run('ruby', ['-e', program, ...(await write('Ruby', 'rb'))])).resolves.toBeDefined();
  });
});

describe('the samples of the API reference, run', () => {
  let perch: TestPerch;
  let env: NodeJS.ProcessEnv;
  let calls: ReadonlyMap<string, SampleCall>;

  beforeAll(async () => {
    perch = await startPerch({ openDatabase: demoDatabase });
    const { key } = await perch.account({ credits: 1000 });
    env = { ...process.env, PERCH_KEY: key, PYTHONPATH: join(ROOT, 'clients/python/src'), GOCACHE: join(folder, 'go') };
    const sources = { document: describedAt(perch.url), operations: OPTIONS.operations, baseUrl: perch.url };
    calls = new Map(apiEntries(sources).map(({ id, call }) => [id, call]));
  }, 120_000);
  afterAll(() => perch?.close());

  const text = (id: string, label: string, values: object, body: Record<string, unknown> | null): string => {
    const found = samplesOf(calls.get(id) as SampleCall, { ...values }, body).find((each) => each.label === label);
    if (found === undefined) throw new Error(`There is no sample of ${id} in ${label}.`);
    return found.text;
  };

  const SEARCH = { q: 'from:harbor_obs filter:images', product: 'Latest', count: 3, max_credits: 10 };
  const BATCH = { handles: ['harbor_obs', 'quay_library'] };

  const PROGRAMS: readonly (readonly [label: string, file: string, program: string, ...args: string[]])[] = [
    ['curl', 'sample.sh', 'sh'],
    ['Python', 'sample.py', 'python3'],
    ['Go', 'sample.go', 'go', 'run'],
    ['PHP', 'sample.php', 'php'],
    ['Ruby', 'sample.rb', 'ruby'],
  ];
  for (const [label, file, program, ...args] of PROGRAMS) {
    it.skipIf(!isHere(program))(
      `search and read a batch in ${label}${needs(program)}`,
      { timeout: 180_000 },
      async () => {
        const output = async (source: string): Promise<string> => {
          await writeFile(join(folder, file), `${source}\n`);
          return (await run(program, [...args, join(folder, file)], { env, cwd: folder })).stdout;
        };
        expect(await output(text('search', label, SEARCH, null))).toContain('harbor_obs');
        expect(await output(text('usersBatch', label, {}, BATCH))).toMatch(/harbor_obs[\s\S]*quay_library/);
      },
    );
  }

  it('send valid requests to GraphQL and MCP', async () => {
    const headers = { 'x-api-key': env.PERCH_KEY ?? '', 'content-type': 'application/json' };
    const post = async (to: string, body: string): Promise<string> => {
      const more = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
      const reply = await fetch(`${perch.url}${to}`, { method: 'POST', headers: { ...headers, ...more }, body });
      return reply.text();
    };
    /** The query with the variables and extensions from its comments. */
    const bodyOf = (query: string): { query: string; variables: object; extensions: object } => {
      const part = (name: string) => JSON.parse(new RegExp(`^# ${name}: (.*)$`, 'm').exec(query)?.[1] ?? '{}');
      return { query, variables: part('Variables'), extensions: part('Extensions') };
    };
    const search = bodyOf(text('search', 'GraphQL', SEARCH, null));
    expect(search.extensions).toEqual({ maxCredits: 10 });
    expect(await post('/graphql', JSON.stringify(search))).toContain('harbor_obs');
    for (const entry of entries) {
      const { query, variables } = bodyOf(sample(entry.id, 'GraphQL'));
      const priced = JSON.stringify({ query, variables, extensions: { dryRun: true } });
      expect([entry.id, JSON.parse(await post('/graphql', priced)).errors]).toEqual([entry.id, undefined]);
    }
    expect(await post('/mcp', text('user', 'MCP', { handle: 'harbor_obs' }, null))).toContain('"handle":"harbor_obs"');
    const price = text('user', 'MCP', { handle: 'harbor_obs', estimate: true }, null);
    expect(await post('/mcp', price)).toContain('"max_credits":1');
  });
});
