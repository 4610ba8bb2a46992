/** What the API reference offers to copy is compiled, parsed and run through a shell's parser, as those who copy it would. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiEntries } from '../../adapters/pages/docs/api/model.js';
import { ROOT } from '../docs/readme/markdown.js';
import { describedAt, OPTIONS } from '../interfaces/openapi/subject.js';

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

/** What the compiler says to a program of these files, against the sources of the client. */
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

describe('the samples of the API reference', () => {
  it('compile as TypeScript, every one; a wrong path does not', { timeout: 120_000 }, async () => {
    const files = Object.fromEntries(entries.map(({ id }) => [`${id}.ts`, sample(id, 'TypeScript')]));
    expect(await compile('all', files)).toBe('');
    const wrong = sample('user', 'TypeScript').replace('/v1/users/', '/v9/users/');
    expect(await compile('wrong', { 'wrong.ts': wrong })).toContain('wrong.ts(4,');
  });

  it('are commands that a shell can parse', { timeout: 60_000 }, async () => {
    const script = entries.map(({ id }) => sample(id, 'curl')).join('\n');
    await expect(run('sh', ['-n', '-c', script])).resolves.toBeDefined();
  });
});
