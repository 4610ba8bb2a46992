import { queryTokens, type Token } from '../../search/tokens.js';
import { type Mark, markLexeme, nearMark, quotedLexeme, shortenedMark, shortenings } from './vector.js';

/**
 * A condition on a vector, as the text of a `tsquery`. The empty text matches nothing and is not a `tsquery`: it stands for
 * a word without letters, or for the beginning of several words.
 */
export type TextQuery = string;

export const marked = (kind: Mark, value: string): TextQuery => quotedLexeme(markLexeme(kind, value));

/** The words of a text, adjacent and in this order; in scripts without spaces, its characters. */
export function adjacent(text: string): TextQuery {
  const tokens = queryTokens(text);
  let query = '';
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (before !== undefined) query += ` <${token.position - before.position}> `;
    query += toLexeme(token);
  }
  return tokens.length > 1 ? `(${query})` : query;
}

/** The words of a text, wherever they are: what the index finds for adjacent ones, before their positions are compared. */
export const scattered = (text: string): TextQuery => all(queryTokens(text).map(toLexeme));

/** Finds the words of a handle or a name that begin with a single word. Finds nothing for several words. */
export function beginning(text: string): TextQuery {
  const [token, more] = queryTokens(text);
  return token?.kind === 'word' && more === undefined ? `${quotedLexeme(token.lexeme)}:*A` : '';
}

/** Finds words of a handle or a name that differ from a single word by one typing error. Finds nothing for a short word. */
export function near(text: string): TextQuery {
  const [token, more] = queryTokens(text);
  const parts = token?.kind === 'word' && more === undefined ? shortenings(token.lexeme) : null;
  if (parts === null) return '';
  const { word, shortened } = parts;
  const anyCharacter = (mark: string): TextQuery => `${quotedLexeme(mark)}:*`;
  return any([
    // The query lacks a character,
    anyCharacter(nearMark(`${word}/`)),
    ...shortened.flatMap((each) => [
      // has one too many,
      quotedLexeme(nearMark(each.rest)),
      // has another one in its place,
      anyCharacter(shortenedMark(each)),
      // or has it before or after its neighbour.
      quotedLexeme(shortenedMark({ ...each, index: each.index + 1 }, each.without)),
      quotedLexeme(shortenedMark({ ...each, index: each.index - 1 }, each.without)),
    ]),
  ]);
}

const toLexeme = ({ kind, lexeme }: Token): string =>
  kind === 'last' ? `${quotedLexeme(lexeme)}:*` : quotedLexeme(lexeme);

export const all = (queries: readonly TextQuery[]): TextQuery => (queries.includes('') ? '' : joined(queries, ' & '));
export const any = (queries: readonly TextQuery[]): TextQuery =>
  joined(
    queries.filter((query) => query !== ''),
    ' | ',
  );
/** `query` must not be empty: a NOT that excludes nothing is no condition. */
export const not = (query: TextQuery): TextQuery => `!(${query})`;

const joined = (queries: readonly TextQuery[], operator: string): TextQuery =>
  queries.length > 1 ? `(${queries.join(operator)})` : (queries[0] ?? '');
