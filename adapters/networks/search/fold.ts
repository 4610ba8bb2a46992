/**
 * What a reader takes for the same letter: the one normalisation of everything stored and of everything asked, made
 * here and not by the database, whose locale would have a say in it.
 */

/** Characters that stand for an apostrophe, one for one, so that positions stay: ‘ ’ ‚ ‛ ′ ` ´ ʹ ʻ ʼ ʽ ＇ and the Hebrew geresh. */
const APOSTROPHES = /[\u2018-\u201B\u2032`\u00B4\u02B9\u02BB-\u02BD\uFF07\u05F3]/g;

/** The quotes that keyboards put between two Hebrew letters instead of a gershayim. */
const GERSHAYIM = /(?<=\p{Script=Hebrew})["\u201C\u201D\u201E](?=\p{Script=Hebrew})/gu;

/** The text with every kind of apostrophe as `'`, of the same length. */
export const withPlainApostrophes = (text: string): string =>
  text.replace(APOSTROPHES, "'").replace(GERSHAYIM, '\u05F4');

/**
 * Marks that writers may leave out without changing the word: what can't be seen (soft hyphens, joiners, variation
 * selectors), the vowel signs of Arabic and Hebrew and the Arabic tatweel, the Armenian marks of stress and question.
 */
const OPTIONAL =
  /[\p{Cf}\p{VS}\u055A-\u055E\u0640]|[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7]|[\u064B-\u0652\u0670]/gu;

/** The colour of a hand or face, and whether a sign is drawn in colour. */
const EMOJI_VARIANTS = /[\u{1F3FB}-\u{1F3FF}\uFE0E\uFE0F]/gu;

export const isAscii = (text: string): boolean => /^[\0-\x7F]*$/.test(text);

/**
 * A word as it is stored: without case in every script (by way of capitals, so that ß is ss and a final σ is a σ),
 * compatible forms as one (full and half width, ligatures), without optional marks. Folding twice changes nothing.
 */
export function foldWord(word: string): string {
  if (isAscii(word)) return word.toLowerCase();
  const lower = word.normalize('NFKC').replace(OPTIONAL, '').toLowerCase().toUpperCase().toLowerCase();
  // A capital I with a dot leaves its dot behind; in Greek, a sigma ends a word in another form.
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
