import { describe, expect, it } from 'vitest';
import { MAX_QUERY_LENGTH, normaliseQuery } from '../../../src/read/subjects.js';

const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'bad_request', detail: { param: 'q' }, message: expect.stringMatching(message) });

function failureOf(query: string): unknown {
  try {
    return normaliseQuery(query);
  } catch (error) {
    return error;
  }
}

it('normalises nothing but spaces to a space, so they are looked for only once', () => {
  const becomesSpace = (code: number): boolean => {
    const character = String.fromCodePoint(code);
    return !/\s/u.test(character) && /\s/u.test(character.normalize('NFC'));
  };
  const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000;
  const all = Array.from({ length: 0x110000 }, (_, code) => code);
  expect(all.filter((code) => !isSurrogate(code) && becomesSpace(code))).toEqual([]);
});

describe('a query', () => {
  it.each([
    ['cats', 'cats'],
    ['  cats\n', 'cats'],
    ['two \t\n  words', 'two words'],
    [`far${' '.repeat(5000)}apart`, 'far apart'],
    // Case and marks are kept; what can be one character becomes one.
    ['Cafe\u0301', 'Caf\u00e9'],
    // Four are composed into each.
    ['\u1f82'.normalize('NFD').repeat(MAX_QUERY_LENGTH), '\u1f82'.repeat(MAX_QUERY_LENGTH)],
    ['a\u2000b\u2001', 'a b'],
    ['from:one "two  three"', 'from:one "two three"'],
    ['x'.repeat(MAX_QUERY_LENGTH), 'x'.repeat(MAX_QUERY_LENGTH)],
    // Four times as many before composition as after.
    ['e\u0301'.repeat(MAX_QUERY_LENGTH), '\u00e9'.repeat(MAX_QUERY_LENGTH)],
    [`a${'\u0301'.repeat(30)}`, `\u00e1${'\u0301'.repeat(29)}`],
  ])('is in one spelling: %j', (query, normal) => {
    expect(normaliseQuery(query)).toBe(normal);
  });

  it.each<[string, string, RegExp]>([
    ['that is empty', '', /q is empty/],
    ['of spaces', ' \t\u2003', /q is empty/],
    ['too long by one character', 'x'.repeat(MAX_QUERY_LENGTH + 1), /q has 1025 characters; at most 1024/],
    ['too long once it is composed', 'e\u0301'.repeat(MAX_QUERY_LENGTH + 1), /q has 1025 characters/],
    ['too long to be composed into one that is not', 'x'.repeat(4 * MAX_QUERY_LENGTH + 1), /q has 4097 characters/],
    ['with a pile of marks', `a${'\u0301'.repeat(31)}`, /more than 30 combining marks/],
    [
      'far too long, with piles of marks, of which the length is told',
      `a${'\u0301'.repeat(5000)}`,
      /q has 5001 characters/,
    ],
  ])('is refused: one %s', (_name, query, message) => {
    expect(failureOf(query)).toEqual(refused(message));
  });

  it.each([
    ['bread\0', /q has U\+0000/],
    ['bread\ud83d', /q has U\+D83D/],
  ])('is refused with the place of what no database can store: %j', (query, message) => {
    expect(failureOf(query)).toMatchObject({
      message: expect.stringMatching(message),
      detail: { param: 'q', place: { position: 6 } },
    });
  });
});
