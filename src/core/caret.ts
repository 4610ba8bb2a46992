import type { Place } from './errors.js';

/** Characters of a text that are shown around a place. */
const MOST_AROUND = 60;

/** The place at an offset (in UTF-16 units) of a text. */
export function placeIn(text: string, offset: number): Place {
  const characters = [...text].map((character) => (/[\p{C}\p{Z}]/u.test(character) ? ' ' : character));
  const at = [...text.slice(0, offset)].length;
  const from = Math.max(0, Math.min(at - MOST_AROUND / 2, characters.length - MOST_AROUND));
  return { text: characters.slice(from, from + MOST_AROUND).join(''), position: at - from + 1 };
}

/** The message of a failure and, where it has a place, two lines more: the text, and a caret under the place. */
export const withCaret = (message: string, place: Place | undefined): string =>
  place === undefined ? message : `${message}\n${place.text}\n${' '.repeat(place.position - 1)}^`;
