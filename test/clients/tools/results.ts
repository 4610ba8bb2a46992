/** The results of `npm run clients:suite -- --write`, and the table of them in docs/clients.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tableText } from '../../../tools/docs/parts.js';
import { ROWS, type Row } from './rows.js';

interface Result {
  readonly version: string;
  /** Major versions of Node, and when it was last tried on one of them. */
  readonly node: readonly number[];
  readonly date: string;
  readonly works: boolean;
}

const FILE = new URL('results.json', import.meta.url);
export const readResults = (): Readonly<Record<string, Result>> => JSON.parse(readFileSync(FILE, 'utf8'));

/** The version of a package in the lockfile of its room; undefined for a program on the machine. */
export function lockedVersion({ from, room }: Row): string | undefined {
  if (!('package' in from)) return undefined;
  const { packages } = JSON.parse(readFileSync(new URL(`room/${room}/package-lock.json`, import.meta.url), 'utf8'));
  return packages[`node_modules/${from.package}`].version;
}

/** Records the result of a row on this Node. Results of another version of the tool are dropped. */
export function record({ name }: Row, version: string, works: boolean): void {
  const results = readResults();
  const before = results[name]?.version === version && works ? results[name].node : [];
  const node = [...new Set([...before, Number.parseInt(process.versions.node, 10)])].sort((a, b) => a - b);
  const date = new Date().toISOString().slice(0, 10);
  const all = { ...results, [name]: { version, node, date, works } };
  const ordered = Object.fromEntries(ROWS.flatMap((row) => (all[row.name] ? [[row.name, all[row.name]]] : [])));
  writeFileSync(FILE, `${JSON.stringify(ordered, null, 2)}\n`);
}

export function toolsTable(): string {
  const results = readResults();
  const rows = ROWS.map(({ name, kind, needs }) => {
    const { version, node, date, works } = results[name] ?? {};
    const result = works === undefined ? 'not tried yet' : works ? 'works' : 'fails';
    return [name, kind, version ?? '', node?.join(', ') ?? '', date ?? '', result, needs];
  });
  return tableText(['Tool', 'Kind', 'Version', 'Node', 'Tried', 'Result', 'What to set'], rows);
}
