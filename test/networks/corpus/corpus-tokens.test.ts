import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adjacent } from '../../../adapters/networks/corpus/search/text-query.js';
import { foldWord, withPlainApostrophes } from '../../../adapters/networks/search/fold.js';
import { MAX_LEXEME, tokenize } from '../../../adapters/networks/search/tokens.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** The words of UAX #29, folded, from their first letter or digit to the last. */
const segmented = (text: string): string[] =>
  Array.from(segmenter.segment(withPlainApostrophes(text)), ({ segment }) => {
    const folded = foldWord(segment);
    const parts = [...folded.matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)];
    const [first, last] = [parts[0], parts.at(-1)];
    return first && last ? folded.slice(first.index, last.index + last[0].length) : '';
  }).filter((word) => word !== '');

const wordsOf = (text: string): string[] =>
  tokenize(text).flatMap(({ kind, lexeme }) => (kind === 'word' ? [lexeme] : []));

/** Letters, digits, marks and signs, by script; signs occur in all. */
const SIGNS = " \t\n.,;:'’‘·-–—…“”«»()!?&/\\_@#%€\u00AD";
const SCRIPTS: Readonly<Record<string, string>> = {
  ASCII: 'abzABZ0189',
  Latin: 'aéßĳŐøÅſǅµª0',
  Greek: 'αΩςΣώΐΆ9',
  Cyrillic: 'жЯёЇҐ5',
  'Latin, Greek and Cyrillic': 'aéαΣжЯ7',
  Armenian: 'աԲև3',
  Georgian: 'აᲐჰ',
  Hebrew: 'אבםר\u05B8״',
  Arabic: 'اببة،؟٣\u064E\u0640',
  Devanagari: 'कषह\u093F\u094D\u0902१',
  Tamil: 'தமஉ\u0BBF\u0BCD',
  Ethiopic: 'ሰላም፣',
  Cherokee: 'ᎠᏣꭰ',
  'marks apart': 'aeo\u0301\u0308\u200D\u200C',
};

describe('words', () => {
  it.each(Object.entries(SCRIPTS))('of %s text are those of Intl.Segmenter', (_, letters) => {
    const character = fc.constantFrom(...letters, ...letters, ...SIGNS);
    fc.assert(
      fc.property(fc.array(character, { maxLength: 14 }), (characters) => {
        const text = characters.join('');
        expect(wordsOf(text)).toEqual(segmented(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('of any mix of letters are those of Intl.Segmenter, for scripts with spaces between words', () => {
    const letters = Object.values(SCRIPTS).join('').replaceAll(/\p{M}/gu, '');
    const character = fc.constantFrom(...letters, ...SIGNS.replace('·', ''));
    fc.assert(
      fc.property(fc.array(character, { maxLength: 20 }), (characters) => {
        const text = characters.join('');
        expect(wordsOf(text)).toEqual(segmented(text));
      }),
      { numRuns: 5000 },
    );
  });

  it('are the same after an emoji, which takes another path through the code', () => {
    const character = fc.constantFrom(...'aZ09éŐµαΩςЖё', ...SIGNS);
    fc.assert(
      fc.property(fc.array(character, { maxLength: 20 }), (characters) => {
        const text = characters.join('');
        const [emoji, ...rest] = tokenize(`\u{1F600}\n${text}`);
        expect(emoji).toEqual({ lexeme: '\u{1F600}', position: 1, kind: 'emoji' });
        expect(rest.map((token) => ({ ...token, position: token.position - 1 }))).toEqual(tokenize(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each<[string, string]>([
    ['l’École', "l'école école"],
    ['snake_case_', 'snake_case snake case'],
    ['3.14', '3.14 14'],
    ['墜落事故', '墜落 落事 事故 故'],
    ['水', '水'],
    ['2015年', '2015 年'],
    ['👍🏽👍', '👍 👍'],
    ['© ™ 1️⃣', '1\u20E3'],
    ['a'.repeat(600), 'a'.repeat(MAX_LEXEME)],
    ['!? …', ''],
  ])('%s becomes %s', (text, lexemes) => {
    expect(
      tokenize(text)
        .map((token) => token.lexeme)
        .join(' '),
    ).toBe(lexemes);
  });
});

describe('folding', () => {
  it('changes nothing a second time, or for another case and composition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const folded = foldWord(text);
        expect(foldWord(folded)).toBe(folded);
        expect(foldWord(text.normalize('NFD'))).toBe(folded);
      }),
      { numRuns: 3000 },
    );
    for (const word of ['Straße', 'ΟΔΟΣ', 'İstanbul', 'თბილისი', 'ﬁne', 'Ǆ', 'ŉ']) {
      expect(foldWord(word.toUpperCase())).toBe(foldWord(word));
      expect(foldWord(word.toLowerCase())).toBe(foldWord(word));
    }
  });
});

describe('text queries', () => {
  it.each([
    ['free speech', '(free <1> speech)'],
    ["don't", "'don''t'"],
    ['l’école est', "('l''école' <1> est)"],
    ['墜落', "'墜落'"],
    ['墜落事故', "('墜落' <1> '落事' <1> '事故')"],
    ['事故 now', "('事故' <2> now)"],
    ['水', "'水':*"],
    ['!!!', ''],
  ])('%s: %s', (text, query) => {
    expect(adjacent(text)).toBe(query);
  });
});
