import { badRequest, type ServiceError } from '../../../../src/domain/errors.js';
import type { Product } from '../../../../src/domain/model.js';
import { foldWord } from '../../search/fold.js';
import { parseQuery } from '../../search/parse.js';
import type { Query, Term } from '../../search/query.js';
import { signsIn } from '../../search/signs.js';
import { formatTerm } from '../../search/spelling.js';
import { isHandle } from '../ids.js';
import { compileFilter, type Filter, flagFilter } from './filter.js';

/** A search as the network takes it, and the conditions to check on its results. */
export interface Search {
  /** Words, phrases and the like; empty: everything that the other conditions allow. */
  readonly text: string;
  readonly author?: string;
  readonly mentions?: string;
  readonly lang?: string;
  readonly domain?: string;
  readonly url?: string;
  /** A post must have all of them. */
  readonly tags: readonly string[];
  /** RFC 3339; inclusive. */
  readonly since?: string;
  /** RFC 3339; exclusive. */
  readonly until?: string;
  readonly filters: readonly Filter[];
  /** The filters that the newer search can express too; it then looks through more posts for each page. */
  readonly hints: { readonly replies?: boolean; readonly media?: true; readonly video?: true };
}

type Draft = { -readonly [K in keyof Search]: Search[K] };

/** Throws `bad_request` (param `q`) that names what cannot be expressed on Bluesky. */
export function translate(q: string, product: Product): Search {
  const query = parseQuery(q);
  const draft: Draft = { text: '', tags: [], filters: [], hints: {} };
  if (product === 'Photos') draft.filters = [flagFilter('image')];
  if (product === 'Videos') draft.filters = [flagFilter('video')];
  if (product === 'Photos') draft.hints = { media: true };
  if (product === 'Videos') draft.hints = { video: true };
  for (const part of query.kind === 'and' ? query.of : [query]) addPart(draft, part);
  return draft;
}

/** The words that profiles are searched by. Throws `bad_request` for anything else. */
export function translatePeople(q: string): string {
  const query = parseQuery(q);
  const terms = query.kind === 'and' ? query.of : [query];
  return terms
    .map((term) => {
      if (term.kind === 'word' || term.kind === 'phrase') return term.text;
      throw cannotSay(spelling(term), 'a search for people takes words only');
    })
    .join(' ');
}

function addPart(draft: Draft, part: Query): void {
  if (part.kind === 'is' && part.flag === 'retweet') {
    throw cannotSay(spelling(part), 'search does not return reposts');
  }
  const filter = compileFilter(part);
  if (filter === undefined) {
    if (part.kind === 'and') for (const inner of part.of) addPart(draft, inner);
    else addTerm(draft, sayable(part));
    return;
  }
  draft.filters = [...draft.filters, filter];
  if (part.kind === 'is') hint(draft, part.flag, true);
  if (part.kind === 'not' && part.of.kind === 'is') hint(draft, part.of.flag, false);
}

function hint(draft: Draft, flag: string, wanted: boolean): void {
  if (flag === 'reply') draft.hints = { ...draft.hints, replies: wanted };
  if (wanted && (flag === 'media' || flag === 'image')) draft.hints = { ...draft.hints, media: true };
  if (wanted && flag === 'video') draft.hints = { ...draft.hints, video: true };
}

function sayable(part: Query): Term {
  if (part.kind === 'or') throw cannotSay('OR', 'all terms must match');
  if (part.kind === 'not')
    throw cannotSay(`-${spelling(part.of)}`, 'only replies, links, media and the like can be excluded');
  if (part.kind === 'and') throw cannotSay('( )', 'all terms must match');
  return part;
}

function addTerm(draft: Draft, term: Term): void {
  switch (term.kind) {
    case 'word':
      if (isAddress(term.text)) addOnce(draft, 'url', term.text, term);
      else addText(draft, plain(term.text));
      break;
    case 'phrase':
      addText(draft, quoted(term.text));
      break;
    case 'cashtag':
      draft.filters = [...draft.filters, hasCashtag(term.text)];
      addText(draft, `"$${term.text}"`);
      break;
    case 'hashtag':
      if (!isTag(term.text)) throw cannotSay(spelling(term), 'a hashtag can have at most 64 characters');
      draft.tags = [...draft.tags, term.text];
      break;
    case 'from':
      addOnce(draft, 'author', wholeHandle(term.handle, term), term);
      break;
    case 'to':
      addOnce(draft, 'mentions', wholeHandle(term.handle, term), term);
      break;
    case 'mention':
      addOnce(draft, 'mentions', wholeHandle(term.text, term), term);
      break;
    case 'lang':
      addOnce(draft, 'lang', term.text, term);
      break;
    case 'url':
      addAddress(draft, term.text, term);
      break;
    case 'since':
      if (draft.since === undefined || term.time > draft.since) draft.since = term.time;
      break;
    case 'until':
      if (draft.until === undefined || term.time < draft.until) draft.until = term.time;
      break;
    default:
      throw cannotSay(spelling(term));
  }
}

function addText(draft: Draft, text: string): void {
  draft.text = draft.text === '' ? text : `${draft.text} ${text}`;
}

/** The network accepts each of these parameters only once. */
function addOnce(
  draft: Draft,
  name: 'author' | 'mentions' | 'lang' | 'domain' | 'url',
  text: string,
  term: Term,
): void {
  if (draft[name] !== undefined && draft[name] !== text)
    throw cannotSay(spelling(term), 'only one of these is allowed');
  draft[name] = text;
}

function addAddress(draft: Draft, text: string, term: Term): void {
  if (isAddress(text)) addOnce(draft, 'url', text, term);
  else if (isHandle(text)) addOnce(draft, 'domain', text.toLowerCase(), term);
  else
    throw cannotSay(spelling(term), 'url: must be followed by a domain such as example.org, or a full URL in quotes');
}

/** Whether the search's lexicon allows this tag. */
function isTag(text: string): boolean {
  const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
  return Buffer.byteLength(text, 'utf8') <= 640 && [...characters].length <= 64;
}

/** Whether it is a full URL that is also a `uri` of the AT protocol's lexicons. */
const isAddress = (text: string): boolean =>
  text.length <= 8192 && /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text);

/** A word that the network could read as something else becomes a phrase of one word. */
const plain = (text: string): string =>
  /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’._-]*$/u.test(text) && !/^(AND|NOT|TO)$/.test(text) ? text : quoted(text);

/** A backslash is no part of any word, but at the end it could keep the quotes open. */
const quoted = (text: string): string => `"${text.replaceAll('\\', ' ').trim()}"`;

const hasCashtag =
  (symbol: string): Filter =>
  ({ tweet }) =>
    signsIn('cashtag', tweet.text).some((each) => foldWord(each) === foldWord(symbol));

function wholeHandle(handle: string, term: Term): string {
  if (isHandle(handle)) return handle.toLowerCase();
  throw cannotSay(spelling(term), 'handles contain a dot: from:ada.bsky.social, to:ada.bsky.social');
}

function spelling(query: Query): string {
  if (query.kind === 'or') return 'OR';
  if (query.kind === 'and') return '( )';
  return query.kind === 'not' ? `-${spelling(query.of)}` : formatTerm(query);
}

const cannotSay = (what: string, why?: string): ServiceError =>
  badRequest(`Bluesky search does not support ${what}${why === undefined ? '' : `: ${why}`}.`, 'q');
