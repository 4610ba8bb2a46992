import type { Line, Section, Spread } from './figures.js';

/** Three digits that say something; thousands apart. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const range = ({ min, max }: Spread): string => (min === max ? '' : `${shown(min)}–${shown(max)}`);

const HEADER = ['', 'median', 'min–max', '', 'ratio', 'min–max', 'to', 'goal'];

const cells = ({ name, unit, value, ratio, goal = '' }: Line): string[] => [
  name,
  shown(value.median),
  range(value),
  unit,
  ratio ? shown(ratio.median) : '',
  ratio ? range(ratio) : '',
  ratio?.of ?? '',
  goal,
];

const RIGHT = new Set([1, 2, 4, 5]);

/** A section as a table, to be read by people. */
export function tableOf({ letter, title, lines, notes }: Section): string {
  const rows = [HEADER, ...lines.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const text = rows.map((row) =>
    row
      .map((cell, column) =>
        RIGHT.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [`${letter}  ${title}`, ...text.map((line) => `   ${line}`), ...notes.map((note) => `   · ${note}`), ''].join(
    '\n',
  );
}
