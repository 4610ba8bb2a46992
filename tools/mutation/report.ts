import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import { EXPLAINED, type Explained } from './explained.js';

/** A change and its result, with the fields that are used here. */
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

/** Noticed: a test failed, or the program did not end. */
const NOTICED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);

const wasNoticed = ({ status }: Mutant): boolean => NOTICED.has(status);

/** Code that runs while a file is loaded belongs to no test. */
export const wasLeftAsStatic = ({ status, statusReason }: Mutant): boolean =>
  status === 'Ignored' && /static/i.test(statusReason ?? '');

/** A position as in Stryker: lines from 1, columns from 0. */
export function placeOf({ fileName, location: { start, end } }: Mutant): string {
  return `${relative('', fileName)}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The original code at the position, on one line. */
export function originalOf({ fileName, location: { start, end } }: Mutant): string {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column - 1);
  lines[0] = (lines[0] ?? '').slice(start.column - 1);
  return oneLine(lines.join(' '));
}

/** The name of a node that may be in `EXPLAINED`: a class, a member, a function, or a constant of the file. */
function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const isConstant = ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);
  const isFunction = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node);
  const isMember =
    ts.isPropertyDeclaration(node) || (ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer));
  const isNamed = isConstant || isFunction || isMember || ts.isClassDeclaration(node);
  return isNamed ? node.name?.getText() : undefined;
}

/** All names in a file, qualified as in `Wallet.learn`, with where each begins and ends. */
export function namesIn(fileName: string): { readonly name: string; readonly from: number; readonly to: number }[] {
  const source = ts.createSourceFile(fileName, readFileSync(fileName, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: { name: string; from: number; to: number }[] = [];
  const visit = (node: ts.Node, around: string): void => {
    const own = nameOf(node);
    const name = own === undefined ? around : [around, own].filter(Boolean).join('.');
    if (own !== undefined) found.push({ name, from: node.getStart(source), to: node.end });
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(source, '');
  return found;
}

/** The innermost of these names around the position. */
function functionAt({ fileName, location: { start } }: Mutant): string {
  const before = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(0, start.line - 1);
  const at = before.reduce((sum, line) => sum + line.length + 1, start.column - 1);
  return namesIn(fileName).findLast(({ from, to }) => from <= at && at < to)?.name ?? '';
}

/** Changes of one kind in one function, explained if no more of them survive than `EXPLAINED` says. */
interface Group {
  readonly title: string;
  readonly rows: readonly Explained[];
  readonly survivors: readonly Mutant[];
}

function groupsOf(mutants: readonly Mutant[]): Group[] {
  const survivors = new Map<string, Mutant[]>();
  for (const mutant of mutants.filter((each) => isCounted(each) && !wasNoticed(each))) {
    const title = `${relative('', mutant.fileName)}: ${mutant.mutatorName} in ${functionAt(mutant)}`;
    survivors.set(title, [...(survivors.get(title) ?? []), mutant]);
  }
  const rows = new Map<string, Explained[]>();
  for (const file of new Set(mutants.map(({ fileName }) => relative('', fileName)))) {
    for (const row of EXPLAINED[file] ?? []) {
      const title = `${file}: ${row[1]} in ${row[0]}`;
      rows.set(title, [...(rows.get(title) ?? []), row]);
    }
  }
  const titles = [...new Set([...survivors.keys(), ...rows.keys()])];
  return titles.map((title) => ({ title, rows: rows.get(title) ?? [], survivors: survivors.get(title) ?? [] }));
}

const allowed = ({ rows }: Group): number => rows.reduce((sum, [, , , places = 1]) => sum + places, 0);
const isExplained = (group: Group): boolean => group.survivors.length <= allowed(group);
const isStale = (group: Group): boolean => group.survivors.length < allowed(group);

/** The changes that no test noticed and no row explains. */
export const unexplainedOf = (mutants: readonly Mutant[]): ReadonlySet<Mutant> =>
  new Set(groupsOf(mutants).flatMap((group) => (isExplained(group) ? [] : group.survivors)));

const isCounted = (mutant: Mutant): boolean => mutant.status !== 'Ignored' || wasLeftAsStatic(mutant);

/**
 * Prints the results of all changes; returns the exit code: 1 if a change survived unexplained, or if more changes are
 * explained than survive. `isWhole` means that these are all changes of their files.
 */
export function report(mutants: readonly Mutant[], { isWhole }: { readonly isWhole: boolean }): 0 | 1 {
  const groups = groupsOf(mutants);
  for (const group of groups.filter(({ survivors }) => survivors.length > 0)) {
    console.log(group.title);
    for (const mutant of group.survivors) {
      const { line, column } = mutant.location.start;
      const change = `- ${originalOf(mutant)}\n    + ${oneLine(mutant.replacement)}`;
      console.log(`  ${mutant.status} at ${line}:${column}\n    ${change}`);
    }
    console.log(isExplained(group) ? `  ${group.rows.map(([, , why]) => why).join('\n  ')}` : '  NOT EXPLAINED');
  }
  const stale = isWhole ? groups.filter(isStale) : [];
  for (const { title, survivors } of stale)
    console.log(`EXPLAINED WITHOUT NEED: ${title}, of which ${survivors.length} live`);
  const counted = mutants.filter(isCounted).length;
  const live = groups.flatMap(({ survivors }) => survivors).length;
  const unexplained = unexplainedOf(mutants).size;
  console.log(
    `${counted} changes: ${counted - live} noticed, ${live - unexplained} explained, ${unexplained} neither.`,
  );
  return unexplained > 0 || counted === 0 || stale.length > 0 ? 1 : 0;
}
