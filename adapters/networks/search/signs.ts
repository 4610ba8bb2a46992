/** Hashtags, mentions and cashtags as they stand in a text. */
const PATTERNS = {
  hashtag: /[#＃]([\p{L}\p{M}\p{N}_\u200C\u200D]+)/gu,
  mention: /(?<![\p{L}\p{N}_@])[@＠]([A-Za-z0-9_]+)/gu,
  cashtag: /\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![\p{L}\p{N}_])/gu,
} as const;

export type SignKind = keyof typeof PATTERNS;

/** What each begins with: most texts have none. */
const SIGNS: Readonly<Record<SignKind, RegExp>> = { hashtag: /[#＃]/, mention: /[@＠]/, cashtag: /\$/ };

/** Without their signs. */
export const signsIn = (kind: SignKind, text: string): string[] =>
  SIGNS[kind].test(text) ? Array.from(text.matchAll(PATTERNS[kind]), ([, value = '']) => value) : [];

/** With the places that they have, signs included, in UTF-16 units. */
export const signPlaces = (kind: SignKind, text: string): { value: string; from: number; to: number }[] =>
  Array.from(text.matchAll(PATTERNS[kind]), ({ 0: whole, 1: value = '', index }) => ({
    value,
    from: index,
    to: index + whole.length,
  }));
