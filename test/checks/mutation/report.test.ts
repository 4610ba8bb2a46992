/** What the command says of changes that no test noticed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { EXPLAINED } from '../../../tools/mutation/explained.js';
import { type Mutant, originalOf, report } from '../../../tools/mutation/report.js';

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

function said(mutants: readonly Mutant[]): { code: number; text: string } {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  return { code: report(mutants), text: lines.join('\n') };
}

it('shows what stood in the place, on one line', () => {
  expect(originalOf(mutant())).toBe('one + two');
});

it.each(['Survived', 'NoCoverage', 'Pending'])('fails with a change that is %s and not explained', (status) => {
  const { code, text } = said([mutant({ status }), mutant({ status: 'Killed' })]);
  expect(code).toBe(1);
  expect(text).toContain('- one + two\n  + one - two\n  NOT EXPLAINED');
  expect(text).toContain('2 changes: 1 noticed, 0 explained, 1 neither.');
});

it('takes an explanation for as many places of its file as it is given for, and no more', () => {
  const row = EXPLAINED.find(({ file, places }) => file === 'src/read/entities.ts' && places === 2);
  const { original = '', replacement = '' } = row ?? {};
  const lines = readFileSync('src/read/entities.ts', 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes(original));
  const column = (lines[line]?.indexOf(original) ?? 0) + 1;
  const end = { line: line + 1, column: column + original.length };
  const survivor = mutant({
    fileName: 'src/read/entities.ts',
    replacement,
    location: { start: { ...end, column }, end },
  });
  const survivors = (count: number): Mutant[] => Array.from({ length: count }, () => ({ ...survivor }));
  expect(said(survivors(2))).toMatchObject({ code: 0 });
  const { code, text } = said(survivors(3));
  expect([code, text.split('\n').at(-1)]).toEqual([1, '3 changes: 0 noticed, 2 explained, 1 neither.']);
});

it.each(['Killed', 'Timeout'])('is content with what is %s', (status) => {
  expect(said([mutant({ status }), mutant({ status: 'Ignored' })])).toMatchObject({ code: 0 });
});

it('fails without any change: then nothing was tried', () => {
  expect(said([]).code).toBe(1);
});

it('every explanation says why, and names a file that there is', async () => {
  const { existsSync } = await import('node:fs');
  expect(EXPLAINED.filter(({ file, why }) => why.length < 20 || !existsSync(file))).toEqual([]);
});
