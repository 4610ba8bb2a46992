import { type ListRef, PRODUCTS } from '../../../src/core/model.js';
import type { Network, NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { XApi, type XOptions } from './api.js';
import { findTweets, findUsers } from './entities.js';
import { isXId, noTweet, noUser } from './ids.js';
import { readList } from './lists.js';
import { checkSearch, readSearch } from './search.js';
import { checkAll } from './self-check.js';
import { readReplies, readThread } from './thread.js';

/** Calls a second of each token. X's own limits count by the quarter of an hour, but its archive one a second. */
const PACE = { recent: { fast: 30, slow: 12 }, archive: { fast: 30, slow: 1 } } as const;

/** X, read through its official API v2. */
export function createXNetwork(options: XOptions): Network {
  const api = new XApi(options);
  return {
    name: 'x',
    sessions: api.sessions,
    batchSize: { users: 100, tweets: 100 },
    pace: PACE[options.search],
    products: PRODUCTS,
    checkQuery: (q, product) => checkSearch(q, product, options),
    users: (refs, context) => findUsers(api, refs, context),
    tweets: (ids, context) => findTweets(api, ids, context),
    page: (list, token, context) => readPage(api, options, list, token, context),
    selfCheck: (context) => checkAll(api, options, context),
    close: () => api.close(),
  };
}

async function readPage(
  api: XApi,
  settings: XOptions,
  { kind, subject, product = 'Latest' }: ListRef,
  token: string | null,
  context: ReadContext,
): Promise<NetworkPage> {
  if (kind === 'search') return readSearch(api, { q: subject, product }, token, context, settings);
  if (!isXId(subject)) return absent(kind);
  if (kind === 'thread') return readThread({ api, context, settings }, subject, token);
  if (kind === 'replies') return readReplies({ api, context, settings }, subject, token);
  return readList(api, kind, subject, token, context);
}

/** What a list under an id that X can have given to nothing answers (T6). */
function absent(kind: Exclude<ListRef['kind'], 'search'>): NetworkPage {
  if (kind === 'quotes') return { tweets: [], next: null };
  if (kind === 'retweeters') return { users: [], next: null };
  throw kind === 'thread' || kind === 'replies' ? noTweet() : noUser();
}
