import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { readSources } from '../support/sources.js';

interface Forbidden {
  readonly phrase: string;
  readonly where: readonly string[];
  readonly use: string;
}

interface Words {
  /** Identifiers taken apart: `#sessionCookies` is `session cookies`. */
  readonly names: readonly string[];
  readonly comments: readonly string[];
  /** Comments and strings; of a document, all of it. */
  readonly texts: readonly string[];
}

const GLOSSARY = readFileSync('docs/glossary.md', 'utf8');
const CHECKED = ['app', 'src', 'schema', 'adapters', 'docs'] as const;
/** The invented posts of the demo network are no words of ours. */
const PROSE = /\/corpus\/demo\/vocabulary\//;

/** The rows of the table of forbidden words. */
function forbiddenIn(glossary: string): Forbidden[] {
  const [, table = ''] = glossary.split('## Not used here');
  return [...table.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)]
    .map(([, phrase = '', where = '', use = '']) => ({ phrase: phrase.toLowerCase(), where: where.split(', '), use }))
    .filter(({ phrase }) => phrase !== 'not');
}

const apart = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();

function wordsOf(path: string, text: string): Words {
  if (!/\.tsx?$/.test(path)) return { names: [], comments: [], texts: [text] };
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const names = new Set<string>();
  const strings: string[] = [];
  const code: string[] = [];
  let end = 0;
  const cut = (node: ts.Node): void => {
    code.push(text.slice(end, node.getStart()));
    end = node.getEnd();
    strings.push(node.getText());
  };
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(apart(node.text));
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node);
    if (isText || ts.isJsxText(node)) cut(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  code.push(text.slice(end));
  const comments = [...code.join('').matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map(([comment]) =>
    comment.replace(/\s+\*?\s*/g, ' '),
  );
  return { names: [...names], comments, texts: [...comments, ...strings] };
}

/** Finds the phrases of one kind, all at once. Names, comments and texts are divided by a sign that no phrase has. */
function findIn(parts: readonly string[], forbidden: readonly Forbidden[]): Set<string> {
  const phrases = forbidden.map(({ phrase }) => phrase.replaceAll(' ', '\\s+'));
  const pattern = new RegExp(`(?<![a-z0-9])(?:${phrases.join('|')})(?![a-z0-9])`, 'gi');
  const found = phrases.length === 0 ? [] : (parts.join(' | ').match(pattern) ?? []);
  return new Set(found.map((text) => text.toLowerCase().replace(/\s+/g, ' ')));
}

/** What is found in one file, as `path: phrase (use …) in …`. */
function faultsIn(path: string, text: string, forbidden: readonly Forbidden[]): string[] {
  const words = wordsOf(path, text);
  const file = basename(path).replace(/(?:\.(?:tsx?|mjs|js|test|suite|md))+$/, '');
  const fault = ({ phrase, use }: Forbidden, place: string): string =>
    `${path}: "${phrase}" in ${place}, rather: ${use}`;
  const inside = (['names', 'comments', 'texts'] as const).flatMap((kind) => {
    const rows = forbidden.filter(({ where }) => where.includes(kind));
    const found = findIn(words[kind], rows);
    return rows.filter(({ phrase }) => found.has(phrase)).map((row) => fault(row, kind));
  });
  const isFile = ({ where }: Forbidden): boolean =>
    where.includes('files') || (where.includes('src files') && path.startsWith('src/'));
  const named = forbidden.filter((row) => isFile(row) && file === row.phrase);
  return [...inside, ...named.map((row) => fault(row, 'the name of the file'))];
}

const FORBIDDEN = forbiddenIn(GLOSSARY);

test('the glossary has its words in order, each once, and forbids none that it explains', () => {
  const [explained = ''] = GLOSSARY.split('## Not used here');
  const words = [...explained.matchAll(/^\| ([a-z ]+) \| .+ \|$/gm)].map(([, word]) => word);
  expect(words.length).toBeGreaterThan(40);
  expect(words).toEqual([...new Set(words)]);
  expect(words).toEqual([...words].sort());
  expect(words.filter((word) => FORBIDDEN.some(({ phrase }) => phrase === word))).toEqual([]);
  expect(FORBIDDEN.length).toBeGreaterThan(30);
  const places = ['names', 'comments', 'texts', 'files', 'src files'];
  expect(FORBIDDEN.flatMap(({ where }) => where).filter((where) => !places.includes(where))).toEqual([]);
});

test('code and documents use the words of the glossary', () => {
  const files = readSources(CHECKED).filter(
    ({ path }) => /\.(?:tsx?|mjs|js|md|graphql)$/.test(path) && !PROSE.test(path),
  );
  const readme = { path: 'README.md', text: readFileSync('README.md', 'utf8') };
  const sources = [...files, readme].filter(({ path }) => path !== 'docs/glossary.md');
  expect(sources.length).toBeGreaterThan(400);
  expect(sources.flatMap(({ path, text }) => faultsIn(path, text, FORBIDDEN))).toEqual([]);
});

describe('finding forbidden words', () => {
  const forbidden = forbiddenIn(
    '## Not used here\n| errand | names, texts | call context |\n| at hand | comments | cached |\n| truth | files | ledger |\n',
  );

  test.each([
    ['src/a.ts', 'export class MyErrand {}', ['names']],
    ['src/a.ts', 'class A { #errand = 1; }', ['names']],
    ['src/a.ts', 'const errands = 1;', []],
    ['src/a.ts', '/** What is at\n * hand. */\nconst a = 1;', ['comments']],
    ['src/a.ts', "const url = 'http://at hand';", []],
    ['src/a.ts', "throw new Error('The errand failed.');", ['texts']],
    ['src/truth.ts', '', ['the name of the file']],
    ['docs/a.md', 'An errand.', ['texts']],
  ])('%s with %j', (path, text, places) => {
    expect(faultsIn(path, text, forbidden).map((fault) => /in (.*),/.exec(fault)?.[1])).toEqual(places);
  });
});
