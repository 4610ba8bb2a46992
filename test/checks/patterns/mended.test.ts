/** The replacements of patterns that were once slow give the same answers. */
import { describe, expect, test } from 'vitest';
import { webAddress } from '../../../adapters/cli/command-line.js';
import { compile, tweets } from '../../../adapters/networks/corpus/search/compile.js';
import { findLink } from '../../../adapters/networks/mastodon/link-header.js';
import { parseQuery } from '../../../adapters/networks/search/parse.js';
import { phrase } from '../../../demo/phrase.js';
import { SLOTS } from '../../../demo/vocabulary.js';
import { limitAddress } from '../../../src/access/address.js';
import { baseUrl } from '../../../src/config/kinds.js';
import { shownText } from '../../../src/config/read-settings.js';

describe('addresses', () => {
  test.each([
    ['http://perch.example', 'http://perch.example'],
    ['http://perch.example///', 'http://perch.example'],
    ['http://perch.example/a//b//', 'http://perch.example/a//b'],
  ])('%s is kept as %s', (text, kept) => {
    expect(webAddress(text)).toBe(kept);
    expect(baseUrl.parse(text)).toBe(kept);
  });

  test.each([
    ['http://jo:secret@proxy.example:1', 'http://…@proxy.example:1'],
    ['http://a@b://c@d', 'http://…@d'],
    ['http://proxy.example', 'http://proxy.example'],
    ['a@b', 'a@b'],
    ['a@b://c', 'a@b://c'],
    ['://@', '://…@'],
  ])('%s is shown as %s', (text, shown) => {
    expect(shownText('HOST', text)).toBe(shown);
  });

  test.each([
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4::/64'],
    ['::0:ffff:192.0.2.1', '192.0.2.1'],
    [`::${'1'.repeat(50_000)}.`, `::${'1'.repeat(50_000)}.`],
  ])('%.40s is counted as %.40s', (address, counted) => {
    expect(limitAddress(address)).toBe(counted);
  });
});

describe('Link headers as networks write them', () => {
  test.each(['<a>; rel=x, <b>; rel=next', '<a>; rel=x ,<b>; rel=next', '<a>; rel=x  ,  <b>; rel=next'])(
    '%s',
    (header) => {
      expect(findLink(header, 'next')).toBe('b');
    },
  );
});

describe('a search', () => {
  test.each<[q: string, answer: string]>([
    [`a ${'b'.repeat(501)}`, 'at character 3: this word is longer than 500 characters'],
    ['\u{1F426}'.repeat(501), 'at character 1: this word is longer than 500 characters'],
  ])('%.10s… is refused', (q, answer) => {
    expect(() => parseQuery(q)).toThrow(answer);
  });

  test.each(['b'.repeat(500), '\u{1F426}'.repeat(500)])('%.10s… is as long as a word may be', (q) => {
    expect(parseQuery(q)).toEqual({ kind: 'word', text: q });
  });
});

describe('a search of the corpus', () => {
  test('narrows by ten parts of an address, however many it has', () => {
    const { values } = compile(parseQuery(`url:${'a.'.repeat(200)}z`), tweets(new Map()));
    // Ten marks, and the address itself, which decides.
    expect(values).toHaveLength(11);
  });
});

describe('the demo network', () => {
  test('has trimmed words, and no empty ones', () => {
    const words = Object.values(SLOTS).flatMap((list) => ('winter' in list ? Object.values(list).flat() : list));
    expect(words.filter((word) => word.trim() !== word || word === '')).toEqual([]);
  });

  test('fills the choices and slots of a template', () => {
    const scope = {
      chance: { pick: <T>(list: readonly T[]): T => list[0] as T },
      season: 'winter' as const,
      bound: new Map([['bird', 'heron']]),
      now: {},
      handleOf: (kind: string) => kind,
    };
    expect(phrase('[seen|heard]: {a bird} and {@ringer}', scope as never)).toBe('Seen: a heron and @ringer');
  });
});
