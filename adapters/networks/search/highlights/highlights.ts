import type { Highlight, Tweet, User } from '../../../../src/domain/model.js';
import type { Network } from '../../../../src/ports/network.js';
import { parseQuery } from '../parse.js';
import type { Query, Term } from '../query.js';
import { findInProfile, NEARLY } from './in-profile.js';
import { type Find, type FoundText, findInTweet } from './in-tweet.js';

/** The most places marked in one result. */
const MOST_HIGHLIGHTS = 100;

/**
 * Marks the results of a query. `exact`: the network matches by the same words as this code, as the corpus does, so a
 * term that is not found here did not match. Any other network says only that a result matches: the query's own words
 * are marked where they stand. If none of them is there, what matched is unknown (null).
 */
export function createHighlighter({ exact }: { readonly exact: boolean }): NonNullable<Network['highlighter']> {
  return (q, product) => {
    const query = parseQuery(q);
    return (item) => {
      const found =
        'text' in item
          ? evaluate(query, findInTweet(item), exact)
          : (evaluate(query, findInProfile(item), exact) ?? evaluate(query, findInProfile(item, NEARLY), exact));
      if (found === null || (!exact && found.length === 0 && wantsWords(query))) return null;
      return highlightsIn(item, product === 'People' ? ['handle', 'name', 'bio'] : ['text'], found);
    };
  };
}

/**
 * The places that make an item match the query: those of all alternatives that match, and none for an exclusion. Null
 * if the item does not match, which only an exact search can tell.
 */
function evaluate(query: Query, find: Find, exact: boolean, wanted = true): readonly FoundText[] | null {
  if (query.kind === 'not') return evaluate(query.of, find, exact, !wanted);
  if (query.kind === 'and' || query.kind === 'or') {
    const parts = query.of.map((part) => evaluate(part, find, exact, wanted));
    const matching = parts.filter((part) => part !== null);
    // An exclusion swaps the rules: one part of an excluded `and` is enough, and an excluded `or` needs every part.
    const needed = (query.kind === 'and') === wanted ? parts.length : 1;
    return matching.length < needed ? null : matching.flat();
  }
  const found = find(query, wanted);
  if (wanted) return found ?? (exact ? null : []);
  return found === null || !exact || !isOfWords(query) ? [] : null;
}

const isOfWords = ({ kind }: Term): boolean =>
  kind === 'word' || kind === 'phrase' || kind === 'hashtag' || kind === 'mention' || kind === 'cashtag';

function wantsWords(query: Query, wanted = true): boolean {
  if (query.kind === 'not') return wantsWords(query.of, !wanted);
  if (query.kind === 'and' || query.kind === 'or') return query.of.some((part) => wantsWords(part, wanted));
  return wanted && isOfWords(query);
}

/** In order of fields and places, in code points; places that touch or overlap are merged. */
function highlightsIn(
  item: Tweet | User,
  fields: readonly Highlight['field'][],
  found: readonly FoundText[],
): readonly Highlight[] {
  const highlights: Highlight[] = [];
  for (const field of fields) {
    const text = fieldText(item, field);
    let units = 0;
    let points = 0;
    const pointAt = (unit: number): number => {
      for (; units < unit; units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1) points += 1;
      return points;
    };
    for (const { from, to } of joined(found.filter((place) => place.field === field))) {
      if (highlights.length === MOST_HIGHLIGHTS) return highlights;
      highlights.push({ field, start: pointAt(from), end: pointAt(to) });
    }
  }
  return highlights;
}

const fieldText = (item: Tweet | User, field: Highlight['field']): string =>
  ('text' in item ? item.text : field === 'text' ? undefined : item[field]) ?? '';

function joined(places: readonly FoundText[]): FoundText[] {
  const joined: FoundText[] = [];
  for (const place of [...places].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = joined.at(-1);
    if (last !== undefined && place.from <= last.to) {
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, place.to) };
    } else if (place.to > place.from) joined.push(place);
  }
  return joined;
}
