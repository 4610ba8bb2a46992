import type { Product, Tweet } from '../../../src/domain/model.js';
import type { NetworkPage } from '../../../src/ports/network.js';
import { timeOfId } from './ids.js';
import { type ListPlace, nextToken, subjectIn } from './lists.js';
import { mapTweets, mapUsers } from './map.js';
import { choosePageSize, type PageBounds } from './page-size.js';
import { compilePeople, compilePosts, type PostQuery } from './query.js';
import { chooseWindow, encodeToken, parseToken, requireReach, type Settings } from './window.js';

const POSTS: PageBounds = { least: 10, most: 100 };
/** Twice the largest page of the interface, and X's default. */
const PEOPLE: PageBounds = { least: 1, most: 100 };

export interface SearchPlace extends ListPlace {
  readonly settings: Settings;
}

const ONLY = { Latest: null, Top: null, Photos: 'images', Videos: 'video_link' } as const;

/** Throws exactly when Perch itself would refuse a search: `bad_request`, with the reason. Reads nothing. */
export function checkSearch(q: string, product: Product, settings: Settings): void {
  if (product === 'People') compilePeople(q);
  else requireReach(compilePosts(q, ONLY[product]).bounds, settings);
}

export async function readSearch(
  place: SearchPlace,
  { q, product }: { q: string; product: Product },
): Promise<NetworkPage> {
  const { api, token, context, want } = place;
  checkSearch(q, product, place.settings);
  const input = { kind: 'search', product } as const;
  if (product === 'People') {
    const { size, page } = choosePageSize(PEOPLE, want);
    const params = {
      query: compilePeople(q),
      max_results: String(size),
      ...(token !== null && { next_token: token }),
    };
    const answer = await api.users('/2/users/search', params, input, context);
    subjectIn(answer, 'user');
    return { users: mapUsers(answer), next: nextToken(answer), ...page };
  }
  return searchPosts(place, { ...compilePosts(q, ONLY[product]), product });
}

interface PostSearch extends PostQuery {
  readonly product: Exclude<Product, 'People'>;
  readonly isOurs?: boolean;
}

export interface PostPage {
  readonly tweets: readonly Tweet[];
  readonly next: string | null;
  readonly endReason?: 'network_limit';
  readonly size?: number;
}

/** One page, from a token of the same search or from the start. Recent search ends after its seven days. */
async function searchPosts(
  { api, token, context, want, settings }: SearchPlace,
  { query, bounds, product, isOurs = false }: PostSearch,
): Promise<PostPage> {
  const { size, page } = choosePageSize(POSTS, want);
  const begun = token === null ? null : parseToken(token);
  const window = begun?.window ?? chooseWindow(bounds, settings);
  const all = {
    query,
    max_results: String(size),
    sort_order: product === 'Top' ? 'relevancy' : 'recency',
    ...window.params,
    ...(begun && { next_token: begun.nextToken }),
  };
  const input = { kind: 'search', product, isOurs, isBegun: begun !== null } as const;
  const answer = await api.tweets(`/2/tweets/search/${window.path}`, all, input, context);
  subjectIn(answer, 'tweet');
  const next = nextToken(answer);
  const ends = next === null && !window.isWhole;
  return {
    tweets: mapTweets(answer),
    next: next === null ? null : encodeToken(window, next),
    ...(ends && { endReason: 'network_limit' as const }),
    ...page,
  };
}

/** X's search covers posts up to half a minute ago, and refuses a later start. */
const LATEST_START_MS = 60_000;

/** Where a search for what was posted under a post starts: when the post was written, or shortly before. */
const searchStart = ({ clock }: Settings, id: string): number => Math.min(timeOfId(id), clock.now() - LATEST_START_MS);

/** Throws while `searchUnder` has no calls left. */
export function requireSearchUnder({ api, context, settings }: SearchPlace, id: string): Promise<void> {
  const { path } = chooseWindow({ since: searchStart(settings, id) }, settings);
  return api.requireCalls(`/2/tweets/search/${path}`, context);
}

/** Finds what was posted under a post, with a query of Perch's own. */
export function searchUnder(place: SearchPlace, query: string, id: string): Promise<PostPage> {
  const bounds = { since: searchStart(place.settings, id) };
  return searchPosts(place, { query, bounds, product: 'Latest', isOurs: true });
}
