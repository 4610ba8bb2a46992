import type { Line, Section, Spread } from './figures.js';

/** Three significant digits, with thousands separated. */
function shown(value: number | undefined): string {
  if (value === undefined) return '';
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const range = (spread: Spread | undefined): string =>
  spread === undefined || spread.min === spread.max ? '' : `${shown(spread.min)}–${shown(spread.max)}`;

interface Column {
  readonly title: string;
  readonly isFigure: boolean;
  readonly cell: (line: Line) => string;
}

const figure = (title: string, cell: Column['cell']): Column => ({ title, isFigure: true, cell });
const text = (title: string, cell: Column['cell']): Column => ({ title, isFigure: false, cell });

const COLUMNS: readonly Column[] = [
  text('', ({ name }) => name),
  figure('median', ({ value }) => shown(value.median)),
  figure('min–max', ({ value }) => range(value)),
  text('', ({ unit }) => unit),
  figure('CPU µs', ({ costs }) => shown(costs?.cpu.median)),
  figure('Postgres µs', ({ costs }) => shown(costs?.postgres.median)),
  figure('p50 ms', ({ costs }) => shown(costs?.p50Ms.median)),
  figure('p99 ms', ({ costs }) => shown(costs?.p99Ms.median)),
  figure('generator', ({ costs }) => shown(costs?.generator.median)),
  figure('ratio', ({ ratio }) => shown(ratio?.median)),
  figure('min–max', ({ ratio }) => range(ratio)),
  figure('p99 ratio', ({ p99Ratio }) => shown(p99Ratio?.median)),
  figure('min–max', ({ p99Ratio }) => range(p99Ratio)),
  text('to', ({ ratio }) => ratio?.of ?? ''),
  text('goal', ({ goal = '' }) => goal),
];

/** The columns in which at least one of these lines has a value. */
const columnsOf = (lines: readonly Line[]): Column[] => COLUMNS.filter(({ cell }) => lines.some((line) => cell(line)));

/** A section as a table for people. */
export function tableOf({ letter, title, lines, notes }: Section): string {
  const columns = columnsOf(lines);
  const rows = [columns.map(({ title }) => title), ...lines.map((line) => columns.map(({ cell }) => cell(line)))];
  const widths = columns.map((_, nth) => Math.max(...rows.map((row) => row[nth]?.length ?? 0)));
  const texts = rows.map((row) =>
    row
      .map((cell, nth) => (columns[nth]?.isFigure ? cell.padStart(widths[nth] ?? 0) : cell.padEnd(widths[nth] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [`${letter}  ${title}`, ...texts.map((line) => `   ${line}`), ...notes.map((note) => `   · ${note}`), ''].join(
    '\n',
  );
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ');

/** All sections as one table per letter, as in `docs/performance.md`, then all notes, each once. */
export function markdownOf(sections: readonly Section[]): string {
  const letters = [...new Set(sections.map(({ letter }) => letter))];
  return letters
    .map((letter) => {
      const own = sections.filter((section) => section.letter === letter);
      const columns = columnsOf(own.flatMap(({ lines }) => lines));
      const notes = new Set(own.flatMap(({ notes }) => notes));
      return [
        `### ${letter}`,
        '',
        rowOf(columns.map(({ title }) => title)),
        rowOf(columns.map(({ isFigure }) => (isFigure ? '--:' : '---'))),
        ...own.flatMap(({ title, lines }) => [
          rowOf(columns.map((_, nth) => (nth === 0 ? `**${title}**` : ''))),
          ...lines.map((line) => rowOf(columns.map(({ cell }) => cell(line)))),
        ]),
        '',
        ...[...notes].map((note) => `- ${note}`),
        ...(notes.size > 0 ? [''] : []),
      ].join('\n');
    })
    .join('\n');
}
