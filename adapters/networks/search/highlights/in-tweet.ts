import type { Highlight, Tweet } from '../../../../src/domain/model.js';
import { foldWord } from '../fold.js';
import type { Term } from '../query.js';
import { type SignKind, signPlaces } from '../signs.js';
import { PlacedText, type Span } from './placed-tokens.js';

/** A place in a field of a result, in UTF-16 units, the end exclusive. */
export interface FoundText {
  readonly field: Highlight['field'];
  readonly from: number;
  readonly to: number;
}
/**
 * The places of a term: null if it is not found, none if it is not about the text or was found elsewhere. `isWanted`: false
 * for a term that excludes what it finds.
 */
export type Find = (term: Term, isWanted: boolean) => readonly FoundText[] | null;

/** Only this many characters of a text are marked; the longest posts of X have as many. */
export const MOST_TEXT = 25_000;

/** Where terms are found in the text of a tweet. */
export function findInTweet(tweet: Tweet): Find {
  const written = tweet.text.slice(0, MOST_TEXT);
  const text = new PlacedText(written);
  const sign = (kind: SignKind, value: string, listed: readonly string[] = []): readonly FoundText[] | null => {
    const places = signPlaces(kind, written).filter((place) => foldWord(place.value) === foldWord(value));
    return places.length > 0 || listed.some((each) => foldWord(each) === foldWord(value)) ? inText(places) : null;
  };
  return (term) => {
    switch (term.kind) {
      case 'word':
      case 'phrase':
        return orNull(inText(text.find(term.text)));
      case 'hashtag':
        return sign('hashtag', term.text, tweet.hashtags);
      case 'mention':
        return sign('mention', term.text, tweet.mentions);
      case 'cashtag':
        return sign('cashtag', term.text);
      default:
        return [];
    }
  };
}

const inText = (spans: readonly Span[]): FoundText[] => spans.map(({ from, to }) => ({ field: 'text', from, to }));

const orNull = (found: FoundText[]): FoundText[] | null => (found.length > 0 ? found : null);
