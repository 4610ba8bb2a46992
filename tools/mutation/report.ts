import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { EXPLAINED } from './explained.js';

/** A change and what became of it, as far as it is told. */
export interface Mutant {
  readonly fileName: string;
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
  readonly replacement: string;
  readonly mutatorName: string;
  readonly status: string;
  readonly statusReason?: string | undefined;
}

/** Noticed: a test failed, or the program did not come to an end. */
const NOTICED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);

const wasNoticed = ({ status }: Mutant): boolean => NOTICED.has(status);

/** What happens as the code is loaded belongs to no test. */
export const wasLeftAsStatic = ({ status, statusReason }: Mutant): boolean =>
  status === 'Ignored' && /static/i.test(statusReason ?? '');

/** The place as Stryker takes it: lines from 1, columns from 0. */
export function placeOf({ fileName, location: { start, end } }: Mutant): string {
  return `${relative('', fileName)}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

/** What stood in the place, on one line. */
export function originalOf({ fileName, location: { start, end } }: Mutant): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return lines.join(' ').replaceAll(/\s+/g, ' ').trim();
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/**
 * The changes that no test noticed, each with the reason for that if it is explained. A reason is good for as many places
 * of its file as it is given for, and no more.
 */
export function survivorsOf(mutants: readonly Mutant[]): Map<Mutant, string | undefined> {
  const left = new Map(EXPLAINED.map((row) => [row, row.places ?? 1]));
  const survivors = mutants.filter((mutant) => isCounted(mutant) && !wasNoticed(mutant));
  return new Map(
    survivors.map((mutant) => {
      const { file, original, replacement } = changeOf(mutant);
      const row = EXPLAINED.find(
        (each) =>
          each.file === file && each.original === original && each.replacement === replacement && left.get(each),
      );
      if (row !== undefined) left.set(row, (left.get(row) ?? 0) - 1);
      return [mutant, row?.why];
    }),
  );
}

const isCounted = (mutant: Mutant): boolean => mutant.status !== 'Ignored' || wasLeftAsStatic(mutant);

const changeOf = (mutant: Mutant) => ({
  file: relative(process.cwd(), mutant.fileName),
  original: originalOf(mutant),
  replacement: oneLine(mutant.replacement),
});

/** Prints what became of all changes; returns the exit code: 1 if a change was noticed by no test and is not explained. */
export function report(mutants: readonly Mutant[]): 0 | 1 {
  const survivors = survivorsOf(mutants);
  for (const [mutant, why] of survivors) {
    const { file, original, replacement } = changeOf(mutant);
    const { line, column } = mutant.location.start;
    console.log(`${mutant.status} ${file}:${line}:${column} ${mutant.mutatorName}`);
    console.log(`  - ${original}\n  + ${replacement}\n  ${why ?? 'NOT EXPLAINED'}`);
  }
  const counted = mutants.filter(isCounted).length;
  const unexplained = [...survivors.values()].filter((why) => why === undefined).length;
  const [noticed, explained] = [counted - survivors.size, survivors.size - unexplained];
  console.log(`${counted} changes: ${noticed} noticed, ${explained} explained, ${unexplained} neither.`);
  return unexplained > 0 || counted === 0 ? 1 : 0;
}
