import type { ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS } from '../../../src/domain/model.js';
import { pageWithoutSubject, type Readers, requireReader, servedBy } from '../../../src/domain/served-lists.js';
import type { Network, NetworkBilling, NetworkPage } from '../../../src/ports/network.js';
import { createHighlighter } from '../search/highlights/highlights.js';
import { XApi, type XContext, type XOptions } from './api.js';
import { findTweets, findUsers } from './entities.js';
import { IMPOSSIBLE, isXId, noTweet, noUser } from './ids.js';
import { readFollows, readQuotes, readRetweeters, readTimeline } from './lists.js';
import { checkSearch, readSearch, type SearchPlace } from './search.js';
import { checkAll } from './self-check.js';
import { readReplies, readThread } from './thread.js';

/** Calls per second of each token. X's own limits are per quarter of an hour, but its archive allows one a second. */
const PACE = { recent: { fast: 30, slow: 12 }, archive: { fast: 30, slow: 1 } } as const;

/** X's price list for pay-per-use (docs.x.com, pricing): each post and each profile returned. */
const BILLING: NetworkBilling = { per: 'item', usd: { tweet: 0.005, user: 0.01 } };

/** X, read through its official API v2. */
export function createXNetwork(options: XOptions): Network {
  const api = new XApi(options);
  return {
    name: 'x',
    sessions: api.sessions,
    billing: BILLING,
    batchSize: { users: 100, tweets: 100 },
    handlesApart: true,
    pace: PACE[options.search],
    products: PRODUCTS,
    lists: servedBy(READERS),
    checkQuery: (q, product) => checkSearch(q, product, options),
    impossible: IMPOSSIBLE,
    highlighter: createHighlighter({ exact: false }),
    users: (refs, context) => findUsers(api, refs, context),
    tweets: (ids, context) => findTweets(api, ids, context),
    async page(list, token, context, want) {
      const ofList: XContext = { ...context, isList: true };
      return requireReader(READERS, list.kind)({ api, token, context: ofList, want, settings: options }, list);
    },
    selfCheck: (context, memory) => checkAll({ api, options, memory }, context),
    close: () => api.close(),
  };
}

type Reader = (reading: SearchPlace, list: ListRef) => Promise<NetworkPage>;

/** A list of a user or a post; empty for an id that X cannot have issued. */
const under =
  (read: (reading: SearchPlace, id: string) => Promise<NetworkPage>): Reader =>
  async (reading, { kind, subject }) =>
    isXId(subject) ? read(reading, subject) : pageWithoutSubject(kind, { user: noUser, tweet: noTweet });

const READERS: Readers<Reader> = {
  timeline: under(readTimeline),
  followers: under(readFollows('followers')),
  following: under(readFollows('following')),
  thread: under(readThread),
  replies: under(readReplies),
  quotes: under(readQuotes),
  retweeters: under(readRetweeters),
  search: (reading, { subject, product = 'Latest' }) => readSearch(reading, { q: subject, product }),
};
