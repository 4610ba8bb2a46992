import type { User } from '../../../../src/domain/model.js';
import { foldWord, withoutAccents } from '../fold.js';
import { LEAST_NEAR, MOST_NEAR, typingErrors } from '../nearly.js';
import { queryTokens } from '../tokens.js';
import { type Find, type FoundText, MOST_TEXT } from './in-tweet.js';
import { mapped } from './mapped.js';
import { PlacedText, type PlacedToken, type Span } from './placed-tokens.js';

/** How far to mark a word of the handle or name that only resembles the word asked for; null: not at all. */
type Like = (token: PlacedToken, word: string) => number | null;

/** Words that begin with it; only that beginning is marked. */
const BEGINNING: Like = (token, word) => (token.lexeme.startsWith(word) ? token.endOf(word.length) : null);

/** Words that differ by one typing error at most. */
export const NEARLY: Like = (token, word) => {
  const [one, other] = [[...word].slice(0, MOST_NEAR), [...token.lexeme].slice(0, MOST_NEAR)];
  if (Math.min(one.length, other.length) < LEAST_NEAR || Math.abs(one.length - other.length) > 1) return null;
  return typingErrors(one.join(''), other.join('')) <= 1 ? token.to : null;
};

const FIELDS = ['handle', 'name', 'bio'] as const;

/** Finds terms in a profile, in its words without accents, because these are what is searched. */
export function findInProfile(user: User, like: Like = BEGINNING): Find {
  const texts = FIELDS.map((field) => {
    const { text, from, to } = mapped((user[field] ?? '').slice(0, MOST_TEXT), withoutAccents);
    const placed = (span: Span): FoundText => ({ field, from: from(span.from), to: to(span.to) });
    return { field, placed, text: new PlacedText(text) };
  });
  const handle: FoundText = { field: 'handle', from: 0, to: user.handle.length };
  const isHandle = (text: string): boolean => foldWord(text) === foldWord(user.handle);

  const words = (query: string): FoundText[] =>
    texts.flatMap(({ text, placed }) => text.find(query).map((span) => placed(span)));
  const likeWords = (query: string): FoundText[] => {
    const [token, more] = queryTokens(query);
    if (token?.kind !== 'word' || more !== undefined) return [];
    return texts.flatMap(({ field, text, placed }) =>
      field === 'bio'
        ? []
        : text.tokens.flatMap((each) => {
            const to = each.kind === 'word' || each.kind === 'part' ? like(each, token.lexeme) : null;
            return to === null ? [] : [placed({ from: each.from, to })];
          }),
    );
  };
  return (term, isWanted) => {
    switch (term.kind) {
      case 'word': {
        const plain = withoutAccents(term.text);
        const found = [
          ...words(plain),
          ...(isWanted ? likeWords(plain) : []),
          ...(isHandle(term.text) ? [handle] : []),
        ];
        return found.length > 0 ? found : null;
      }
      case 'phrase':
      case 'hashtag': {
        const plain = withoutAccents(term.text);
        const found = words(plain);
        return found.length > 0 ? found : null;
      }
      case 'mention':
        return isHandle(term.text) ? [handle] : null;
      default:
        return [];
    }
  };
}
