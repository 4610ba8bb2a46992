/** docs/dependencies.md has a row for every package that runs in production or in the build, and none for others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codeIn, ROOT, readPage, tablesOf } from './readme/markdown.js';

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { dependencies, devDependencies, optionalDependencies, peerDependencies } = read('package.json');
const inProduction = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
const inBuild = Object.keys(read('app/build/package.json').dependencies);
const all = [...inProduction, ...inBuild, ...Object.keys(devDependencies)];

const rows = tablesOf(readPage('docs/dependencies.md'), 'Package').map(([name = '', ...cells]) => ({
  name: codeIn(name)[0] ?? '',
  cells,
}));
/** A row may stand for a family of packages: `@scope/*`. */
const isOf = (name: string, row: string): boolean =>
  row.endsWith('/*') ? name.startsWith(row.slice(0, -1)) : name === row;

it('has one row for every package that runs in production or in the build', () => {
  const documented = [...inProduction, ...inBuild].map((name) => ({
    name,
    rows: rows.filter((row) => isOf(name, row.name)).length,
  }));
  expect(documented.filter((each) => each.rows !== 1)).toEqual([]);
});

it('has only rows of packages that the project has', () => {
  expect(rows.filter((row) => !all.some((name) => isOf(name, row.name))).map(({ name }) => name)).toEqual([]);
});

it('says in every row what the package is for, who maintains it, and what would replace it', () => {
  expect(rows.filter(({ cells }) => cells.length !== 3 || cells.includes('')).map(({ name }) => name)).toEqual([]);
});
