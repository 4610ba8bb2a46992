import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { readSources } from '../kit/sources.js';

interface Forbidden {
  readonly phrase: string;
  readonly where: readonly ('names' | 'comments' | 'texts' | 'files' | 'src files')[];
  readonly use: string;
}

interface Words {
  /** Identifiers split into words: `#sessionCookies` is `session cookies`. */
  readonly names: readonly string[];
  readonly comments: readonly string[];
  /** Comments and strings; for a document, its whole text. */
  readonly texts: readonly string[];
}

const GLOSSARY = readFileSync('docs/glossary.md', 'utf8');
const CHECKED = [
  'app',
  'src',
  'schema',
  'adapters',
  'demo',
  'docs',
  'test',
  'bench',
  'tools',
  'clients',
  '.ci',
] as const;
const SINGLE_FILES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'] as const;
const PRODUCTION = /^(?:app|src|schema|adapters|demo|docs)\//;

/**
 * Private words that an outsider would not understand, with what to write instead. `names`: in identifiers, split at
 * capitals; `files`: the whole name of a file; `comments`: in comments of code; `texts`: in comments, strings and documents.
 */
const FORBIDDEN: readonly Forbidden[] = [
  { phrase: 'errand', where: ['names', 'texts'], use: 'call context' },
  { phrase: 'trail', where: ['names'], use: 'call record' },
  { phrase: 'purse', where: ['names', 'texts'], use: 'spending limit' },
  { phrase: 'purses', where: ['names', 'texts'], use: 'wallet cache' },
  { phrase: 'crew', where: ['names', 'comments'], use: 'supervisor, workers' },
  { phrase: 'door', where: ['names'], use: 'session cookies' },
  { phrase: 'seat', where: ['names', 'comments'], use: 'server lease' },
  { phrase: 'lane', where: ['names', 'comments'], use: 'session worker; key of a pace' },
  { phrase: 'lanes', where: ['names', 'comments'], use: 'session workers' },
  { phrase: 'carrier', where: ['names', 'comments'], use: 'batch spec' },
  { phrase: 'carriers', where: ['names', 'comments'], use: 'batch specs' },
  { phrase: 'taker', where: ['names', 'comments'], use: 'consumer' },
  { phrase: 'crowd', where: ['names', 'comments'], use: 'job group' },
  { phrase: 'alarm', where: ['names'], use: 'timer' },
  { phrase: 'births', where: ['files'], use: 'creation times' },
  { phrase: 'wakes', where: ['names'], use: 'notifier' },
  { phrase: 'funded', where: ['names', 'comments'], use: 'loaded within budget, charged' },
  { phrase: 'at hand', where: ['names', 'comments'], use: 'cached' },
  { phrase: 'held page', where: ['names', 'comments'], use: 'cached page' },
  { phrase: 'held pages', where: ['names', 'comments'], use: 'page cache' },
  { phrase: 'held already', where: ['texts'], use: 'cached' },
  { phrase: 'whoever', where: ['comments'], use: 'the word for who it is: caller, operator, …' },
  { phrase: 'all held', where: ['names'], use: 'all cached' },
  { phrase: 'nobodys', where: ['names'], use: 'invalid' },
  { phrase: 'come by', where: ['comments'], use: 'obtained, read' },
  { phrase: 'none of ours', where: ['texts'], use: "unknown, not Perch's" },
  { phrase: 'of the house', where: ['comments'], use: 'demo, institution' },
  { phrase: 'words', where: ['files'], use: 'what they are: formats, option parsers, …' },
  { phrase: 'truth', where: ['files'], use: 'accounts, ledger' },
  { phrase: 'shared', where: ['src files'], use: 'a file for each thing' },
  { phrase: 'gone', where: ['files'], use: 'tombstones' },
  { phrase: 'held-pages', where: ['files'], use: 'page cache' },
  { phrase: 'within', where: ['files'], use: 'abortable, with timeout' },
  { phrase: 'fund', where: ['files'], use: 'load within budget' },
  { phrase: 'party', where: ['files'], use: 'waiters' },
  { phrase: 'places', where: ['files'], use: 'work slots' },
  { phrase: 'place', where: ['files'], use: 'destination' },
  { phrase: 'asked', where: ['files'], use: 'shutdown signals' },
  { phrase: 'orders', where: ['files'], use: 'messages' },
  { phrase: 'visit', where: ['files'], use: 'authenticated routes' },
  { phrase: 'done', where: ['files'], use: 'flash messages' },
  { phrase: 'reach', where: ['files'], use: 'attach or start' },
  { phrase: 'known', where: ['files'], use: 'without unknown' },
  { phrase: 'pairs', where: ['files'], use: 'token pairs' },
  { phrase: 'tidy', where: ['files'], use: 'maintenance' },
  { phrase: 'questions', where: ['files'], use: 'query limiter' },
  { phrase: 'brief', where: ['files'], use: 'locking transaction' },
  { phrase: 'part', where: ['files'], use: 'partition' },
  { phrase: 'ceiling', where: ['names', 'texts'], use: 'budget, bound' },
];

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

