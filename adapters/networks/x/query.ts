import { badRequest } from '../../../src/domain/errors.js';
import { COUNTERS } from '../search/counters.js';
import { parseQuery } from '../search/parse.js';
import type { Query, Term } from '../search/query.js';
import { formatTerm } from '../search/spelling.js';
import { isXHandle } from './ids.js';

/** A search for posts in X's form: the query text, and separately the bounds that X takes as parameters. */
export interface PostQuery {
  readonly query: string;
  readonly bounds: PostBounds;
}

/** Times are Unix milliseconds; `since` and `uptoId` are inclusive, `until` and `afterId` are exclusive. */
export interface PostBounds {
  readonly since?: number;
  readonly until?: number;
  readonly afterId?: string;
  readonly uptoId?: string;
}

/** The query in X's syntax. Throws `bad_request` (param `q`) naming what X cannot express: nothing is dropped. */
export function compilePosts(q: string, only: 'images' | 'video_link' | null): PostQuery {
  const parts = musts(parseQuery(q));
  const rest = parts.filter((part) => !isBound(part));
  if (!rest.some(standsAlone)) {
    throw badRequest(
      'On X, q needs something to search for: a word, "phrase", #tag, $tag, @handle, from:, to:, url:, conversation_id: or quoted_tweet_id:; lang:, filter:, min_…:, since: and until: only narrow the results.',
      'q',
    );
  }
  const words = rest.map((part) => (part.kind === 'or' ? `(${compileWords(part)})` : compileWords(part)));
  return { query: [...words, ...(only === null ? [] : [`has:${only}`])].join(' '), bounds: collectBounds(parts) };
}

/** The words to search profiles for. X accepts letters, digits, `_`, `'` and spaces, 50 characters at most. */
export function compilePeople(q: string): string {
  const words = musts(parseQuery(q)).map((part) => {
    if (part.kind === 'word' || part.kind === 'phrase' || part.kind === 'mention') return part.text;
    throw badRequest('With product People, q supports only words and @handles.', 'q');
  });
  const query = words.join(' ');
  if (/^[A-Za-z0-9_' ]{1,50}$/.test(query)) return query;
  throw badRequest("With product People, q can have at most 50 characters, all of them A-Z, a-z, 0-9, _ or '.", 'q');
}

/** The parts that every result must match. */
const musts = (query: Query): readonly Query[] => (query.kind === 'and' ? query.of.flatMap(musts) : [query]);

const NAMES = { since: 'since:', until: 'until:', afterId: 'since_id:', uptoId: 'max_id:' } as const;

const isBound = (query: Query): boolean => query.kind in NAMES;

function collectBounds(parts: readonly Query[]): PostBounds {
  const bounds: { -readonly [K in keyof PostBounds]: PostBounds[K] } = {};
  for (const part of parts) {
    if (part.kind === 'since') bounds.since = Math.max(bounds.since ?? -Infinity, Date.parse(part.time));
    if (part.kind === 'until') bounds.until = Math.min(bounds.until ?? Infinity, Date.parse(part.time));
    if (part.kind === 'afterId') bounds.afterId = narrower(bounds.afterId, part.id, (id, current) => id > current);
    if (part.kind === 'uptoId') bounds.uptoId = narrower(bounds.uptoId, part.id, (id, current) => id < current);
  }
  // With both, X would ignore the time.
  if (bounds.since !== undefined && bounds.afterId) throw badRequest('X accepts since: or since_id:, not both.', 'q');
  if (bounds.until !== undefined && bounds.uptoId) throw badRequest('X accepts until: or max_id:, not both.', 'q');
  return bounds;
}

const narrower = (
  current: string | undefined,
  id: string,
  isBetter: (id: bigint, current: bigint) => boolean,
): string => (current === undefined || isBetter(BigInt(id), BigInt(current)) ? id : current);

/** X refuses a query in which every alternative only narrows. */
function standsAlone(query: Query): boolean {
  if (query.kind === 'and') return query.of.some(standsAlone);
  if (query.kind === 'or') return query.of.every(standsAlone);
  if (query.kind === 'not') return query.of.kind === 'not' && standsAlone(query.of.of);
  return !['lang', 'is', 'atLeast'].includes(query.kind) && !isBound(query);
}

function compileWords(query: Query): string {
  if (query.kind === 'and') return query.of.map(grouped).join(' ');
  if (query.kind === 'or') return query.of.map(grouped).join(' OR ');
  return query.kind === 'not' ? withoutWords(query.of) : compileTerm(query);
}

const grouped = (query: Query): string =>
  query.kind === 'and' || query.kind === 'or' ? `(${compileWords(query)})` : compileWords(query);

/** X cannot negate groups, so "none of these" becomes "not this, and not that". */
function withoutWords(query: Query): string {
  if (query.kind === 'not') return grouped(query.of);
  if (query.kind === 'or') return query.of.map(withoutWords).join(' ');
  if (query.kind === 'and') throw badRequest('X cannot exclude a group: in "-( … )", separate terms with OR.', 'q');
  return `-${compileTerm(query)}`;
}

const FLAGS = {
  reply: 'is:reply',
  retweet: 'is:retweet',
  quote: 'is:quote',
  verified: 'is:verified',
  media: 'has:media',
  image: 'has:images',
  video: 'has:video_link',
  link: 'has:links',
  tag: 'has:hashtags',
  mention: 'has:mentions',
} as const;

function compileTerm(term: Term): string {
  switch (term.kind) {
    case 'word':
      return quoteIfNeeded(term.text);
    case 'phrase':
      return quoted(term.text);
    case 'hashtag':
      return `#${term.text}`;
    case 'cashtag':
      return `$${term.text}`;
    case 'mention':
      return `@${handle('@', term.text)}`;
    case 'from':
    case 'to':
      return `${term.kind}:${handle(`${term.kind}:`, term.handle)}`;
    case 'url':
      return `url:${quoted(term.text)}`;
    case 'lang':
      return `lang:${term.text}`;
    case 'conversation':
      return `conversation_id:${term.id}`;
    case 'quoting':
      return `quotes_of_tweet_id:${term.id}`;
    case 'atLeast':
      return `${counterOf(term)}:${term.least}`;
    case 'is':
      return FLAGS[term.flag];
    default:
      throw badRequest(`X accepts ${NAMES[term.kind]} only for the whole query, not within OR or after -.`, 'q');
  }
}

function counterOf(term: Extract<Term, { kind: 'atLeast' }>): string {
  const { onX } = COUNTERS[term.counter];
  if (onX === null) throw badRequest(`X does not support ${formatTerm(term)}.`, 'q');
  return onX;
}

/** X interprets punctuation and some words unless they are in quotes. */
const quoteIfNeeded = (text: string): string =>
  /^[\p{L}\p{M}\p{N}_]+$/u.test(text) && !/^(?:or|and|not)$/i.test(text) ? text : quoted(text);

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\')}"`;

function handle(operator: string, text: string): string {
  if (isXHandle(text)) return text;
  throw badRequest(`${operator} must be followed by an X handle (1 to 15 letters, digits or _), not "${text}".`, 'q');
}
