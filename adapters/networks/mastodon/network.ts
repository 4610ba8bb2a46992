import { foreignCursor } from '../../../src/core/foreign-cursor.js';
import type { ListRef } from '../../../src/core/model.js';
import { type Readers, readerOf, servedBy } from '../../../src/core/served-lists.js';
import type { Network, NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { Api, type MastodonOptions } from './api.js';
import { readReplies, readThread } from './conversation.js';
import { isPosition } from './link-header.js';
import { type ListPosition, readFollows, readQuotes, readRetweeters, readTimeline } from './lists.js';
import { readTweets, readUsers } from './objects.js';
import { checkQuery, readSearch, SEARCHABLE } from './search.js';
import { selfCheck } from './self-check.js';

/**
 * A server lets 300 calls in 5 minutes pass, whoever asks. A slow read may take two: together these make at most
 * 5 × 60 × (0.5 + 2 × 0.25) = 300. Of reads that page it lets 300 in 15 minutes pass: slow ones make 225 of them, and when many
 * timelines are paged as well, its rate headers say when to rest.
 */
const PACE = { fast: 0.5, slow: 0.25 } as const;

/** One Mastodon server (4.3 or later) by its client API: what it knows of the network is what can be read. */
export function createMastodonNetwork(options: MastodonOptions): Network {
  const api = new Api(options);
  return {
    name: 'mastodon',
    sessions: api.sessions,
    // A handle is a call of its own, and a turn is one call; of posts a call takes twenty.
    batchSize: { users: 1, tweets: 20 },
    pace: PACE,
    products: SEARCHABLE,
    lists: servedBy(READERS),
    checkQuery,
    users: (refs, context) => readUsers(api, refs, context),
    tweets: (ids, context) => readTweets(api, ids, context),
    async page(list, token, context) {
      if (token !== null && !isPosition(token)) throw foreignCursor();
      return readerOf(READERS, list.kind)(api, list, token, context);
    },
    selfCheck: (context) => selfCheck(api, context),
    close: () => api.close(),
  };
}

type Reader = (api: Api, list: ListRef, token: string | null, context: ReadContext) => Promise<NetworkPage>;

/** A list that goes on from a post or an account of the server's own. */
const paged =
  (read: (api: Api, position: ListPosition, context: ReadContext) => Promise<NetworkPage>): Reader =>
  (api, { subject }, token, context) =>
    read(api, { subject, maxId: token }, context);

/** A list that comes whole. */
const whole =
  (read: (api: Api, id: string, context: ReadContext) => Promise<NetworkPage>): Reader =>
  (api, { subject }, _token, context) =>
    read(api, subject, context);

const READERS: Readers<Reader> = {
  timeline: paged(readTimeline),
  followers: paged((api, ...rest) => readFollows(api, 'followers', ...rest)),
  following: paged((api, ...rest) => readFollows(api, 'following', ...rest)),
  thread: whole(readThread),
  replies: whole(readReplies),
  quotes: paged(readQuotes),
  retweeters: paged(readRetweeters),
  search: (api, { subject, product = 'Latest' }, token, context) =>
    readSearch(api, { q: subject, product, offset: Number(token ?? 0) }, context),
};
