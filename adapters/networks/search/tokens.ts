import { foldEmoji, foldWord, isAscii, withPlainApostrophes } from './fold.js';

/**
 * The unit that searches compare. Text is cut into
 *
 * - words by UAX #29, as `Intl.Segmenter` finds them (`l’école`, `3.14`, `snake_case`); the parts of such a compound
 *   (`école`) are added at the same position, so that both are found;
 * - in scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, and Korean, whose words carry
 *   endings), every pair of neighbouring characters and the last character alone, so that any part is found; no
 *   dictionary is used, because it would change with the version of Node;
 * - emoji, without regard to the colour of the skin.
 */
export interface Token {
  /** Folded, of at most `MAX_LEXEME` characters. */
  readonly lexeme: string;
  /** From 1. Neighbouring words differ by one, and so do neighbouring characters of scripts without spaces. */
  readonly position: number;
  readonly kind: 'word' | 'part' | 'pair' | 'last' | 'emoji';
}

/** At most 2,000 bytes: the text index accepts no lexeme of more than 2,046. */
export const MAX_LEXEME = 500;

/** A run of characters of scripts without spaces, including their marks and invisible characters. */
const RUN =
  /(?:(?![\p{P}\p{S}])[\p{Ideographic}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30FC\uFF70][\p{M}\p{Cf}\uFF9E\uFF9F]*)+/gu;
/** Whether a text may have such a run: all these scripts, and others, lie in this range. */
const MAY_HAVE_RUN = /[\u0E00-\u{3FFFF}]/u;

/**
 * A word of Latin, Greek or Cyrillic text: letters and digits, and inside it a mark that stands between two letters
 * or two digits. For `SIMPLE` text it finds the same as `WORD` in a fraction of the time.
 */
const SIMPLE_WORD =
  /[0-9A-Z_a-zªµºÀ-ÖØ-öø-ɏͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯ](?:[0-9A-Z_a-z\xADªµºÀ-ÖØ-öø-ɏͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯ]|(?<=[A-Za-zªµºÀ-ÖØ-öø-ɏͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯ]\xAD*)['.:·](?=\xAD*[A-Za-zªµºÀ-ÖØ-öø-ɏͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯ])|(?<=[0-9]\xAD*)['.,;](?=\xAD*[0-9]))*/g;
/** Text with those letters and only the signs of Latin 1, dashes, quotes, daggers, bullets, ellipses and €. */
const SIMPLE = /^[\0-ɏͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯ\u2010-\u2016\u201A\u201C-\u2023\u2025\u2026€]*$/;

