/** Follows docs/adding-an-operator.md to the letter in a copy of the tree, with the operator that the page adds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Copy, copyTree, editsOf, filesOf } from './applied-page.js';
import { ROOT } from './readme/markdown.js';

const SLOW_MS = 600_000;

let page: string;
let copy: Copy;
beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/adding-an-operator.md'), 'utf8');
  copy = await copyTree();
}, SLOW_MS);
afterAll(() => copy?.remove());

it('adds the operator when the page is followed, and requires a new index', { timeout: SLOW_MS }, async () => {
  const files = filesOf(page);
  expect(files.length).toBeLessThanOrEqual(8);
  for (const edit of editsOf(page)) {
    expect(files.map(({ file }) => file)).toContain(edit.file);
    await copy.apply(edit);
  }
  const table = "import('./tools/docs/operators-table.ts').then(({ operatorsTable }) => console.log(operatorsTable()))";
  const { output } = await copy.run('--import', 'tsx', '-e', table);
  expect(output).toContain('| `min_views:10` | tweets with at least as many views | yes | - | - | - |');
  for (const file of ['test/networks/x/query.test.ts', 'test/networks/corpus/corpus-search.postgres.test.ts']) {
    const tested = await copy.test(file);
    expect(tested.ok, tested.output).toBe(true);
  }
  for (const { file } of files.filter(({ by }) => by === 'its failure')) {
    expect(await copy.test(file)).toMatchObject({ ok: false, output: expect.stringContaining('INDEX_VERSION') });
  }
});
