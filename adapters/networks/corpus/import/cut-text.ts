/**
 * X cuts long texts unless it is asked for the whole, and ends them with an ellipsis, with or without a link to the
 * post; in its first years, with a space and three dots. A text that was cut never replaces the whole one (T27), neither
 * among the rows of a batch nor in the database.
 */
const IS_CUT = /(?:\u2026(?:\s*https:\/\/t\.co\/\w+)?|\s\.\.\.)$/;
const CUT = IS_CUT.source;
/** Characters: a shorter beginning proves nothing. */
const LEAST = 20;

/** What is left of a text that was cut; null for a whole one. */
export function textBeforeCut(text: string): string | null {
  const beginning = IS_CUT.test(text) ? text.replace(IS_CUT, '').trimEnd() : '';
  return beginning.length < LEAST ? null : beginning;
}

export const isCutOf = (text: string, whole: string): boolean => {
  const beginning = textBeforeCut(text);
  return beginning !== null && whole.startsWith(beginning);
};

/** The same as SQL over two columns. */
export const isCutOfSql = (text: string, whole: string): string => `(${text} ~ '${CUT}'
  and length(${text}) >= ${LEAST} and starts_with(${whole}, rtrim(regexp_replace(${text}, '${CUT}', ''))))`;
