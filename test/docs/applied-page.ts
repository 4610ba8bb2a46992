/** Follows a page that says how to change the code, in a copy of the tree. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { codeIn, ROOT, tableOf } from './readme/markdown.js';

export interface Edit {
  readonly file: string;
  readonly where: 'before' | 'after' | 'instead of';
  readonly line: string;
  readonly block: string;
}

/** Finds each "In `file`, after `line`:" with the block below it, in the order of the page. */
export function editsOf(page: string): Edit[] {
  const pattern = /^In `([^`]+)`, (before|after|instead of) `([^`]+)`:\n\n```ts\n(.*?)^```$/gms;
  return [...page.matchAll(pattern)].map(([, file = '', where, line = '', block = '']) => ({
    file,
    where: where as Edit['where'],
    line,
    block,
  }));
}

/** The files that a page's table names, and what leads to each. */
export const filesOf = (page: string): { readonly file: string; readonly by: string }[] =>
  tableOf(page, 'File').map(([file = '', , by = '']) => ({ file: codeIn(file)[0] ?? '', by }));

/** The folders and files of the copy: those that tests in one process and their database need. */
const COPIED = [
  'adapters',
  'app',
  'clients',
  'demo',
  'docs',
  'schema',
  'src',
  'test',
  'tools',
  'CHANGELOG.md',
  'LICENSE',
  'compose.yaml',
  'README.md',
  'package.json',
  'tsconfig.json',
];

const isSource = (path: string): boolean => !/\/(?:node_modules|fixtures|recordings)$/.test(path);

export interface Copy {
  readonly path: string;
  apply(edit: Edit): Promise<void>;
  /** Runs Node with these arguments, and returns its standard output; `ok` is false if it fails. */
  run(...words: readonly string[]): Promise<{ readonly ok: boolean; readonly output: string }>;
  /** The same for the tests in these files. */
  test(...files: readonly string[]): Promise<{ readonly ok: boolean; readonly output: string }>;
  remove(): Promise<void>;
}

export async function copyTree(): Promise<Copy> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'perch-page-')));
  for (const name of COPIED) await cp(join(ROOT, name), join(path, name), { recursive: true, filter: isSource });
  const packages = await realpath(join(ROOT, 'node_modules'));
  await symlink(packages, join(path, 'node_modules'));
  const run: Copy['run'] = (...words) =>
    new Promise((resolve) => {
      // Must not count as part of the run that this test is in.
      const env = Object.fromEntries(
        Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV)/.test(name)),
      );
      execFile(process.execPath, words, { cwd: path, env }, (error, stdout, stderr) =>
        resolve({ ok: error === null, output: error === null ? stdout : stdout + stderr }),
      );
    });
  return {
    path,
    run,
    test: (...files) =>
      run(
        join(packages, 'vitest/vitest.mjs'),
        'run',
        '--config',
        'test/vitest.config.ts',
        ...[...new Set(files.map(projectOf))].map((project) => `--project=${project}`),
        ...files,
      ),
    async apply({ file, where, line, block }) {
      const edited = join(path, file);
      const lines = (await readFile(edited, 'utf8')).split('\n');
      const at = lines.findIndex((each) => each.trim() === line);
      expect([file, line, at, lines.filter((each) => each.trim() === line).length]).toEqual([file, line, at, 1]);
      const from = where === 'after' ? at + 1 : at;
      lines.splice(from, where === 'instead of' ? 1 : 0, ...block.replace(/\n$/, '').split('\n'));
      await writeFile(edited, lines.join('\n'));
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

const projectOf = (file: string): string => (file.endsWith('.postgres.test.ts') ? 'postgres' : 'unit');