/** An emoji (not a sign such as ©), or a word of any script, by the classes of UAX #29. */
const WORD =
  /(?<emoji>\p{Regional_Indicator}{2}|(?![©®‼⁉™ℹ])\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}]*(?:\u200D\p{Extended_Pictographic}[\uFE0E\uFE0F\p{Emoji_Modifier}]*)*[\u{E0020}-\u{E007F}]*)|(?!\p{M})[\p{Alpha}\p{Nd}_‿⁀⁔︳︴﹍-﹏＿](?:[\p{Alpha}\p{Nd}_‿⁀⁔︳︴﹍-﹏＿\u055A-\u055E\p{M}\xAD\u061C\u180E\u200C-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|(?<=(?!\p{M})\p{Alpha}[\p{M}\p{Cf}\u055A-\u055E]*)['.:·\u0387\u055F\u05F4‘’․‧︓﹒﹕＇．：](?=[\p{M}\p{Cf}\u055A-\u055E]*(?!\p{M})\p{Alpha})|(?<=\p{Nd}[\p{M}\p{Cf}]*)['.,;\u037E\u0589\u060C\u060D\u066C\u07F8‘’․⁄﹐﹒﹔，．；＇](?=[\p{M}\p{Cf}]*\p{Nd}))*/gu;

const PART = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const PLAIN_WORD = /^[0-9a-z]+$/;

/** The tokens of a text, by position, a compound before its parts. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const plain = withPlainApostrophes(text);
  let from = 0;
  let position = 0;
  if (MAY_HAVE_RUN.test(plain)) {
    for (const { 0: run, index } of plain.matchAll(RUN)) {
      position = addWords(tokens, plain.slice(from, index), position);
      position = addPairs(tokens, run, position);
      from = index + run.length;
    }
  }
  addWords(tokens, from === 0 ? plain : plain.slice(from), position);
  return tokens;
}

/**
 * The tokens that a query looks for. Of a compound, only the whole, because it implies its parts. Of a run without
 * spaces, only the pairs, because the last of them has the last character. A single character is looked for as the
 * beginning of any pair and as the last character of any run.
 */
export const queryTokens = (text: string): Token[] =>
  tokenize(text).filter(
    ({ kind }, index, tokens) => kind !== 'part' && (kind !== 'last' || tokens[index - 1]?.kind !== 'pair'),
  );

/** Adds the words between two runs, after the position reached so far. Returns the position reached now. */
function addWords(tokens: Token[], text: string, reached: number): number {
  let position = reached;
  if (isAscii(text)) {
    // The same as `foldWord` for each word.
    for (const word of text.toLowerCase().match(SIMPLE_WORD) ?? []) position = addWord(tokens, word, position);
    return position;
  }
  if (SIMPLE.test(text)) {
    for (const word of text.match(SIMPLE_WORD) ?? []) position = addWord(tokens, foldWord(word), position);
    return position;
  }
  for (const { 0: found, groups } of text.matchAll(WORD)) {
    if (groups?.emoji === undefined) position = addWord(tokens, foldWord(found), position);
    else tokens.push({ lexeme: foldEmoji(found), position: ++position, kind: 'emoji' });
  }
  return position;
}

function addWord(tokens: Token[], folded: string, reached: number): number {
  const position = reached + 1;
  if (PLAIN_WORD.test(folded)) {
    tokens.push({ lexeme: cut(folded), position, kind: 'word' });
    return position;
  }
  const words = wordsIn(folded);
  for (const { kind, from, to } of words) tokens.push({ lexeme: cut(folded.slice(from, to)), position, kind });
  return words.length === 0 ? reached : position;
}

/** The places of a folded word's tokens: the word from its first letter to its last, and the parts of a compound. */
export function wordsIn(folded: string): { kind: 'word' | 'part'; from: number; to: number }[] {
  const parts = Array.from(folded.matchAll(PART), ({ 0: { length }, index }) => ({ from: index, to: index + length }));
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const word = { kind: 'word', from: first.from, to: last.to } as const;
  if (parts.length === 1) return [word];
  return [word, ...parts.filter(({ from, to }) => to > from + 1).map((part) => ({ kind: 'part', ...part }) as const)];
}

function addPairs(tokens: Token[], run: string, reached: number): number {
  const characters = [...foldWord(run)];
  let position = reached;
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    position += 1;
    if (next === undefined) tokens.push({ lexeme: character, position, kind: 'last' });
    else tokens.push({ lexeme: character + next, position, kind: 'pair' });
  }
  return position;
}

/** A piece of text that becomes one or more tokens, as it is written, and where it begins. */
interface Piece {
  readonly kind: 'word' | 'run' | 'emoji';
  readonly text: string;
  readonly index: number;
}

/** The pieces that `tokenize` goes through, with their places, which take longer to find. */
export function* splitPieces(text: string): Generator<Piece> {
  const plain = withPlainApostrophes(text);
  let from = 0;
  for (const { 0: run, index } of plain.matchAll(RUN)) {
    yield* wordsBetween(plain, from, index);
    yield { kind: 'run', text: run, index };
    from = index + run.length;
  }
  yield* wordsBetween(plain, from, plain.length);
}

function* wordsBetween(text: string, from: number, to: number): Generator<Piece> {
  const between = text.slice(from, to);
  for (const found of between.matchAll(SIMPLE.test(between) ? SIMPLE_WORD : WORD)) {
    const kind = found.groups?.emoji === undefined ? 'word' : 'emoji';
    yield { kind, text: found[0], index: from + found.index };
  }
}

export const cut = (lexeme: string, most = MAX_LEXEME): string =>
  lexeme.length <= most ? lexeme : [...lexeme].slice(0, most).join('');
