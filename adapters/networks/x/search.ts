import type { Product, Tweet } from '../../../src/core/model.js';
import type { NetworkPage, ReadContext } from '../../../src/ports/network.js';
import type { XApi } from './api.js';
import { timeOfId } from './ids.js';
import { nextOf, POSTS, subjectIn } from './lists.js';
import { tweetsOf, usersOf } from './map.js';
import { compilePeople, compilePosts, type PostQuery } from './query.js';
import { parseToken, requireReach, type Settings, tokenOf, windowOf } from './window.js';

/** Twice the largest page of the interface, and X's default. */
const PEOPLE = 100;

const ONLY = { Latest: null, Top: null, Photos: 'images', Videos: 'video_link' } as const;

/** Throws exactly when Perch itself would refuse a search: `bad_request`, with the reason. Reads nothing. */
export function checkSearch(q: string, product: Product, settings: Settings): void {
  if (product === 'People') compilePeople(q);
  else requireReach(compilePosts(q, ONLY[product]).bounds, settings);
}

export async function readSearch(
  api: XApi,
  { q, product }: { q: string; product: Product },
  token: string | null,
  context: ReadContext,
  settings: Settings,
): Promise<NetworkPage> {
  checkSearch(q, product, settings);
  const asked = { kind: 'search', product } as const;
  if (product === 'People') {
    const params = {
      query: compilePeople(q),
      max_results: String(PEOPLE),
      ...(token !== null && { next_token: token }),
    };
    const answer = await api.users('/2/users/search', params, asked, context);
    subjectIn(answer, 'user');
    return { users: usersOf(answer), next: nextOf(answer) };
  }
  return searchPosts(api, { ...compilePosts(q, ONLY[product]), product }, token, context, settings);
}

interface PostSearch extends PostQuery {
  readonly product: Exclude<Product, 'People'>;
  readonly isOurs?: boolean;
}

export interface PostPage {
  readonly tweets: readonly Tweet[];
  readonly next: string | null;
  readonly endReason?: 'network_limit';
}

/** One page, from a token of the same search or from the start. Recent search ends after its seven days (C17). */
async function searchPosts(
  api: XApi,
  { query, bounds, product, isOurs = false }: PostSearch,
  token: string | null,
  context: ReadContext,
  settings: Settings,
): Promise<PostPage> {
  const begun = token === null ? null : parseToken(token);
  const window = begun?.window ?? windowOf(bounds, settings);
  const all = {
    query,
    max_results: String(POSTS),
    sort_order: product === 'Top' ? 'relevancy' : 'recency',
    ...window.params,
    ...(begun && { next_token: begun.nextToken }),
  };
  const answer = await api.tweets(`/2/tweets/search/${window.path}`, all, { kind: 'search', product, isOurs }, context);
  subjectIn(answer, 'tweet');
  const next = nextOf(answer);
  const ends = next === null && !window.isWhole;
  return {
    tweets: tweetsOf(answer),
    next: next === null ? null : tokenOf(window, next),
    ...(ends && { endReason: 'network_limit' as const }),
  };
}

/** X's search covers posts up to half a minute ago, and refuses to start later. */
const LATEST_START_MS = 60_000;

/**
 * What was posted under a post: a search that only Perch makes, from the time when the post was written, or shortly
 * before.
 */
export function searchUnder(
  api: XApi,
  query: string,
  id: string,
  token: string | null,
  context: ReadContext,
  settings: Settings,
): Promise<PostPage> {
  const since = Math.min(timeOfId(id), settings.clock.now() - LATEST_START_MS);
  return searchPosts(api, { query, bounds: { since }, product: 'Latest', isOurs: true }, token, context, settings);
}
