/**
 * X cuts long texts unless it is asked for the whole, and ends them with an ellipsis, with or without a link to the
 * post; in its first years, with a space and three dots. A text that was cut never replaces the whole one (T27), neither
 * among the rows of a batch nor in the database.
 */
const IS_CUT = /(?:\u2026(?:\s*https:\/\/t\.co\/\w+)?|\s\.\.\.)$/;
/** Characters: a shorter beginning proves nothing. */
const LEAST = 20;

/** What is left of a text that was cut; null for a whole one. */
export function textBeforeCut(text: string): string | null {
  const beginning = IS_CUT.test(text) ? text.replace(IS_CUT, '').trimEnd() : '';
  return beginning.length < LEAST || [...beginning].length < LEAST ? null : beginning;
}

export const isCutOf = (text: string, whole: string): boolean => {
  const beginning = textBeforeCut(text);
  return beginning !== null && whole.startsWith(beginning);
};

/** White space as JavaScript sees it. What Postgres takes for white space and letters depends on its locale. */
const SPACES =
  '\t\n\v\f\r \u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF';
const CUT = IS_CUT.source.replaceAll('\\s', `[${SPACES}]`).replaceAll('\\w', '[A-Za-z0-9_]');

/** The same as SQL over two columns. */
export function isCutOfSql(text: string, whole: string): string {
  const beginning = `rtrim(regexp_replace(${text}, '${CUT}', ''), '${SPACES}')`;
  return `(${text} ~ '${CUT}' and length(${beginning}) >= ${LEAST} and starts_with(${whole}, ${beginning}))`;
}
