/** What `npm run clients:suite -- --write` found, and the table that docs/clients.md shows of it. */
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
const read = (): Readonly<Record<string, Result>> => JSON.parse(readFileSync(FILE, 'utf8'));

/** Adds what a row came to on this Node; another version of the tool begins anew. */
export function record({ name }: Row, version: string, works: boolean): void {
  const results = read();
  const before = results[name]?.version === version && works ? results[name].node : [];
  const node = [...new Set([...before, Number.parseInt(process.versions.node, 10)])].sort((a, b) => a - b);
  const date = new Date().toISOString().slice(0, 10);
  const all = { ...results, [name]: { version, node, date, works } };
  const ordered = Object.fromEntries(ROWS.flatMap((row) => (all[row.name] ? [[row.name, all[row.name]]] : [])));
  writeFileSync(FILE, `${JSON.stringify(ordered, null, 2)}\n`);
}

export function toolsTable(): string {
  const results = read();
  const rows = ROWS.map(({ name, kind, needs }) => {
    const { version, node, date, works } = results[name] ?? {};
    const result = works === undefined ? 'not tried yet' : works ? 'works' : 'fails';
    return [name, kind, version ?? '', node?.join(', ') ?? '', date ?? '', result, needs];
  });
  return tableText(['Tool', 'Kind', 'Version', 'Node', 'Tried', 'Result', 'What to set'], rows);
}
