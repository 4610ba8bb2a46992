import type { Highlight, Tweet, User } from '../../../../src/domain/model.js';
import type { Network } from '../../../../src/ports/network.js';
import { parseQuery } from '../parse.js';
import type { Query, Term } from '../query.js';
import { findInProfile, NEARLY } from './in-profile.js';
import { type Find, type FoundText, findInTweet } from './in-tweet.js';

/** Most places of a result. */
const MOST_HIGHLIGHTS = 100;

/**
 * Marks the results of a query. `exact`: the network finds by the words that are marked here, as the corpus does, so
 * what was not found did not match. Any other network says only that a result matches: the query's own words are marked
 * where they stand, and where none does, what matched is not known (null).
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
 * The places of the parts that make it match: of alternatives those that do, of an exclusion none. Null if it doesn't
 * match, which only an exact search can say.
 */
function evaluate(query: Query, find: Find, exact: boolean, wanted = true): readonly FoundText[] | null {
  if (query.kind === 'not') return evaluate(query.of, find, exact, !wanted);
  if (query.kind === 'and' || query.kind === 'or') {
    const parts = query.of.map((part) => evaluate(part, find, exact, wanted));
    const matching = parts.filter((part) => part !== null);
    // What is excluded by a group is excluded by one of its parts, and the other way round.
    const needed = (query.kind === 'and') === wanted ? parts.length : 1;
    return matching.length < needed ? null : matching.flat();
  }
  const found = find(query);
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

/** In order of fields and places, in code points; places that touch or overlap are one. */
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
