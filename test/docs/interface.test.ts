/** Sections that code, tests or pages cite are headings of docs/interface.md, and fields it calls required are required. */
import { describe, expect, it } from 'vitest';
import { fieldRows, SECTION_TWO, SILENT } from '../interfaces/openapi/section-two.js';
import { readSources } from '../kit/sources.js';
import { codeIn, readPage, tableOf } from './readme/markdown.js';

const PAGE = readPage('docs/interface.md');

interface Citation {
  /** Such as `8.1.5`. */
  readonly section: string;
  readonly path: string;
}

/** Finds "section 8.1.5", and "9.3" after a comma, but no sections of an RFC. */
function citationsIn({ path, text }: { path: string; text: string }): Citation[] {
  const found = text.matchAll(/(?<!RFC \d+,? )\b[Ss]ections? (\d(?:\.\d+)*(?:(?:, | and )\d(?:\.\d+)*(?![\w.]))*)/g);
  return [...found].flatMap(([, list = '']) => list.split(/, | and /).map((section) => ({ section, path })));
}

/** The text below a heading, down to the next one of its level. */
const below = (page: string, heading: RegExp, level: RegExp): string | undefined => {
  const start = heading.exec(page);
  if (!start) return undefined;
  const rest = page.slice(start.index + start[0].length);
  const end = rest.search(level);
  return end === -1 ? rest : rest.slice(0, end);
};

/** A section is `## 8. Limits`, a part of it `### 8.1 Rate limit`, and a part of that an item of its list. */
function isThere(section: string): boolean {
  const [first, second, third] = section.split('.');
  const whole = below(PAGE, new RegExp(`^## ${first}\\. .+$`, 'm'), /^## /m);
  if (whole === undefined || second === undefined) return whole !== undefined;
  const part = below(whole, new RegExp(`^### ${first}\\.${second} .+$`, 'm'), /^###? /m);
  return part !== undefined && (third === undefined || new RegExp(`^${third}\\. `, 'm').test(part));
}

const FOLDERS = ['app', 'src', 'schema', 'adapters', 'demo', 'clients', 'examples', 'test', 'bench', 'tools', 'docs'];
const CITING = [
  ...readSources(FOLDERS).filter(
    ({ path }) => /\.(?:ts|tsx|js|mjs|md|graphql|sql|py)$/.test(path) && !path.includes('node_modules'),
  ),
  { path: 'CHANGELOG.md', text: readPage('CHANGELOG.md') },
];

describe('the interface', () => {
  it('has every section that is cited', () => {
    const citations = CITING.flatMap(citationsIn);
    expect(citations.length).toBeGreaterThan(60);
    expect(citations.filter(({ section }) => !isThere(section))).toEqual([]);
  });

  it('numbers its sections in sequence, and lists them in its contents', () => {
    const headings = [...PAGE.matchAll(/^## (\d+)\. (.+)$/gm)].map(([, number, title]) => `${number}. ${title}`);
    expect(headings.map((heading) => Number.parseInt(heading, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const contents = [...PAGE.matchAll(/^(\d+)\. \[(.+)\]\(#/gm)].map(([, number, title]) => `${number}. ${title}`);
    expect(contents).toEqual(headings);
  });

  it('lists the fields that are always present', () => {
    const documented = tableOf(PAGE, 'Object').map(([name = '', fields = '']) => [name, codeIn(fields)]);
    const required = Object.entries(SECTION_TWO)
      .filter(([name]) => !SILENT.includes(name))
      .map(([name, table]) => [name, fieldRows(table).flatMap((row) => (row.required ? [row.name] : []))]);
    expect(documented).toEqual(required);
  });
});
