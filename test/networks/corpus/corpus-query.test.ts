import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkQuery } from '../../../adapters/networks/corpus/search/search.js';
import { parseQuery } from '../../../adapters/networks/search/parse.js';
import type { Query } from '../../../adapters/networks/search/query.js';
import { signsIn } from '../../../adapters/networks/search/signs.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { parseHandle } from '../../../src/domain/ids.js';
import type { Product } from '../../../src/domain/model.js';

const word = (text: string): Query => ({ kind: 'word', text });
const phrase = (text: string): Query => ({ kind: 'phrase', text });
const and = (...of: Query[]): Query => ({ kind: 'and', of });
const or = (...of: Query[]): Query => ({ kind: 'or', of });
const not = (of: Query): Query => ({ kind: 'not', of });
/** The hashtag at the beginning of a query. */
const tagOf = (query: Query): string | undefined => {
  const first = query.kind === 'and' ? query.of[0] : query;
  return first?.kind === 'hashtag' ? first.text : undefined;
};

const INVISIBLE = ['\u202A%s\u202C', '\u2066@%s\u2069', '@\u2068%s\u2069', '\uFEFF%s', '%s\u200B', '\u00AD%s\u200D'];

describe('a handle in a search, as in a path (I11, I12)', () => {
  const pasted = [
    'Au\u200Bra',
    'umwelt@baw\u00FC.example',
    'umwelt@BAWU\u0308.example',
    'baw\u00FC.example',
    'пример.рф',
  ];

  it.each(pasted.flatMap((name) => ['%s', ...INVISIBLE].map((form) => form.replace('%s', name))))('%j', (text) => {
    const handle = parseHandle(text) ?? '';
    expect(handle).toMatch(/^[\w.@-]+$/);
    expect(parseQuery(`from:${text} to:"${text}"`)).toEqual(and({ kind: 'from', handle }, { kind: 'to', handle }));
    const mention = text.includes('@') && text.indexOf('@') <= 1 ? text : text.replace(/^(\p{Cf}*)/u, '$1@');
    const found: Query = { kind: 'mention', text: handle };
    expect(parseQuery(mention)).toEqual(found);
    expect(parseQuery(`tide ${mention}, ebb`)).toEqual(and(word('tide'), found, word('ebb')));
    expect(parseQuery(`a OR -${mention}`)).toEqual(or(word('a'), not(found)));
  });

  it.each([
    ['@adaさん', and({ kind: 'mention', text: 'ada' }, word('さん'))],
    ['@ada@server.exampleさん', and({ kind: 'mention', text: 'ada@server.example' }, word('さん'))],
    ['@ada. Été', and({ kind: 'mention', text: 'ada' }, word('Été'))],
  ])('ends before a text that follows without a space: %s', (q, expected) => {
    expect(parseQuery(q)).toEqual(expected);
  });
});