/** Finds all phrases of one kind at once. Parts are separated by a character that no phrase contains. */
function findIn(parts: readonly string[], forbidden: readonly Forbidden[]): Set<string> {
  const phrases = forbidden.map(({ phrase }) => phrase.replaceAll(' ', '\\s+'));
  const pattern = new RegExp(`(?<![a-z0-9])(?:${phrases.join('|')})(?![a-z0-9])`, 'gi');
  const found = phrases.length === 0 ? [] : (parts.join(' | ').match(pattern) ?? []);
  return new Set(found.map((text) => text.toLowerCase().replace(/\s+/g, ' ')));
}

/** The forbidden phrases in one file, as `path: "phrase" in …, rather: …`. */
function faultsIn(path: string, text: string, forbidden: readonly Forbidden[]): string[] {
  const words = wordsOf(path, text);
  const file = basename(path).replace(/(?:\.(?:tsx?|mjs|js|test|suite|md))+$/, '');
  const fault = ({ phrase, use }: Forbidden, place: string): string =>
    `${path}: "${phrase}" in ${place}, rather: ${use}`;
  const inside = (['names', 'comments', 'texts'] as const).flatMap((kind) => {
    // Identifiers of tests and benchmarks are free: a crowd of clients may be called one.
    const rows =
      kind === 'names' && !PRODUCTION.test(path) ? [] : forbidden.filter(({ where }) => where.includes(kind));
    const found = findIn(words[kind], rows);
    return rows.filter(({ phrase }) => found.has(phrase)).map((row) => fault(row, kind));
  });
  const isFile = ({ where }: Forbidden): boolean =>
    where.includes('files') || (where.includes('src files') && path.startsWith('src/'));
  const named = forbidden.filter((row) => isFile(row) && file === row.phrase);
  return [...inside, ...named.map((row) => fault(row, 'the name of the file'))];
}

test('has the words of the glossary in order, each once, and forbids none of them', () => {
  const words = [...GLOSSARY.matchAll(/^\| ([a-z ]+) \| .+ \|$/gm)].map(([, word]) => word);
  expect(words.length).toBeGreaterThan(30);
  expect(words.length).toBeLessThanOrEqual(40);
  expect(words).toEqual([...new Set(words)]);
  expect(words).toEqual([...words].sort());
  expect(words.filter((word) => FORBIDDEN.some(({ phrase }) => phrase === word))).toEqual([]);
});

test('code and documents use the words of the glossary', () => {
  const files = readSources(CHECKED).filter(({ path }) => /\.(?:tsx?|mjs|js|md|graphql)$/.test(path));
  const single = SINGLE_FILES.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
  const sources = [...files, ...single].filter(({ path }) => path !== 'test/docs/glossary.test.ts');
  expect(sources.length).toBeGreaterThan(400);
  expect(sources.flatMap(({ path, text }) => faultsIn(path, text, FORBIDDEN))).toEqual([]);
});

describe('finding forbidden words', () => {
  const forbidden: readonly Forbidden[] = [
    { phrase: 'errand', where: ['names', 'texts'], use: 'call context' },
    { phrase: 'at hand', where: ['comments'], use: 'cached' },
    { phrase: 'truth', where: ['files'], use: 'ledger' },
  ];

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

/** Idiom that reads like a translation, with plain words to use instead. Names are verb, object, condition. */
const IDIOM: readonly (readonly [pattern: RegExp, use: string])[] = [
  [/\b(?:told|tells)\b/i, 'returns, reports, says'],
  [/\b(?:goes|go|gone) on\b/i, 'continues, resumes'],
  [/\b(?:comes|came) to\b/i, 'is, becomes'],
  [/\b(?:is|are) none\b/i, 'does not exist, is invalid'],
  [/\b(?:whoever|somebody|anybody)\b/i, 'the caller, the owner, an account'],
  [/\bany more\b|\ball the same\b|\bmeanwhile\b/i, 'no longer, still, during …'],
  [/\bheld\b/i, 'cached, locked'],
  [/^(?:what|who|whom)\b/i, 'the thing itself as the subject'],
  [/\bis (?:asked|gone)\b/i, 'is requested, is deleted'],
];

/** The names of a file's tests: the first argument of `test`, `it`, `describe` and of calls on them. */
function testNamesIn(text: string): string[] {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ESNext, true);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:test|it|describe)\b/.test(node.expression.getText())) {
      const [name] = node.arguments;
      if (name !== undefined && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) {
        names.push(name.getText().slice(1, -1));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

test('names tests without translated idiom', () => {
  const names = readSources(['test']).flatMap(({ path, text }) =>
    /\.tsx?$/.test(path) ? testNamesIn(text).map((name) => ({ path, name })) : [],
  );
  const found = names.flatMap(({ path, name }) =>
    IDIOM.filter(([pattern]) => pattern.test(name)).map(([, use]) => `${path}: "${name}", rather: ${use}`),
  );
  expect(names.length).toBeGreaterThan(2_500);
  expect(found).toEqual([]);
});

test.each([
  ["it('is told to wait', () => {});", 1],
  ["describe('what is held', () => { test.each([1])('goes on with %d', () => {}); });", 2],
  ["it('charges half for a cached page', () => {}); const text = 'is told';", 0],
])('finds the idiom in %s', (text, count) => {
  expect(testNamesIn(text).filter((name) => IDIOM.some(([pattern]) => pattern.test(name)))).toHaveLength(count);
});
