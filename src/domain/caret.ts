import type { Place } from './errors.js';

/** How many characters of a text are shown around a place. */
const MOST_AROUND = 60;

/** The place at an offset (in UTF-16 units) of a text. */
export function placeIn(text: string, offset: number): Place {
  const characters = [...text].map((character) => (/[\p{C}\p{Z}]/u.test(character) ? ' ' : character));
  const at = [...text.slice(0, offset)].length;
  const from = Math.max(0, Math.min(at - MOST_AROUND / 2, characters.length - MOST_AROUND));
  return { text: characters.slice(from, from + MOST_AROUND).join(''), position: at - from + 1 };
}

/** Characters that terminals show in two columns: those of East Asian width W and F, and emoji. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u;

/** How many columns of a terminal a text takes. */
const terminalWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + (/\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1), 0);

/** The message of a failure. If the failure has a place, two more lines: the text, and a caret under the place. */
export function withCaret(message: string, place: Place | undefined): string {
  if (place === undefined) return message;
  const before = [...place.text].slice(0, place.position - 1).join('');
  return `${message}\n${place.text}\n${' '.repeat(terminalWidth(before))}^`;
}
