/** Follows docs/adding-a-pack.md to the letter in a copy of the tree, with the pack that the page adds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Copy, copyTree, editsOf, filesOf } from './applied-page.js';
import { ROOT } from './readme/markdown.js';

const SLOW_MS = 600_000;

let page: string;
let copy: Copy;
beforeAll(async () => {
  page = await readFile(join(ROOT, 'docs/adding-a-pack.md'), 'utf8');
  copy = await copyTree();
}, SLOW_MS);
afterAll(() => copy?.remove());

it('adds the pack and its tier when the page is followed, and a test leads to the rest', {
  timeout: SLOW_MS,
}, async () => {
  const files = filesOf(page);
  expect(files.length).toBeLessThanOrEqual(6);
  const [row, ...others] = editsOf(page);
  if (row === undefined) throw new Error('The page has no blocks.');
  await copy.apply(row);
  const led = 'test/interfaces/v1/packs.postgres.test.ts';
  expect(await copy.test(led)).toMatchObject({ ok: false, output: expect.stringContaining('enterprise') });
  for (const edit of others) {
    expect(files.map(({ file }) => file)).toContain(edit.file);
    await copy.apply(edit);
  }
  const then = await copy.test(led, 'test/pages/site.test.ts', 'test/engine/access/work-slots.test.ts');
  expect(then.ok, then.output).toBe(true);
  const tables = `import('./tools/docs/price-tables.ts').then(({ packsTable, tiersTable }) =>
    console.log(packsTable() + tiersTable()))`;
  const { output } = await copy.run('--import', 'tsx', '-e', tables);
  expect(output).toContain('| `enterprise` | 2,000 | 3,000,000 | 0.67 |');
  expect(output).toContain('| 2,000 | 200 |');
});
