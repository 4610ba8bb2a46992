/** docs/security.md answers every requirement once, counts correctly, names existing files, and lists all that is open. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/config/settings.js';
import { codeIn, ROOT, tableOf } from './markdown.js';

const PAGE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const VERDICTS = ['met', 'partly', 'not met', 'not applicable'];

/** OWASP ASVS 5.0.0, levels 1 and 2: the sections and numbers of each chapter. */
const REQUIREMENTS: Readonly<Record<string, string>> = {
  V1: '1.1 1.2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 3.10 3.11 4.1 4.2 4.3 5.1 5.2',
  V2: '1.1 1.2 1.3 2.1 2.2 2.3 3.1 3.2 3.3 3.4 4.1',
  V3: '2.1 2.2 3.1 3.2 3.3 3.4 4.1 4.2 4.3 4.4 4.5 4.6 5.1 5.2 5.3 5.4 5.5 7.1 7.2',
  V4: '1.1 1.2 1.3 2.1 3.1 3.2 4.1 4.2 4.3 4.4',
  V5: '1.1 2.1 2.2 2.3 3.1 3.2 4.1 4.2 4.3',
  V6: '1.1 1.2 1.3 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 3.1 3.2 3.3 3.4 4.1 4.2 4.3 4.4 5.1 5.2 5.3 5.4 5.5 6.1 6.2 6.3 8.1 8.2 8.3 8.4',
  V7: '1.1 1.2 1.3 2.1 2.2 2.3 2.4 3.1 3.2 4.1 4.2 4.3 4.4 4.5 5.1 5.2 6.1 6.2',
  V8: '1.1 1.2 2.1 2.2 2.3 3.1 4.1',
  V9: '1.1 1.2 1.3 2.1 2.2 2.3 2.4',
  V10: '1.1 1.2 2.1 2.2 3.1 3.2 3.3 3.4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 4.11 5.1 5.2 5.3 5.4 5.5 6.1 6.2 7.1 7.2 7.3',
  V11: '1.1 1.2 2.1 2.2 2.3 3.1 3.2 3.3 4.1 4.2 4.3 4.4 5.1 6.1',
  V12: '1.1 1.2 1.3 2.1 2.2 3.1 3.2 3.3 3.4',
  V13: '1.1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 4.1 4.2 4.3 4.4 4.5',
  V14: '1.1 1.2 2.1 2.2 2.3 2.4 3.1 3.2 3.3',
  V15: '1.1 1.2 1.3 2.1 2.2 2.3 3.1 3.2 3.3 3.4 3.5 3.6 3.7',
  V16: '1.1 2.1 2.2 2.3 2.4 2.5 3.1 3.2 3.3 3.4 4.1 4.2 4.3 5.1 5.2 5.3',
  V17: '1.1 2.1 2.2 2.3 2.4 3.1 3.2',
};

const CHAPTERS = Object.entries(REQUIREMENTS).map(([chapter, numbers]) => ({
  chapter,
  ids: numbers.split(' ').map((number) => `${chapter.slice(1)}.${number}`),
}));

interface Row {
  readonly id: string;
  readonly text: string;
  readonly verdict: string;
  readonly how: string;
}

/** The content under each chapter's heading: its line of counts, and its table. */
const SECTIONS = PAGE.split(/^### (?=V\d+ )/m)
  .slice(1)
  .map((section) => ({
    chapter: /^V\d+/.exec(section)?.[0] ?? '',
    summary: /^\d+ requirements: .*$/m.exec(section)?.[0],
    rows: tableOf(section, 'Id').map(
      ([id = '', text = '', verdict = '', how = '']): Row => ({ id, text, verdict, how }),
    ),
  }));
const ROWS = SECTIONS.flatMap(({ rows }) => rows);

const count = (rows: readonly Row[], verdict: string): number => rows.filter((row) => row.verdict === verdict).length;

describe('the requirements', () => {
  it('have one row each, in their chapter', () => {
    const documented = SECTIONS.map(({ chapter, rows }) => ({ chapter, ids: rows.map(({ id }) => id) }));
    expect(documented).toEqual(CHAPTERS);
    expect(ROWS).toHaveLength(253);
  });

  it('have a few words each, one of four verdicts, and a reason', () => {
    expect(ROWS.filter(({ verdict }) => !VERDICTS.includes(verdict))).toEqual([]);
    expect(ROWS.filter(({ text }) => text === '' || text.split(/\s+/).length > 12)).toEqual([]);
    expect(ROWS.filter(({ how }) => how.length < 15)).toEqual([]);
  });

  it('name the file that shows a met or partly met requirement', () => {
    const shown = ROWS.filter(({ verdict }) => verdict === 'met' || verdict === 'partly');
    const onThisPage = (how: string): boolean => how.includes('on this page') || how.startsWith('Under ');
    expect(shown.filter(({ how }) => codeIn(how).length === 0 && !onThisPage(how)).map(({ id }) => id)).toEqual([]);
  });
});

describe('the counts', () => {
  it('are right for all and for each chapter, in the table at the top', () => {
    const documented = tableOf(PAGE, 'Chapter').map(([name = '', ...numbers]) => [
      name.split(' ')[0],
      ...numbers.map(Number),
    ]);
    const line = (name: string, rows: readonly Row[]) => [
      name,
      rows.length,
      ...['met', 'partly', 'not met', 'not applicable'].map((verdict) => count(rows, verdict)),
    ];
    expect(documented).toEqual([...SECTIONS.map(({ chapter, rows }) => line(chapter, rows)), line('All', ROWS)]);
  });

  it.each(SECTIONS)('are right in the line of $chapter', ({ summary, rows }) => {
    const parts = ['met', 'partly', 'not met', 'not applicable']
      .filter((verdict) => count(rows, verdict) > 0)
      .map((verdict) => `${count(rows, verdict)} ${verdict}`);
    expect(summary).toBe(`${rows.length} requirements: ${parts.join(', ')}.`);
  });
});

it('lists exactly the open requirements at the top, with what each would take', () => {
  const documented = tableOf(PAGE, 'Open').map(([what = '', verdict = '', need = '']) => {
    expect(need.length).toBeGreaterThan(15);
    return `${what}: ${verdict}`;
  });
  const open = ROWS.filter(({ verdict }) => verdict === 'not met' || verdict === 'partly');
  expect(documented.toSorted()).toEqual(open.map(({ id, text, verdict }) => `${id} ${text}: ${verdict}`).toSorted());
});

it('names existing files', () => {
  const paths = codeIn(PAGE).filter((code) => /^(?:[\w.-]+\/)+[\w.-]+$/.test(code));
  const atTheTop = codeIn(PAGE).filter((code) => /^(?:Dockerfile|\.?\w[\w-]*\.(?:json|md|yaml))$/.test(code));
  expect(new Set(paths).size).toBeGreaterThan(100);
  expect([...paths, ...atTheTop].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

it('names existing settings', () => {
  const named = codeIn(PAGE).filter((code) => /^[A-Z]+(?:_[A-Z]+)+$/.test(code));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in SETTINGS))).toEqual([]);
});

it('links to existing headings of the page', () => {
  const headings = [...PAGE.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
  const linked = [...PAGE.matchAll(/\]\(#([^)]+)\)/g)].map(([, place = '']) => place);
  expect(linked.length).toBeGreaterThan(8);
  expect(linked.filter((place) => !headings.includes(place))).toEqual([]);
});
