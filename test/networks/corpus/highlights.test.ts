import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHighlighter } from '../../../adapters/networks/search/highlights/highlights.js';
import { placedTokens } from '../../../adapters/networks/search/highlights/placed-tokens.js';
import { tokenize } from '../../../adapters/networks/search/tokens.js';
import type { Product, Tweet, User } from '../../../src/domain/model.js';
import { WRITTEN } from './scripts.js';

const tweet = (text: string, fields: Partial<Tweet> = {}): Tweet => ({
  id: '1',
  authorId: '2',
  createdAt: '2015-01-07T00:00:00.000Z',
  text,
  ...fields,
});

const user = (fields: Partial<User>): User => ({
  id: '1',
  handle: 'gull',
  name: 'Gull',
  followersCount: 0,
  followingCount: 0,
  tweetsCount: 0,
  createdAt: '2015-01-07T00:00:00.000Z',
  ...fields,
});

const exact = createHighlighter({ exact: true });
const live = createHighlighter({ exact: false });

/** The marked parts of an item as text; those of a profile begin with `field: `. */
function marked(q: string, item: Tweet | User, highlighter = exact): string[] | null {
  const product: Product = 'text' in item ? 'Latest' : 'People';
  const highlights = highlighter(q, product)(item);
  return (
    highlights?.map(({ field, start, end }) => {
      const of = 'text' in item ? item.text : field === 'text' ? '' : (item[field] ?? '');
      const part = [...of].slice(start, end).join('');
      return 'text' in item ? part : `${field}: ${part}`;
    }) ?? null
  );
}

describe('highlights of a tweet', () => {
  it.each<[q: string, text: string, marked: string[]]>([
    ['absolutist', 'A self-declared “free speech absolutist” spoke', ['absolutist']],
    ['"free speech absolutist"', 'A “free speech absolutist” spoke of speech', ['free speech absolutist']],
    ['free speech', 'free speech, speech that is free', ['free', 'speech', 'speech', 'free']],
    ['“FREE SPEECH”', 'Free: speech', ['Free: speech']],
    ['墜落', '昨日の墜落事故、墜落', ['墜落', '墜落']],
    ['墜落事故', '昨日の墜落事故', ['墜落事故']],
    ['故', '昨日の墜落事故が', ['故']],
    ['落', '墜落', ['落']],
    ['café', 'Cafe\u0301, CAFÉ and cafe', ['Cafe\u0301', 'CAFÉ']],
    ['strasse', '😀 die STRAẞE', ['STRAẞE']],
    ['école', 'À l’École !', ['École']],
    ["l'école", 'À l’École !', ['l’École']],
    ['final', 'the \uFB01nal', ['\uFB01nal']],
    ['roll', "rock'n'roll _roll_", ['roll', 'roll']],
    ['#Café', 'a #CAFÉ, #cafés', ['#CAFÉ']],
    ['café', 'a #CAFÉ', ['CAFÉ']],
    ['@nasa', 'so @NASA and @nasax', ['@NASA']],
    ['$tsla', '$TSLA up, TSLA', ['$TSLA']],
    ['👍', 'yes 👍🏽', ['👍🏽']],
    ['gull -tern', 'a gull', ['gull']],
    ['from:nasa filter:links', 'a gull', []],
    ['gull lang:en', 'gull', ['gull']],
    ['(gull tern) OR skua', 'a gull and a skua', ['skua']],
    ['gull OR skua', 'a gull and a skua', ['gull', 'skua']],
    ['-(-gull)', 'a gull', ['gull']],
    ['-(tern -gull)', 'a gull and a tern', ['gull']],
    ['สวัสดี', 'คำว่าสวัสดีครับ', ['สวัสดี']],
  ])('for %s in %s', (q, text, parts) => {
    expect(marked(q, tweet(text))).toEqual(parts);
  });

  it('are counted in code points', () => {
    expect(exact('b', 'Latest')(tweet('😀 b'))).toEqual([{ field: 'text', start: 2, end: 3 }]);
  });

  it('are empty for a tag that the network lists but the text does not show', () => {
    expect(marked('#art', tweet('look', { hashtags: ['Art'] }))).toEqual([]);
  });

  it('are at most a hundred', () => {
    expect(marked('a', tweet('a b '.repeat(200)))).toHaveLength(100);
  });

  it.each(WRITTEN)('match what the corpus finds: $name', ({ text, found, notFound }) => {
    for (const q of found) expect([q, marked(q, tweet(text))]).not.toEqual([q, null]);
    for (const q of notFound) expect([q, marked(q, tweet(text))]).toEqual([q, null]);
  });
});

describe('highlights of a profile', () => {
  it.each<[q: string, fields: Partial<User>, marked: string[]]>([
    ['jose', { handle: 'j_1', name: 'José Núñez' }, ['name: José']],
    ['nun', { handle: 'j_1', name: 'José Núñez', bio: 'nun, nunnery' }, ['name: Núñ', 'bio: nun']],
    ['harb', { handle: 'harbor_obs', name: 'Harbour' }, ['handle: harb', 'name: Harb']],
    ['harb -harbo -habror', { handle: 'harbor_obs', name: 'Harbour' }, ['handle: harb', 'name: Harb']],
    ['@harbor_obs', { handle: 'Harbor_Obs', name: 'harbor obs' }, ['handle: Harbor_Obs']],
    ['habror', { handle: 'harbor_obs', name: 'Port' }, ['handle: harbor']],
    ['"nunez writer"', { name: 'José Núñez', bio: 'Nuñez, Writer' }, ['bio: Nuñez, Writer']],
  ])('for %s', (q, fields, parts) => {
    expect(marked(q, user(fields))).toEqual(parts);
  });
});

describe('highlights on a live network', () => {
  it('are the words that occur in the text, though others matched elsewhere', () => {
    expect(marked('gull running', tweet('a gull runs'), live)).toEqual(['gull']);
  });

  it('are unknown if none of the words occurs there', () => {
    expect(marked('running', tweet('a gull runs'), live)).toBeNull();
  });

  it('are empty for a query without words', () => {
    expect(marked('from:nasa -running', tweet('a gull runs'), live)).toEqual([]);
  });
});

it('marks the tokens that are searched', () => {
  const characters = fc.constantFrom(...'abzß’é\u0301ﬁ墜落ｶﾞสวั😀👍🏽·.,_ -"#\u00AD한ά9İ');
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const plain = ({ lexeme, position, kind }: ReturnType<typeof tokenize>[number]) => ({ lexeme, position, kind });
      const placed = placedTokens(text);
      expect(placed.map(plain)).toEqual(tokenize(text).map(plain));
      for (const { from, to } of placed) expect(text.slice(from, to)).not.toBe('');
    }),
    { numRuns: 2000 },
  );
});
