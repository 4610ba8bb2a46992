import { foreignCursor } from '../../../src/domain/errors.js';
import type { ListRef } from '../../../src/domain/lists.js';
import { type Readers, requireReader, servedBy } from '../../../src/domain/served-lists.js';
import type { Network, NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { createHighlighter } from '../search/highlights/highlights.js';
import { PushedLists } from '../upstream/push.js';
import { Api, type MastodonOptions } from './api.js';
import { readReplies, readThread } from './conversation.js';
import { isPosition } from './link-header.js';
import { type ListPosition, readFollows, readQuotes, readRetweeters, readTimeline } from './lists.js';
import { readTweets, readUsers } from './objects.js';
import { checkQuery, readSearch, SEARCHABLE } from './search.js';
import { selfCheck } from './self-check.js';
import { createStreaming } from './streaming.js';

/**
 * A server allows 300 calls in 5 minutes from each client. A slow read may take two calls, so fast and slow reads
 * together make at most 5 × 60 × (0.5 + 2 × 0.25) = 300. It also allows 300 paged reads in 15 minutes: slow reads make
 * 225 of them, and when many timelines are paged as well, the server's rate headers say when to rest.
 */
const PACE = { fast: 0.5, slow: 0.25 } as const;

/** One Mastodon server (4.3 or later) through its client API. What this server knows of the network can be read. */
export function createMastodonNetwork(options: MastodonOptions): Network {
  const api = new Api(options);
  const { streamingUrl, userAgent, clock } = options;
  const [token] = options.tokens;
  return {
    name: 'mastodon',
    sessions: api.sessions,
    billing: null,
    // The pace counts calls: a handle takes a call of its own, while one call reads up to twenty posts.
    batchSize: { users: 1, tweets: 20 },
    pace: PACE,
    products: SEARCHABLE,
    lists: servedBy(READERS),
    checkQuery,
    canonicalHandle: (handle) => api.canonicalHandle(handle),
    highlighter: createHighlighter({ exact: false }),
    users: (refs, context) => readUsers(api, refs, context),
    tweets: (ids, context) => readTweets(api, ids, context),
    async page(list, token, context) {
      if (token !== null && !isPosition(token)) throw foreignCursor();
      return requireReader(READERS, list.kind)(api, list, token, context);
    },
    ...(streamingUrl &&
      token !== undefined && {
        push: (log) => new PushedLists({ protocol: createStreaming(streamingUrl, token), log, userAgent, clock }),
      }),
    selfCheck: (context) => selfCheck(api, context),
    close: () => api.close(),
  };
}

type Reader = (api: Api, list: ListRef, token: string | null, context: ReadContext) => Promise<NetworkPage>;

/** A list that continues from the id of a post or account on this server. */
const paged =
  (read: (api: Api, position: ListPosition, context: ReadContext) => Promise<NetworkPage>): Reader =>
  (api, { subject }, token, context) =>
    read(api, { subject, maxId: token }, context);

/** A list that the server returns in one piece. */
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
