/**
 * Hashtags, mentions and cashtags as they stand in a text. A hashtag has letters, marks, digits and the special
 * characters that X and Mastodon list, at least one of them a letter or digit (P18): low lines, invisible joiners, the
 * middle dots of Catalan and Katakana, and punctuation inside words in Hebrew, Tibetan, Japanese and Old Cyrillic. Its
 * sign does not begin an emoji (`#️⃣`), and does not stand inside a word, an entity or an address.
 */
const PATTERNS = {
  hashtag:
    /(?<![\p{L}\p{M}\p{N}\p{Pc}&/])[#＃](?![\uFE0F\u20E3])([\p{M}\p{Pc}\p{Join_C}\xB7\u05BE\u05F3\u05F4\u0F0B\u0F0C\u3003\u301C\u309B\u309C\u30A0\u30FB\uA67E\uFF5E]*[\p{L}\p{N}][\p{L}\p{M}\p{N}\p{Pc}\p{Join_C}\xB7\u05BE\u05F3\u05F4\u0F0B\u0F0C\u3003\u301C\u309B\u309C\u30A0\u30FB\uA67E\uFF5E]*)/gu,
  mention: /(?<![\p{L}\p{N}_@])[@＠]([A-Za-z0-9_]+)/gu,
  cashtag: /\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)(?![\p{L}\p{N}_])/gu,
} as const;

export type SignKind = keyof typeof PATTERNS;

/** What each kind begins with. Tested first, because most texts have none. */
const SIGNS: Readonly<Record<SignKind, RegExp>> = { hashtag: /[#＃]/, mention: /[@＠]/, cashtag: /\$/ };

/** Those in a text, without their signs. */
export const signsIn = (kind: SignKind, text: string): string[] =>
  SIGNS[kind].test(text) ? Array.from(text.matchAll(PATTERNS[kind]), ([, value = '']) => value) : [];

/** The same with their places in UTF-16 units, signs included. */
export const signPlaces = (kind: SignKind, text: string): { value: string; from: number; to: number }[] =>
  Array.from(text.matchAll(PATTERNS[kind]), ({ 0: whole, 1: value = '', index }) => ({
    value,
    from: index,
    to: index + whole.length,
  }));
