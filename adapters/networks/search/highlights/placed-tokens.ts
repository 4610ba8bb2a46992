import { foldEmoji, foldWord } from '../fold.js';
import { cut, queryTokens, splitPieces, type Token, wordsIn } from '../tokens.js';
import { mapped } from './mapped.js';

/** A place in a text, in UTF-16 units, the end exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A token and its place in the text. */
export interface PlacedToken extends Token, Span {
  /** Where the first `units` UTF-16 units of the lexeme end in the text. */
  readonly endOf: (units: number) => number;
}

/** The tokens that `tokenize` makes of the text, with their places. */
export function placedTokens(text: string): PlacedToken[] {
  const tokens: PlacedToken[] = [];
  let position = 0;
  for (const { kind, text: written, index } of splitPieces(text)) {
    if (kind === 'emoji') {
      const to = index + written.length;
      tokens.push({ lexeme: foldEmoji(written), position: ++position, kind, from: index, to, endOf: () => to });
      continue;
    }
    const folded = mapped(written, foldWord);
    const parts = kind === 'word' ? wordsIn(folded.text) : pairsIn(folded.text);
    for (const part of parts) {
      tokens.push({
        lexeme: kind === 'word' ? cut(folded.text.slice(part.from, part.to)) : folded.text.slice(part.from, part.to),
        position: position + 1 + ('offset' in part ? part.offset : 0),
        kind: part.kind,
        from: index + folded.from(part.from),
        to: index + folded.to(part.to),
        endOf: (units) => index + folded.to(part.from + units),
      });
    }
    position = tokens.at(-1)?.position ?? position;
  }
  return tokens;
}

/** The pairs of neighbours in a run, and its last character. */
function pairsIn(run: string): (Span & { kind: 'pair' | 'last'; offset: number })[] {
  const characters = [...run];
  let from = 0;
  return characters.map((character, offset) => {
    const begin = from;
    from += character.length;
    const next = characters[offset + 1];
    const kind = next === undefined ? 'last' : 'pair';
    return { kind, offset, from: begin, to: from + (next?.length ?? 0) };
  });
}

/** A text in which words and phrases are looked up, as the text index would. */
export class PlacedText {
  readonly tokens: readonly PlacedToken[];
  readonly #byPosition = new Map<number, PlacedToken[]>();
  readonly #byLexeme = new Map<string, PlacedToken[]>();
  /** A single character of a script without spaces is found by the beginning of a lexeme. */
  readonly #byFirst = new Map<string, PlacedToken[]>();

  constructor(text: string) {
    this.tokens = placedTokens(text);
    for (const token of this.tokens) {
      add(this.#byPosition, token.position, token);
      add(this.#byLexeme, token.lexeme, token);
      add(this.#byFirst, firstCharacter(token.lexeme), token);
    }
  }

  /** Where the words of a query stand, adjacent and in this order. */
  find(query: string): Span[] {
    const [first, ...rest] = queryTokens(query);
    if (first === undefined) return [];
    const found: Span[] = [];
    for (const begin of this.#like(first)) {
      const token = this.#follow(begin, first, rest);
      if (token !== null) found.push({ from: begin.from, to: Math.max(begin.to, token) });
    }
    return found;
  }

  #like({ kind, lexeme }: Token): readonly PlacedToken[] {
    // A single character may also begin a pair, of which only that character is marked.
    if (kind !== 'last') return this.#byLexeme.get(lexeme) ?? [];
    return (this.#byFirst.get(lexeme) ?? []).map((token) => ({ ...token, to: token.endOf(lexeme.length) }));
  }

  /** Where the phrase that begins here ends, or null if the text does not continue it. */
  #follow(begin: PlacedToken, first: Token, rest: readonly Token[]): number | null {
    let end = begin.to;
    for (const token of rest) {
      const there = this.#byPosition.get(begin.position + token.position - first.position) ?? [];
      const next = there.find(({ lexeme }) =>
        token.kind === 'last' ? lexeme.startsWith(token.lexeme) : lexeme === token.lexeme,
      );
      if (next === undefined) return null;
      end = Math.max(end, token.kind === 'last' ? next.endOf(token.lexeme.length) : next.to);
    }
    return end;
  }
}

function add<Key>(map: Map<Key, PlacedToken[]>, key: Key, token: PlacedToken): void {
  const others = map.get(key);
  if (others === undefined) map.set(key, [token]);
  else others.push(token);
}

const firstCharacter = (lexeme: string): string => String.fromCodePoint(lexeme.codePointAt(0) ?? 0);
