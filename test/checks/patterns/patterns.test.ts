/** Every regular expression in the code takes at most linear time in its text. */
import { describe, expect, test } from 'vitest';
import { isCode, readSources, type Source } from '../../kit/sources.js';
import { BUILT } from './built-patterns.js';
import { patternsOf } from './find-patterns.js';
import { slowPatterns } from './slow-patterns.js';

/** All code that runs in the service, on an operator's or a customer's machine, or in a browser. */
const CODE = readSources(['app', 'src', 'schema', 'adapters', 'demo', 'clients', 'examples'])
  .filter(isCode)
  .filter(({ path }) => !path.includes('/node_modules/'));

const file = (text: string, path = 'planted.ts'): Source => ({ path, text });
const slowIn = (source: Source): Promise<string[]> => slowPatterns(patternsOf(source).written);

describe('in all of the code', () => {
  const found = CODE.map(patternsOf);

  test('every pattern is linear', async () => {
    const written = found.flatMap((patterns) => patterns.written);
    expect(written.length).toBeGreaterThan(200);
    expect(await slowPatterns(written)).toEqual([]);
  }, 600_000);

  test('every pattern that is built when the code runs has a row, and is linear', async () => {
    const built = found.flatMap((patterns) => patterns.built);
    expect(built.map(({ path, expression }) => `${path}: ${expression}`).sort()).toEqual(
      BUILT.map(({ path, expression }) => `${path}: ${expression}`).sort(),
    );
    const like = BUILT.flatMap(({ path, like }) => like.map((source) => ({ source, flags: '', at: path })));
    expect(await slowPatterns(like)).toEqual([]);
  }, 180_000);
});

describe('the check finds', () => {
  test('a quadratic pattern that restarts at every position', async () => {
    const [found] = await slowIn(file('const hasKey = (url) => /[?&][^=]+=perch_live_/.test(url);'));
    expect(found).toMatch(/^planted\.ts:1 .*: 2nd degree polynomial, for example /);
  });

  test('a pattern that starts with more than one character', async () => {
    expect(await slowIn(file(String.raw`text.replaceAll(/<style>[\s\S]*?<\/style>/g, '')`))).toHaveLength(1);
  });

  test('an exponential pattern that tries every way to divide the text', async () => {
    const [found] = await slowIn(file('\n\nexport const NAME = /^(\\w+\\s?)*$/u;'));
    expect(found).toMatch(/^planted\.ts:3 .*: exponential, for example /);
  });

  test.each([
    ['new RegExp of one text', "const SLOW = new RegExp('(a|a)*$', 'g')"],
    ['RegExp without new, in a template', 'const SLOW = RegExp(`^(a+)+$`)'],
    ['a literal inside of a template', `const shown = (text) => \`\${text.replace(/\\s+$/, '')}!\``],
  ])('%s', async (_, text) => {
    expect(await slowIn(file(text))).toHaveLength(1);
  });

  test.each(['tsx', 'jsx', 'mjs'])('patterns in a .%s file', async (ending) => {
    expect(
      await slowIn(file(String.raw`const end = (text) => text.replace(/\/+$/, '');`, `page.${ending}`)),
    ).toHaveLength(1);
  });

  test('a pattern that it cannot parse', async () => {
    expect(await slowPatterns([{ source: '(', flags: '', at: 'planted.ts:1' }])).toEqual([
      'planted.ts:1 /(/: undecided (invalid)',
    ]);
  });

  test('patterns that are built when the code runs', () => {
    const { built } = patternsOf(file('const named = (name) => new RegExp(name);'));
    expect(built).toEqual([{ path: 'planted.ts', expression: 'new RegExp(name)' }]);
  });

  test('nothing in patterns that are linear', async () => {
    const text = String.raw`[/^[a-z]{2,5}(-[a-z0-9]{2,8})?$/i, /(?<!\/)\/+$/, /^bearer(?:[ \t]+(.*))?$/is]`;
    expect(await slowIn(file(text))).toEqual([]);
  });
});