describe('the search language', () => {
  it.each<[string, Query]>([
    ['one', word('one')],
    ['  one   two ', and(word('one'), word('two'))],
    ['a b OR c d', or(and(word('a'), word('b')), and(word('c'), word('d')))],
    ['a (b OR c) d', and(word('a'), or(word('b'), word('c')), word('d'))],
    ['a or b', and(word('a'), word('or'), word('b'))],
    ['ORANGE ORb', and(word('ORANGE'), word('ORb'))],
    ['"one two" “three four”', and(phrase('one two'), phrase('three four'))],
    ['„one two“ «three four» „five” «six', and(phrase('one two'), phrase('three four'), phrase('five'), word('«six'))],
    ['צה"ל "צה”ל שלום"', and(word('צה״ל'), phrase('צה״ל שלום'))],
    [
      '#می‌خواهم ＃東京 ＠jack',
      and({ kind: 'hashtag', text: 'می‌خواهم' }, { kind: 'hashtag', text: '東京' }, { kind: 'mention', text: 'jack' }),
    ],
    ['a -b', and(word('a'), not(word('b')))],
    ['a -"b c" -(d OR e)', and(word('a'), not(phrase('b c')), not(or(word('d'), word('e'))))],
    ['a -from:jack', and(word('a'), not({ kind: 'from', handle: 'jack' }))],
    ['well-known', word('well-known')],
    [
      '#art, @jack: $TSLA',
      and({ kind: 'hashtag', text: 'art' }, { kind: 'mention', text: 'jack' }, { kind: 'cashtag', text: 'TSLA' }),
    ],
    ['"a b", (c OR d)! e…', and(phrase('a b'), or(word('c'), word('d')), word('e…'))],
    ['#スター・ウォーズ', { kind: 'hashtag', text: 'スター・ウォーズ' }],
    ['#paral·lel #תל־אביב', and({ kind: 'hashtag', text: 'paral·lel' }, { kind: 'hashtag', text: 'תל־אביב' })],
    ['#été2015_a', { kind: 'hashtag', text: 'été2015_a' }],
    ['$100', word('$100')],
    ['"AND" and not a', and(phrase('AND'), word('and'), word('not'), word('a'))],
    ['AND a', and(word('AND'), word('a'))],
    ['a OR NOT', or(word('a'), word('NOT'))],
    ['a ANDb NOTb', and(word('a'), word('ANDb'), word('NOTb'))],
    ['someone@example.org', word('someone@example.org')],
    ['From:@NASA TO:esa', and({ kind: 'from', handle: 'NASA' }, { kind: 'to', handle: 'esa' })],
    ['url:"example.org/a b"', { kind: 'url', text: 'example.org/a b' }],
    ['since:2015-01-07', { kind: 'since', time: '2015-01-07T00:00:00.000Z' }],
    ['until:2015-01-07_11:30:00_UTC', { kind: 'until', time: '2015-01-07T11:30:00.000Z' }],
    [
      'since_time:0 until_time:1420588800',
      and({ kind: 'since', time: '1970-01-01T00:00:00.000Z' }, { kind: 'until', time: '2015-01-07T00:00:00.000Z' }),
    ],
    ['max_id:99999999999999999999', { kind: 'uptoId', id: '9223372036854775807' }],
    ['filter:nativeretweets', { kind: 'is', flag: 'retweet' }],
  ])('reads %s', (q, tree) => {
    expect(parseQuery(q)).toEqual(tree);
  });

  it.each<[string, Query]>([
    ['#covid-19', { kind: 'hashtag', text: 'covid' }],
    ['#covid\u201319, tide', and({ kind: 'hashtag', text: 'covid' }, word('tide'))],
    ["#NASA's launch", and({ kind: 'hashtag', text: 'NASA' }, word('launch'))],
    [
      '(@ada’s OR "a b") -#a-b-c',
      and(or({ kind: 'mention', text: 'ada' }, phrase('a b')), not({ kind: 'hashtag', text: 'a' })),
    ],
    ["$BTC-USD's tide", and({ kind: 'cashtag', text: 'BTC' }, word('tide'))],
    ["@ada- #a'", and({ kind: 'mention', text: 'ada' }, { kind: 'hashtag', text: 'a' })],
    ['#a-from:ada', and({ kind: 'hashtag', text: 'a' }, not({ kind: 'from', handle: 'ada' }))],
    [
      '#a-(b OR c) #d-"e f"',
      and(
        { kind: 'hashtag', text: 'a' },
        not(or(word('b'), word('c'))),
        { kind: 'hashtag', text: 'd' },
        not(phrase('e f')),
      ),
    ],
    ['#a,-b', and({ kind: 'hashtag', text: 'a' }, not(word('b')))],
  ])('takes what a hyphen or an apostrophe joins to a tag or a handle for no term: %s (P19)', (q, tree) => {
    expect(parseQuery(q)).toEqual(tree);
  });

  it('takes a word that merely contains a colon for a word', () => {
    expect(parseQuery('http://example.org/a 12:30 BREAKING: :D')).toEqual(
      and(word('http://example.org/a'), word('12:30'), word('BREAKING:'), word(':D')),
    );
  });

  it.each([
    ['', 1, 'expected a search term, but reached the end of the query'],
    ['a OR', 5, 'expected a search term, but reached the end of the query'],
    ['OR a', 1, 'expected a search term, but found "O"'],
    ['(a b', 5, 'closing parenthesis'],
    ['a) b', 2, 'expected a search term'],
    ['()', 2, 'expected a search term'],
    ['a "b c', 7, 'closing quote'],
    ['a ""', 4, 'the text of a phrase'],
    ['from:', 6, 'expected a value after the colon'],
    ['a from: b', 8, 'expected a value after the colon'],
    ['a -from: b', 9, 'expected a value after the colon'],
    ['a -OR b', 4, 'expected a search term, but found "O"'],
    ['a -"b', 6, 'closing quote'],
    ['a -(b', 6, 'closing parenthesis'],
    ['é😀 foo:bar', 4, 'unknown operator "foo:"; the operators are from: to:'],
    ['form:nasa', 1, 'unknown operator "form:" (did you mean "from:"?); the operators are'],
    ['a FORM:nasa', 3, 'did you mean "from:"?'],
    ['min_fave:3', 1, 'did you mean "min_faves:"?'],
    ['sinec:2015-01-07', 1, 'did you mean "since:"?'],
    ['filter:imags', 1, 'not "imags" (did you mean "images"?'],
    ['a filter:cats', 3, '"filter:" must be followed by one of replies, retweets'],
    ['-filter:cats a', 2, '"filter:" must be followed by one of'],
    ['since:2015-02-30', 1, '"since:" must be followed by a date'],
    ['since:yesterday', 1, '"since:" must be followed by a date'],
    ['since_time:1e9', 1, '"since_time:" must be followed by whole Unix seconds'],
    ['until_time:999999999999', 1, '"until_time:" must be followed by whole Unix seconds'],
    ['min_faves:-1', 1, '"min_faves:" must be followed by a whole number'],
    ['since_id:x', 1, '"since_id:" must be followed by a numeric id'],
    ['from:a.b!', 1, '"from:" must be followed by a handle'],
    ['lang:klingonish', 1, '"lang:" must be followed by a language code'],
    ['url:---', 1, '"url:" must be followed by part of a URL'],
    ['a\0b', 2, 'NUL'],
    ['a AND b', 3, 'AND is not an operator: leave it out, since all terms must match (write "AND" in quotes'],
    ['a OR (b AND c)', 9, 'AND is not an operator'],
    ['a NOT b', 3, 'NOT is not an operator: write - right before what to exclude (write "NOT" in quotes'],
    ['NOT "a b"', 1, 'NOT is not an operator'],
  ])('refuses %j at character %i', (q, character, text) => {
    const failure = refusal(q);
    expect(failure).toMatchObject({ code: 'bad_request', detail: { param: 'q' } });
    expect(failure?.message).toContain(`Invalid search query at character ${character}: `);
    expect(failure?.message).toContain(text);
  });

  it.each([
    ...['½', '²', '!!!', '-', '&', '→', '©', '#', '@', '_', '#_', '#️⃣'],
    ...['ـ', '\u0651', '\uFE0F', 'ﾞ', '\u200D', '"½"', '„→“', '«…»'],
  ])('refuses %j, which is no word in any text, in every place (P19)', (term) => {
    for (const [q, character] of [
      [term, 1],
      [`from:ada ${term}`, 10],
      [`from:ada -${term}`, 11],
      [`tide OR ${term}`, 9],
      [`tide -(ebb OR ${term})`, 15],
    ] as const) {
      for (const product of ['Latest', 'People'] as const) {
        if (product === 'Latest' || !q.startsWith('from:')) {
          expect(refusal(q, product)?.message).toContain(`at character ${character}: `);
          expect(refusal(q, product)?.message).toContain('leave it out');
        }
      }
    }
  });

  it('ends a hashtag at the same characters in a query as in a text (P18)', () => {
    const differing = Array.from({ length: 0x10000 }, (_, point) => String.fromCharCode(point))
      // Brackets and quotes have a meaning of their own in a query.
      .filter((character) => /[\p{P}\p{Cf}\p{M}\p{Sk}\p{No}]/u.test(character) && !/[()"＂“”]/.test(character))
      .filter((character) => tagOf(parseQuery(`#a${character}b`)) !== signsIn('hashtag', `#a${character}b`)[0]);
    expect(differing).toEqual([]);
  });

  it.each<[q: string, text: string, position: number]>([
    ['a form:nasa', 'a form:nasa', 3],
    ['a "b', 'a "b', 5],
    ['é😀 foo:bar', 'é😀 foo:bar', 4],
    [`${'tide '.repeat(40)}form:nasa ${'ebb '.repeat(40)}`, `${'tide '.repeat(6)}form:nasa ebb ebb ebb ebb ebb `, 31],
    ['a\u200B\nform:nasa', 'a  form:nasa', 4],
  ])('points at the place of a fault in %j', (q, text, position) => {
    expect(refusal(q)?.detail.place).toEqual({ text, position });
  });

  it('suggests nothing for what does not resemble an operator', () => {
    for (const q of ['breaking_news:now', 'x:y', `${'from'.repeat(200)}:a`]) {
      expect(refusal(q)?.message).not.toContain('did you mean');
    }
  });

  it.each([
    ['-a', 'only has exclusions'],
    ['-filter:replies -"a b" -(c OR d)', 'only has exclusions'],
    ['a '.repeat(101), 'more than 100 terms'],
    [`${'('.repeat(51)}a${')'.repeat(51)}`, 'more than 50 opening parentheses'],
    ['a '.repeat(2500), 'longer than 4096'],
    [`b ${'漢'.repeat(501)}`, 'character 3: this word is longer than 500'],
  ])('refuses %#: nothing wanted, or too much', (q, text) => {
    expect(refusal(q)?.message).toContain(text);
  });

  it('refuses for People what only a tweet can have', () => {
    expect(refusal('tide (a OR -from:jack)', 'People')?.message).toContain(
      'With product People, q supports only words',
    );
    expect(refusal('tide (a OR -from:jack)', 'Top')).toBeUndefined();
    expect(refusal('tide @jack "a b" -filter:verified', 'People')).toBeUndefined();
  });

  it('allows double exclusion, and nesting up to its bound', () => {
    expect(parseQuery('--a')).toEqual(not(not(word('a'))));
    expect(parseQuery(`${'('.repeat(50)}a${')'.repeat(50)}`)).toEqual(word('a'));
    expect(refusal(`${'-'.repeat(400)}a`)).toBeUndefined();
  });

  it('takes linear time on input that makes parsers backtrack', () => {
    const started = performance.now();
    for (const q of ['-('.repeat(50), '"a" -("b" '.repeat(50), 'from:('.repeat(50)]) expect(refusal(q)).toBeDefined();
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('accepts or refuses any text, and never crashes', () => {
    const piece = fc.constantFrom(
      ...'()"“-#@$: ',
      'OR',
      'from:',
      'filter:',
      'since:',
      'a',
      '2015-01-01',
      'replies',
      '\u{1F600}',
      '\uD800',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (q) => {
        refusal(q);
        refusal(q, 'People');
      }),
      { numRuns: 2000 },
    );
  });

  it('reads back the queries it prints (round trip)', () => {
    fc.assert(
      fc.property(trees, (tree) => {
        expect(parseQuery(show(tree))).toEqual(tree);
      }),
      { numRuns: 500 },
    );
  });
});

function refusal(q: string, product: Product = 'Latest'): ServiceError | undefined {
  try {
    checkQuery(q, product);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const digits = fc.nat().map(String);
const leaf: fc.Arbitrary<Query> = fc.oneof(
  name.map(word),
  name.map((text) => phrase(`${text} ${text}`)),
  name.map((text): Query => ({ kind: 'hashtag', text })),
  name.map((text): Query => ({ kind: 'mention', text })),
  name.map((handle): Query => ({ kind: 'from', handle })),
  digits.map((id): Query => ({ kind: 'conversation', id })),
  fc.nat().map((least): Query => ({ kind: 'atLeast', counter: 'likes', least })),
  fc.constant<Query>({ kind: 'is', flag: 'reply' }),
);
/**
 * A group in a group of the same kind would be read as one, so the kinds alternate; the first term is always wanted.
 */
const parts = (of: fc.Arbitrary<Query>, kind: 'and' | 'or'): fc.Arbitrary<Query> =>
  fc
    .tuple(leaf, fc.array(fc.oneof(of, of.map(not)), { minLength: 1, maxLength: 3 }))
    .map(([head, tail]) => ({ kind, of: [head, ...tail] }));
const trees: fc.Arbitrary<Query> = fc.oneof(
  leaf,
  parts(leaf, 'and'),
  parts(parts(leaf, 'and'), 'or'),
  parts(parts(leaf, 'or'), 'and'),
);

function show(query: Query): string {
  switch (query.kind) {
    case 'and':
    case 'or':
      return `(${query.of.map(show).join(query.kind === 'or' ? ' OR ' : ' ')})`;
    case 'not':
      return `-${show(query.of)}`;
    case 'phrase':
      return `"${query.text}"`;
    case 'hashtag':
      return `#${query.text}`;
    case 'mention':
      return `@${query.text}`;
    case 'from':
      return `from:${query.handle}`;
    case 'conversation':
      return `conversation_id:${query.id}`;
    case 'atLeast':
      return `min_faves:${query.least}`;
    case 'is':
      return 'filter:replies';
    default:
      return 'text' in query ? query.text : '';
  }
}
