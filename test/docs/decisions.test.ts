/** Every rule that code, tests or docs cite by its id is a row of docs/decisions.md. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { readSources } from '../kit/sources.js';

const PAGE = readFileSync(new URL('../../docs/decisions.md', import.meta.url), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| ([A-Z]\d{1,2}) \|/gm)].map(([, id = '']) => id);
const LETTERS = [...new Set(ROWS.map((id) => id.charAt(0)))].join('');
const ID = new RegExp(`(?<![\\w./-])[${LETTERS}]\\d{1,2}(?![\\w.-])`, 'g');
/** In strings, where letters and digits may mean anything, rules are cited in brackets: "(M19)", "(L3, U57)". */
const IN_BRACKETS = new RegExp(`\\(([${LETTERS}]\\d{1,2}(?:, [${LETTERS}]\\d{1,2})*)\\)`, 'g');

interface Citation {
  readonly id: string;
  readonly path: string;
}

const idsIn = (text: string): string[] => text.match(ID) ?? [];

function citationsIn({ path, text }: { path: string; text: string }): Citation[] {
  const inComments = commentsOf(path, text).flatMap(idsIn);
  const inTexts = [...text.matchAll(IN_BRACKETS)].flatMap(([, ids = '']) => ids.split(', '));
  return [...inComments, ...inTexts].map((id) => ({ id, path }));
}

function commentsOf(path: string, text: string): string[] {
  if (path.endsWith('.md')) return [];
  if (path.endsWith('.sql')) return text.match(/--.*$/gm) ?? [];
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.JSX, text);
  const comments: string[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    const isComment = token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia;
    if (isComment) comments.push(scanner.getTokenText());
  }
  return comments;
}

describe('the page of decisions', () => {
  test('has each id once', () => {
    expect(ROWS.filter((id, index) => ROWS.indexOf(id) !== index)).toEqual([]);
  });

  test('says of each rule what was open, what was decided, and why', () => {
    const rows = PAGE.split('\n').filter((line) => /^\| [A-TV-Z]\d/.test(line));
    expect(rows.length).toBeGreaterThan(180);
    const short = rows.filter(
      (row) =>
        row
          .split('|')
          .slice(1, -1)
          .filter((cell) => cell.trim() !== '').length !== 4,
    );
    expect(short).toEqual([]);
  });

  test('has every rule that is cited', () => {
    const citations = [...readSources(), ...readSources(['docs']).filter(({ path }) => path !== 'docs/decisions.md')]
      .filter(({ path }) => /\.(?:ts|tsx|js|mjs|sql|md)$/.test(path) && path !== 'docs/security.md')
      .flatMap(citationsIn);
    expect(citations.length).toBeGreaterThan(400);
    const unresolved = citations.filter(({ id }) => !ROWS.includes(id));
    expect(unresolved.map(({ id, path }) => `${id} in ${path}`)).toEqual([]);
  });

  test('refers to its own rules only', () => {
    const cited = PAGE.split('\n').flatMap((line) => idsIn(line.replace(/^\| [A-Z]\d+ \|/, '')));
    expect(cited.filter((id) => !ROWS.includes(id))).toEqual([]);
  });
});
