/** Follows docs/adding-a-read.md to the letter in a copy of the tree, with the list that the page adds. */

import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIST_KINDS } from '../../src/domain/lists.js';
import { type Copy, copyTree, type Edit, editsOf, filesOf } from './applied-page.js';
import { ROOT } from './readme/markdown.js';

/** Enough on a machine that is busy with other things. */
const SLOW_MS = 600_000;
/** From these, all files are reached that distinguish lists: those of networks, the engine, the schema, interfaces, tests. */
const ROOTS = [
  ...['app/networks.ts', 'src/read/reads.ts', 'schema/index.ts', 'schema/operations.ts'],
  // The server, too, because what is mounted on it uses its declarations.
  ...['adapters/http/server.ts', 'adapters/rest/routes.ts', 'adapters/mcp/tools.ts', 'adapters/cli/export/lists.ts'],
  ...['test/rules/support/rows.ts', 'test/engine/read/chains.ts', 'test/networks/contract/suite.ts'],
];

/** Tests that go through every list. The page names none of them, because they need no change. */
const EVERY_LIST = [
  'test/cli/usage-errors.test.ts',
  'test/interfaces/mcp/answers.postgres.test.ts',
  'test/interfaces/mcp/clients/clients.postgres.test.ts',
  'test/interfaces/openapi/examples.test.ts',
  'test/networks/x/contract.test.ts',
];
const isTest = (file: string): boolean => file.endsWith('.test.ts');

let page: string;
let edits: readonly Edit[];
let copy: Copy;
let program: ts.Program | undefined;

beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/adding-a-read.md'), 'utf8');
  edits = editsOf(page);
  copy = await copyTree();
}, SLOW_MS);
afterAll(() => copy?.remove());

/** The files with compiler errors, among the given ones or all that the roots reach. */
function faulty(files?: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(copy.path, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ROOTS }, ts.sys, copy.path);
  const roots = [...ROOTS, ...(files ?? [])].map((path) => join(copy.path, path));
  program = ts.createProgram(roots, options, undefined, program);
  const { getSourceFile, getSourceFiles, getSemanticDiagnostics, getSyntacticDiagnostics } = program;
  const sources = files?.map((path) => getSourceFile(join(copy.path, path))) ?? getSourceFiles();
  return sources
    .filter((file) => file !== undefined && !file.isDeclarationFile)
    .filter((file) => getSyntacticDiagnostics(file).length + getSemanticDiagnostics(file).length > 0)
    .map((file) => relative(copy.path, file?.fileName ?? ''))
    .sort();
}

it('names at most ten files, and has a block for each of them', () => {
  const named = filesOf(page).map(({ file }) => file);
  expect(named.length).toBeLessThanOrEqual(10);
  expect(new Set(edits.map(({ file }) => file))).toEqual(new Set(named));
  expect(LIST_KINDS).not.toContain('mentions');
});

/** One test, because each part needs what the one before it has done. */
it('adds the list when the page is followed, and the compiler leads to every network', {
  timeout: SLOW_MS,
}, async () => {
  const [row, ...others] = edits;
  if (row === undefined) throw new Error('The page has no blocks.');
  await copy.apply(row);
  const led = filesOf(page).flatMap(({ file, by }) => (by === 'the compiler' ? [file] : []));
  expect(faulty()).toEqual(led.sort());
  for (const edit of others) await copy.apply(edit);
  expect(faulty(filesOf(page).map(({ file }) => file))).toEqual([]);
  const probe = await copy.run('--import', 'tsx', 'test/docs/list-probe.ts', 'mentions');
  expect(JSON.parse(probe.output)).toEqual({
    // One on the query, one on a user.
    sdl: 2,
    operation: true,
    statuses: [200, 400, 401, 402, 403, 404, 414, 429, 500, 503],
    tool: expect.stringMatching(/^Tweets that mention a user, newest first\. Costs 1 credit per item/),
    export: '/v1/users/7/mentions',
    read: { ids: ['13', '12'], goesOn: true, charged: 2000 },
    notServed: 'mentions',
  });
  const printed = await copy.run('--import', 'tsx', 'schema/print.ts');
  expect(printed.ok, printed.output).toBe(true);
  const tested = await copy.test(...edits.map(({ file }) => file).filter(isTest), ...EVERY_LIST);
  expect(tested.ok, tested.output).toBe(true);
});
