/**
 * Folds what readers take for the same letter. Everything stored and everything asked is normalised here and only here:
 * in the database, the result would depend on its locale.
 */

/**
 * Characters that stand for an apostrophe, each replaced by one character so that positions stay the same:
 * ‘ ’ ‚ ‛ ′ ` ´ ʹ ʻ ʼ ʽ ＇ and the Hebrew geresh.
 */
const APOSTROPHES = /[\u2018-\u201B\u2032`\u00B4\u02B9\u02BB-\u02BD\uFF07\u05F3]/g;

/** The quotes that keyboards put between two Hebrew letters instead of a gershayim. */
const GERSHAYIM = /(?<=\p{Script=Hebrew})["\u201C\u201D\u201E](?=\p{Script=Hebrew})/gu;

/** The text with every kind of apostrophe as `'`, of the same length. */
export const withPlainApostrophes = (text: string): string =>
  text.replace(APOSTROPHES, "'").replace(GERSHAYIM, '\u05F4');

/**
 * Marks that writers may leave out without changing the word: invisible characters (soft hyphens, joiners, variation
 * selectors), the vowel signs of Arabic and Hebrew, the Arabic tatweel, the Armenian marks of stress and question.
 */
const OPTIONAL =
  /[\p{Cf}\p{VS}\u055A-\u055E\u0640]|[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]|[\u064B-\u0652\u0670]/gu;

/** Skin tones, and the selectors that say whether a sign is drawn in colour. */
const EMOJI_VARIANTS = /[\u{1F3FB}-\u{1F3FF}\uFE0E\uFE0F]/gu;

export const isAscii = (text: string): boolean => /^[\0-\x7F]*$/.test(text);

/**
 * A word as it is stored: without case in any script (by way of capitals, so that ß becomes ss and a final sigma a σ),
 * with compatible forms unified (full and half width, ligatures), without optional marks. Folding it again changes
 * nothing.
 */
export function foldWord(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  const lower = word.normalize('NFKC').replace(OPTIONAL, '').toLowerCase().toUpperCase().toLowerCase();
  // A capital I with a dot leaves its dot behind; a Greek sigma has another form at the end of a word.
  return lower.replaceAll('i\u0307', 'i').replaceAll('ς', 'σ').normalize('NFKC');
}

export const foldEmoji = (emoji: string): string => emoji.replace(EMOJI_VARIANTS, '');

/** The text without the accents of Latin, Greek and Cyrillic letters: names are often typed without them. */
export const withoutAccents = (text: string): string =>
  isAscii(text)
    ? text
    : text
        .normalize('NFD')
        .replace(/(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}])\p{M}+/gu, '')
        .normalize('NFC');
