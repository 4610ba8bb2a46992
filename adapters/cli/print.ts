import { figure } from '../../src/domain/figures.js';

/** Standard output contains only the result; all other messages go to standard error. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** The result of a command: JSON on one line for programs, otherwise text. */
export function answer(result: object, json: boolean | undefined, words: () => string): void {
  print(json === true ? JSON.stringify(result) : words());
}

/** Names and values in two columns; rows without a value are left out. */
export function facts(rows: readonly (readonly [name: string, value: string | number | null])[]): string {
  const shown = rows.filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** Rows under a header; columns are as wide as their widest cell. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [header, ...rows].map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (cell: string, column: number, line: number): string => {
    const isNumber = typeof rows[Math.max(line - 1, 0)]?.[column] === 'number';
    return isNumber ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  };
  return lines
    .map((line, index) =>
      line
        .map((cell, column) => pad(cell, column, index))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
