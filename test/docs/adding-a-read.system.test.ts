/** docs/adding-a-read.md is done as it is written, in a copy of the tree, with the list that it adds. */

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIST_KINDS } from '../../src/domain/lists.js';
import { codeIn, ROOT, tableOf } from './readme/markdown.js';

interface Edit {
  readonly file: string;
  readonly where: 'before' | 'after' | 'instead of';
  readonly line: string;
  readonly block: string;
}

const run = promisify(execFile);
/** On a machine that does other things, too. */
const SLOW_MS = 600_000;
/** What the copy is made of: the interfaces, the networks, and what tests need of a network in memory. */
const COPIED = ['adapters', 'app', 'demo', 'schema', 'src', 'test', 'package.json', 'tsconfig.json'];
/** From these every file is reached in which lists are told apart: by networks, the engine, the schema, interfaces, tests. */
const ROOTS = [
  ...['app/networks.ts', 'src/read/reads.ts', 'schema/index.ts', 'schema/operations.ts'],
  // The server, too: what it declares of itself is used by what is mounted on it.
  ...['adapters/http/server.ts', 'adapters/rest/routes.ts', 'adapters/mcp/tools.ts', 'adapters/cli/export/lists.ts'],
  ...['test/rules/support/rows.ts', 'test/engine/read/chains.ts', 'test/networks/contract/suite.ts'],
];

let page: string;
let edits: readonly Edit[];
let copy: string;
let program: ts.Program | undefined;

beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/adding-a-read.md'), 'utf8');
  edits = editsOf(page);
  copy = await realpath(await mkdtemp(join(tmpdir(), 'perch-list-')));
  for (const name of COPIED) await cp(join(ROOT, name), join(copy, name), { recursive: true, filter: isSource });
  await symlink(await realpath(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
});
afterAll(() => rm(copy, { recursive: true, force: true }));

const isSource = (path: string): boolean => !/\/(?:node_modules|fixtures|recordings)$/.test(path);

/** "In `file`, after `line`:" and the block below it, in the order of the page. */
function editsOf(text: string): Edit[] {
  const pattern = /^In `([^`]+)`, (before|after|instead of) `([^`]+)`:\n\n```ts\n(.*?)^```$/gms;
  return [...text.matchAll(pattern)].map(([, file = '', where, line = '', block = '']) => ({
    file,
    where: where as Edit['where'],
    line,
    block,
  }));
}

async function apply({ file, where, line, block }: Edit): Promise<void> {
  const path = join(copy, file);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const at = lines.findIndex((each) => each.trim() === line);
  expect([file, line, at, lines.filter((each) => each.trim() === line).length]).toEqual([file, line, at, 1]);
  const from = where === 'after' ? at + 1 : at;
  lines.splice(from, where === 'instead of' ? 1 : 0, ...block.replace(/\n$/, '').split('\n'));
  await writeFile(path, lines.join('\n'));
}

/** Of some files, or of all that the roots reach, those that the compiler finds fault with. */
function faulty(files?: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(copy, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ROOTS }, ts.sys, copy);
  const roots = [...ROOTS, ...(files ?? [])].map((path) => join(copy, path));
  program = ts.createProgram(roots, options, undefined, program);
  const { getSourceFile, getSourceFiles, getSemanticDiagnostics, getSyntacticDiagnostics } = program;
  const asked = files?.map((path) => getSourceFile(join(copy, path))) ?? getSourceFiles();
  return asked
    .filter((file) => file !== undefined && !file.isDeclarationFile)
    .filter((file) => getSyntacticDiagnostics(file).length + getSemanticDiagnostics(file).length > 0)
    .map((file) => relative(copy, file?.fileName ?? ''))
    .sort();
}

const rows = () => tableOf(page, 'File').map(([file = '', , by = '']) => ({ file: codeIn(file)[0] ?? '', by }));

it('names at most ten files, and has a block for each of them', () => {
  const named = rows().map(({ file }) => file);
  expect(named.length).toBeLessThanOrEqual(10);
  expect(new Set(edits.map(({ file }) => file))).toEqual(new Set(named));
  expect(LIST_KINDS).not.toContain('mentions');
});

/** Given one after the other: what is tried below needs what was done above. */
it('done as it is written, the compiler leads to every network, and then the list is there', {
  timeout: SLOW_MS,
}, async () => {
  const [row, ...others] = edits;
  if (row === undefined) throw new Error('The page has no blocks.');
  await apply(row);
  const led = rows().flatMap(({ file, by }) => (by === 'the compiler' ? [file] : []));
  expect(faulty()).toEqual(led.sort());
  for (const edit of others) await apply(edit);
  expect(faulty(rows().map(({ file }) => file))).toEqual([]);
  const { stdout } = await run('node', ['--import', 'tsx', 'test/docs/list-probe.ts', 'mentions'], { cwd: copy });
  expect(JSON.parse(stdout)).toEqual({
    // Of the query and of a user.
    sdl: 2,
    operation: true,
    statuses: [200, 400, 401, 402, 403, 404, 414, 429, 500, 503],
    tool: expect.stringMatching(/^Tweets that mention a user, newest first\. Costs 1 credit per item/),
    export: '/v1/users/7/mentions',
    read: { ids: ['13', '12'], goesOn: true, charged: 2000 },
    notServed: 'mentions',
  });
});
