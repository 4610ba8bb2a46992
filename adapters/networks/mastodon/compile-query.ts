import { badRequest, type ServiceError } from '../../../src/domain/errors.js';
import type { Product } from '../../../src/domain/model.js';
import { DAY_MS, utcDay } from '../../../src/lib/durations.js';
import { parseQuery } from '../search/parse.js';
import type { Query, Term } from '../search/query.js';
import { formatTerm } from '../search/spelling.js';

/** Words that the server cannot read as anything else. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.'’-]*$/u;

/** The server reads all of these as a straight quote, which would end a phrase. */
const QUOTES = /["“”„«»「」『』《》]/g;

/** A search in the server's syntax. Throws `bad_request` (param `q`) that names what it cannot express. */
export function compileQuery(q: string, product: Product): string {
  const parts = conjuncts(parseQuery(q));
  if (product === 'People') return parts.map(personTerm).join(' ');
  const media = product === 'Photos' || product === 'Videos' ? ['has:media'] : [];
  const terms = parts.map(part).sort((one, other) => termOrder(one) - termOrder(other));
  // Without it the search would include the library: the token owner's own, liked and saved posts.
  return [...terms, ...media, 'in:public'].join(' ');
}

/** Words, then excluded words, then operators: some versions ignore all but the last run of each kind. */
function termOrder(term: string): number {
  if (/^-?[a-z]+:/.test(term)) return 2;
  return term.startsWith('-') ? 1 : 0;
}

/** The conditions that must all be met. The server has no other way to join terms. */
function conjuncts(query: Query): readonly Query[] {
  return query.kind === 'and' ? query.of.flatMap(conjuncts) : [query];
}

function part(query: Query): string {
  const bound = boundOf(query);
  if (bound !== undefined) return wideBound(bound);
  if (query.kind === 'not') {
    if (isJoined(query.of) || query.of.kind === 'not') throw unsaid('- before parentheses');
    return `-${tweetTerm(query.of)}`;
  }
  if (isJoined(query)) throw unsaid('OR');
  return tweetTerm(query);
}

function tweetTerm(term: Term): string {
  switch (term.kind) {
    case 'word':
      return PLAIN.test(term.text) ? term.text : phrase(term);
    case 'phrase':
      return phrase(term);
    case 'hashtag':
      return `#${term.text}`;
    case 'mention':
      return `@${term.text}`;
    case 'from':
      return `from:@${term.handle}`;
    case 'lang':
      return `language:${term.text}`;
    case 'is':
      if (term.flag === 'media') return 'has:media';
      if (term.flag === 'reply') return 'is:reply';
      if (term.flag === 'image') throw unsaid(formatTerm(term), 'search product Photos instead');
      if (term.flag === 'video') throw unsaid(formatTerm(term), 'search product Videos instead');
      throw unsaid(formatTerm(term));
    default:
      throw unsaid(formatTerm(term));
  }
}

/** In quotes, text that the server could take for an operator, such as `+in:library`, stays text. */
function phrase(term: Extract<Term, { text: string }>): string {
  const text = term.text.replace(QUOTES, ' ').trim();
  if (text === '') throw unsaid(formatTerm(term));
  return `"${text}"`;
}

/** A moment before which posts may not be, or must be. */
interface Bound {
  readonly term: Extract<Term, { kind: 'since' | 'until' }>;
  readonly isLower: boolean;
}

/** The bound that a condition on the time sets: what is not since a moment is from before it. */
function boundOf(query: Query): Bound | undefined {
  const term = query.kind === 'not' ? query.of : query;
  if (term.kind !== 'since' && term.kind !== 'until') return undefined;
  return { term, isLower: (term.kind === 'since') === (query.kind !== 'not') };
}

/** The last day with a year of four digits. */
const LAST_DAY_MS = Date.UTC(9999, 11, 31);

/**
 * The server's days are those of the time zone that the token's owner has set, which it does not tell. Days begin
 * within a day of those of UTC, so the bound is a day wider, and `timeFilter` checks what the server finds.
 */
function wideBound({ term, isLower }: Bound): string {
  if (!term.time.endsWith('T00:00:00.000Z')) throw unsaid(formatTerm(term), 'use whole days, not hours');
  const at = Date.parse(term.time);
  // The server's `after:` begins when that day has ended.
  return isLower ? `after:${utcDay(at - 2 * DAY_MS)}` : `before:${utcDay(Math.min(at + DAY_MS, LAST_DAY_MS))}`;
}

/** Whether a post's time, in UTC, is within the bounds of a valid query. */
export function timeFilter(q: string): (createdAt: string) => boolean {
  const bounds = conjuncts(parseQuery(q)).flatMap((query) => boundOf(query) ?? []);
  return (createdAt) => bounds.every(({ term, isLower }) => Date.parse(createdAt) >= Date.parse(term.time) === isLower);
}

/** Profiles are found only by words of their names. */
function personTerm(query: Query): string {
  if (query.kind === 'word' || query.kind === 'mention') return query.text;
  if (query.kind === 'phrase') return query.text;
  if (query.kind === 'not') throw unsaid('- in a search for People');
  if (isJoined(query)) throw unsaid('OR');
  throw unsaid(`${formatTerm(query)} in a search for People`);
}

const isJoined = (query: Query): query is Extract<Query, { kind: 'and' | 'or' }> =>
  query.kind === 'and' || query.kind === 'or';

const unsaid = (what: string, hint?: string): ServiceError =>
  badRequest(`This network does not support ${what}${hint === undefined ? '' : `: ${hint}`}.`, 'q');
