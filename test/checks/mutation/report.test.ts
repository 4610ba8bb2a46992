/** What the command reports about changes that no test noticed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { EXPLAINED } from '../../../tools/mutation/explained.js';
import { type Mutant, namesIn, originalOf, report } from '../../../tools/mutation/report.js';

let folder: string;
let fileName: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'perch-mutants-'));
  fileName = join(folder, 'code.ts');
  writeFileSync(fileName, 'const one = 1;\nconst both = one +\n  two;\n');
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const mutant = (given: Partial<Mutant> = {}): Mutant => ({
  ...{ fileName, replacement: 'one - two', mutatorName: 'ArithmeticOperator', status: 'Survived' },
  location: { start: { line: 2, column: 14 }, end: { line: 3, column: 6 } },
  ...given,
});

function said(mutants: readonly Mutant[], { isWhole = false } = {}): { code: number; text: string } {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  return { code: report(mutants, { isWhole }), text: lines.join('\n') };
}

it('shows the original code on one line', () => {
  expect(originalOf(mutant())).toBe('one + two');
});

it.each(['Survived', 'NoCoverage', 'Pending'])('fails for a change that is %s and not explained', (status) => {
  const { code, text } = said([mutant({ status }), mutant({ status: 'Killed' })]);
  expect(code).toBe(1);
  expect(text).toContain('- one + two\n    + one - two\n  NOT EXPLAINED');
  expect(text).toContain('2 changes: 1 noticed, 0 explained, 1 neither.');
});

const EXPLAINED_FILE = 'src/read/pages.ts';
const [name, mutatorName, why, places = 1] =
  EXPLAINED[EXPLAINED_FILE]?.find(([, , , count = 1]) => count > 1) ?? expect.fail('no such row');

/** Changes in the function that this row explains. */
const survivors = (count: number): Mutant[] => {
  const { from = 0 } = namesIn(EXPLAINED_FILE).find((each) => each.name === name) ?? {};
  const lines = readFileSync(EXPLAINED_FILE, 'utf8').slice(0, from).split('\n');
  const start = { line: lines.length, column: (lines.at(-1) ?? '').length + 2 };
  const survivor = mutant({ fileName: EXPLAINED_FILE, mutatorName, location: { start, end: start } });
  return Array.from({ length: count }, () => ({ ...survivor }));
};

it('accepts an explanation for the stated number of changes of its kind in its function, and no more', () => {
  const explained = said(survivors(places));
  expect(explained.code).toBe(0);
  expect(explained.text).toContain(why);
  const { code, text } = said(survivors(places + 1));
  expect([code, text.split('\n').at(-1)]).toEqual([
    1,
    `${places + 1} changes: 0 noticed, 0 explained, ${places + 1} neither.`,
  ]);
});

it('fails for an explanation of more changes than survive, once all changes of the file were tried', () => {
  expect(said(survivors(places - 1)).code).toBe(0);
  const { code, text } = said(survivors(places - 1), { isWhole: true });
  expect(code).toBe(1);
  expect(text).toContain(
    `EXPLAINED WITHOUT NEED: ${EXPLAINED_FILE}: ${mutatorName} in ${name}, of which ${places - 1} live`,
  );
});

it.each(['Killed', 'Timeout'])('accepts a change that is %s', (status) => {
  expect(said([mutant({ status }), mutant({ status: 'Ignored' })])).toMatchObject({ code: 0 });
});

it('fails without any change, because nothing was tried', () => {
  expect(said([]).code).toBe(1);
});

it.each(Object.entries(EXPLAINED))('explains changes in functions that %s has, and says why', (file, rows) => {
  const names = new Set(namesIn(file).map((each) => each.name));
  expect(rows.filter(([where, , reason]) => !names.has(where) || reason.length < 20)).toEqual([]);
});
