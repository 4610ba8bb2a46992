/** The page on invariants lists every invariant that is checked, the tests that check it, and the mutants. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants.js';
import { INVARIANTS } from './parts/invariants.js';

const ROOT = new URL('../../../', import.meta.url);
const PAGE = readFileSync(new URL('docs/invariants.md', ROOT), 'utf8');

/** The rows of the table that begins with this title. */
function rowsUnder(title: string): string[][] {
  const [, after = ''] = PAGE.split(`| ${title} |`);
  const [table = ''] = after.split('\n\n');
  return table
    .split('\n')
    .slice(2)
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
}

describe('docs/invariants.md', () => {
  it('has a row for each invariant, in their order', () => {
    expect(rowsUnder('Invariant').map(([name]) => name)).toEqual(INVARIANTS.map(({ name }) => name));
  });

  it('names tests that exist', () => {
    const files = [...PAGE.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(INVARIANTS.length);
    expect(files.filter((file) => !existsSync(new URL(file, ROOT)))).toEqual([]);
  });

  it('has a row for each mutant, naming an existing invariant', () => {
    const names = new Set(INVARIANTS.map(({ name }) => name));
    const mutants = Object.values(MUTANTS).map(({ name, breaks }) => [name, breaks]);
    expect(rowsUnder('Mutant')).toEqual(mutants);
    expect(mutants.filter(([, breaks = '']) => !names.has(breaks))).toEqual([]);
  });
});
