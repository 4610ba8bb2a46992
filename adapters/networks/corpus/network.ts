import { handleKey } from '../../../src/domain/ids.js';
import type { ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS, type Tweet, type User, type UserRef } from '../../../src/domain/model.js';
import { pageWithoutSubject, type Readers, requireReader, servedBy } from '../../../src/domain/served-lists.js';
import type { Found, Network, NetworkPage } from '../../../src/ports/network.js';
import { createHighlighter } from '../search/highlights/highlights.js';
import { rowToUser } from './map.js';
import { readMostFollowed, readTweets, readUsers } from './reads/entities.js';
import { noTweet, noUser, privateTweet } from './reads/subject.js';
import { readThread } from './reads/thread.js';
import { readQuotes, readReplies, readTimeline } from './reads/tweet-lists.js';
import { readFollows, readRetweeters } from './reads/user-lists.js';
import { type CorpusPool, type Run, runOn, type Tables } from './run.js';
import { createCompleteness } from './search/completeness.js';
import { createIdRanges, type ReadRanges } from './search/id-ranges.js';
import { createPostgresIndex } from './search/postgres-index.js';
import { checkQuery, readSearch } from './search/search.js';
import type { TweetIndex } from './search/tweet-index.js';
import { type CorpusPosition, parsePosition, storableId } from './token.js';

/**
 * The network of imported data, read from the tables of migration 002: every list kind and every search product, no
 * pace. With other `tables`, the invented network of test keys, from tables of the same form. Give it a pool of its
 * own, because an aborted read is cancelled in the database (see `runOn`).
 */
export function createCorpusNetwork(pool: CorpusPool, tables: Tables = 'corpus'): Network {
  const run = runOn(pool, tables);
  const readRanges = createIdRanges(run);
  const index = createPostgresIndex(run, readRanges);
  const requireComplete = createCompleteness(run);
  return {
    name: tables,
    sessions: [tables],
    billing: null,
    batchSize: { users: 100, tweets: 100 },
    pace: { fast: null, slow: null },
    products: PRODUCTS,
    lists: servedBy(READERS),
    checkQuery,
    highlighter: createHighlighter({ exact: true }),
    users: (refs, { signal }) => findUsers(run, refs, signal),
    tweets: (ids, { signal }) => findTweets(run, ids, signal),
    sample: ({ signal }) => readMostFollowed(run, signal),
    async page(list, token, { signal }) {
      if (list.kind === 'search') await requireComplete(list.product ?? 'Latest', signal);
      return requireReader(READERS, list.kind)({ run, index, readRanges }, list, parsePosition(token), signal);
    },
  };
}

async function findUsers(run: Run, refs: readonly UserRef[], signal: AbortSignal): Promise<Found<User>[]> {
  const { byId, byHandle } = await readUsers(run, refs, signal);
  return refs.map((ref) => {
    const row = 'id' in ref ? byId.get(ref.id) : byHandle.get(handleKey(ref.handle));
    return row === undefined ? { fail: noUser() } : { ok: rowToUser(row) };
  });
}

async function findTweets(run: Run, ids: readonly string[], signal: AbortSignal): Promise<Found<Tweet>[]> {
  const tweets = await readTweets(run, ids, signal);
  return ids.map((id) => {
    const tweet = tweets.get(id);
    if (tweet === undefined) return { fail: noTweet() };
    return tweet.author?.protected ? { fail: privateTweet() } : { ok: tweet };
  });
}

interface Reading {
  readonly run: Run;
  readonly index: TweetIndex;
  readonly readRanges: ReadRanges;
}

type Reader = (
  reading: Reading,
  list: ListRef,
  after: CorpusPosition | null,
  signal: AbortSignal,
) => Promise<NetworkPage>;

/** A list of a user or a tweet; empty for an id that no row can have. */
const under =
  (
    read: (
      run: Run,
      id: string,
      after: CorpusPosition | null,
      signal: AbortSignal,
      readRanges: ReadRanges,
    ) => Promise<NetworkPage>,
  ): Reader =>
  async ({ run, readRanges }, { kind, subject }, after, signal) =>
    storableId(subject) === null
      ? pageWithoutSubject(kind, { user: noUser, tweet: noTweet })
      : read(run, subject, after, signal, readRanges);

const READERS: Readers<Reader> = {
  timeline: under(readTimeline),
  followers: under((run, id, after, signal) => readFollows(run, 'followers', id, after, signal)),
  following: under((run, id, after, signal) => readFollows(run, 'following', id, after, signal)),
  thread: under(readThread),
  replies: under(readReplies),
  quotes: under(readQuotes),
  retweeters: under(readRetweeters),
  search: ({ run, index }, { subject, product = 'Latest' }, after, signal) =>
    readSearch(run, index, { q: subject, product }, after, signal),
};
