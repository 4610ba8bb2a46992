import { expect, it } from 'vitest';
import type { Tweet, User } from '../../../src/domain/model.js';
import type { Position } from '../../../src/read/cursor.js';
import { itemTime, resumeIn } from '../../../src/read/fill.js';
import { type CachedPage, HEAD } from '../../../src/read/page-cache.js';

const at = (second: number): number => Date.UTC(2026, 10, 21, 12) + 1000 * second;

/** `id@second` is a tweet, an id alone a profile. */
const itemOf = (text: string): User | Tweet => {
  const [id, second] = text.split('@');
  if (second === undefined) return { id } as User;
  return { id, text: '', createdAt: new Date(at(Number(second))).toISOString() } as Tweet;
};

const resume = (items: string, where: Partial<Position>, newestFirst = true, place = 'b') => {
  const page = { place, items: items.split(' ').map(itemOf), next: null, before: null } as unknown as CachedPage;
  return resumeIn(page, { place: 'b', before: null, inside: 1, passed: ['9'], at: null, ...where }, newestFirst);
};

it.each<[string, () => number | null, number | null]>([
  ['after the last item passed', () => resume('9 8 7', { passed: ['8', '9'] }), 2],
  ['after the first item of the page', () => resume('9 8 7', { passed: ['9'] }), 1],
  ['after the one passed before it, where the last is gone', () => resume('9 7 6', { passed: ['8', '9'] }), 1],
  ['at the first older tweet, where none of them is left', () => resume('5@5 4@4 3@3', { at: at(4.5) }), 1],
  ['at a tweet of the same time', () => resume('5@5 4@4 3@3', { at: at(4) }), 1],
  ['at the first tweet, if all are older', () => resume('5@5 4@4', { at: at(6) }), 0],
  ['nowhere in a page whose tweets are all newer', () => resume('5@5 4@4', { at: at(3) }), null],
  ['at a profile among tweets, which has no time', () => resume('5@5 4 3@3', { at: at(4.5) }), 1],
  [
    'at the top, in no order of time, where all that was passed in the page are its anchors',
    () => resume('5@5', { inside: 2, at: at(3) }, false),
    0,
  ],
  [
    'nowhere where more was passed in the page than there are anchors',
    () => resume('5@5', { inside: 3, at: at(3) }, false),
    null,
  ],
  ['at the top where no time is known', () => resume('5@5', { inside: 2 }), 0],
  ['nowhere in a first page, which may have moved down', () => resume('5@5', { inside: 2 }, true, HEAD), null],
  ['nowhere in the first page of a chain, either', () => resume('5@5', { inside: 2 }, false, '@1'), null],
])('a chain continues %s', (_name, find, expected) => {
  expect(find()).toBe(expected);
});

it('takes the time of a tweet, and none of a profile', () => {
  expect([itemTime(itemOf('1@7')), itemTime(itemOf('1'))]).toEqual([at(7), null]);
});
