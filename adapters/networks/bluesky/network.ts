import { LISTS, type ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS, type Product } from '../../../src/domain/model.js';
import { pageWithoutSubject, type Readers, requireReader, servedBy } from '../../../src/domain/served-lists.js';
import type { Memories } from '../../../src/lib/memories.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Network, NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { createHighlighter } from '../search/highlights/highlights.js';
import { Upstream } from '../upstream/client.js';
import { PushedLists } from '../upstream/push.js';
import { limitReader } from '../upstream/rate-headers.js';
import { BlueskyAccount } from './account.js';
import { CreationTimes } from './creation-times.js';
import { notReadByAccount, notServed } from './failures.js';
import { IMPOSSIBLE, noTweet, noUser, POST, parseRecordId, uriOfRecord, userDid } from './ids.js';
import { createJetstream } from './jetstream.js';
import { MOST_INPUTS, Profiles } from './profiles.js';
import {
  type BlueskyListRead,
  readFollowers,
  readFollowing,
  readQuotes,
  readRetweeters,
  readTimeline,
} from './reads/lists.js';
import { readReplies, readThread } from './reads/thread.js';
import { readTweets } from './reads/tweets.js';
import { readUsers } from './reads/users.js';
import { Searches } from './search/search.js';
import { translate, translatePeople } from './search/translate.js';
import { selfCheck } from './self-check.js';
import { createXrpc } from './xrpc.js';

export interface BlueskyOptions {
  /** Any AppView, without a slash at the end. */
  readonly baseUrl?: string | null;
  /** The handle or address of an account, for searches. */
  readonly identifier?: string | null;
  /** One of its app passwords, never its main password. */
  readonly appPassword?: string | null;
  /** The server where the account signs in. */
  readonly serviceUrl?: string | null;
  /** Where DIDs are registered. */
  readonly directoryUrl?: string | null;
  /** A Jetstream server, which announces new posts, without a slash at the end; null: none. */
  readonly jetstreamUrl?: string | null;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Counts what it keeps in memory. */
  readonly memories?: Memories | undefined;
}

/** Session names: reads need no account, searches do. */
const ANONYMOUS = 'anonymous';
const ACCOUNT = 'account';

/**
 * Whether it is an AppView of Bluesky's own. These refuse searches without an account, so none are sent to them; other
 * AppViews may allow them.
 */
const isBlueskys = (baseUrl: string): boolean => /(^|\.)bsky\.(app|social)$/.test(new URL(baseUrl).hostname);

/**
 * Counted in reads, not requests. A timeline with its authors takes two to five requests, and so does a page of
 * followers; a thread takes up to seven, a search up to nine. At full pace that makes 8 to 20 requests a second for
 * fast reads, and up to 9 for slow ones. Only a batch of reposts takes more: 27, four at a time.
 */
const PACE = { fast: 4, slow: 1 } as const;

/** Bluesky, or any AppView of the AT protocol, through its public API. Search needs an account; nothing else does. */
export function createBlueskyNetwork(options: BlueskyOptions): Network {
  const { userAgent, clock, identifier, appPassword, jetstreamUrl } = options;
  const baseUrl = options.baseUrl ?? 'https://public.api.bsky.app';
  const limitOf = limitReader('ratelimit', 'unix seconds');
  const appView = new Upstream({ baseUrl, userAgent, limitOf });
  const service = new Upstream({ baseUrl: options.serviceUrl ?? 'https://bsky.social', userAgent, limitOf });
  const directory = new Upstream({
    baseUrl: options.directoryUrl ?? 'https://plc.directory',
    userAgent,
    limitOf: () => undefined,
  });
  const xrpc = createXrpc(appView);
  const profiles = new Profiles(xrpc, new CreationTimes(directory, clock, options.memories));
  const account =
    identifier && appPassword ? new BlueskyAccount({ upstream: service, identifier, appPassword, clock }) : undefined;
  const searches = new Searches({ xrpc: account?.xrpc ?? xrpc, profiles, clock, mayUseV2: account !== undefined });
  const searcher = account ? ACCOUNT : isBlueskys(baseUrl) ? null : ANONYMOUS;

  async function page(list: ListRef, token: string | null, context: ReadContext): Promise<NetworkPage> {
    const read = requireReader(READERS, list.kind);
    const isSearch = LISTS[list.kind].subject === 'query';
    const { session = isSearch ? searcher : ANONYMOUS } = context;
    if (isSearch) {
      check(list.subject, list.product ?? 'Latest');
      if (session === null || session !== searcher) throw notServed(list.product ?? 'Latest');
    } else if (session === ACCOUNT) {
      throw notReadByAccount();
    }
    return read({ xrpc, profiles, searches, token, context }, list);
  }

  const anonymously = ({ session }: ReadContext): void => {
    if (session === ACCOUNT) throw notReadByAccount();
  };
  return {
    name: 'bluesky',
    sessions: account ? [ANONYMOUS, ACCOUNT] : [ANONYMOUS],
    isFor: (session, kind) => (session === ACCOUNT) === (account !== undefined && kind.startsWith('search')),
    billing: null,
    batchSize: { users: MOST_INPUTS, tweets: MOST_INPUTS },
    pace: PACE,
    products: searcher === null ? ['Latest'] : PRODUCTS,
    lists: servedBy(READERS),
    checkQuery: check,
    impossible: IMPOSSIBLE,
    highlighter: createHighlighter({ exact: false }),
    async users(refs, context) {
      anonymously(context);
      return readUsers(profiles, refs, context);
    },
    async tweets(ids, context) {
      anonymously(context);
      return readTweets(xrpc, profiles, ids, context);
    },
    page,
    ...(jetstreamUrl && {
      push: (log) => new PushedLists({ protocol: createJetstream(jetstreamUrl), log, userAgent, clock }),
    }),
    selfCheck: (context) => selfCheck({ xrpc, account, canSearch: searcher !== null, context }),
    close: async () => void (await Promise.all([appView, service, directory].map((upstream) => upstream.close()))),
  };
}

function check(query: string, product: Product): void {
  if (product === 'People') translatePeople(query);
  else translate(query, product);
}

interface Reading extends BlueskyListRead {
  readonly searches: Searches;
}

type Reader = (reading: Reading, list: ListRef) => Promise<NetworkPage>;

const MISSING = { user: noUser, tweet: noTweet } as const;

const ofUser =
  (read: (reading: Reading, did: string) => Promise<NetworkPage>): Reader =>
  async (reading, { kind, subject }) => {
    const did = userDid(subject);
    return did === null ? pageWithoutSubject(kind, MISSING) : read(reading, did);
  };

/** Reads a list of a post, or by `ofRepost` that of a repost, which is not a post of its own. */
const ofTweet =
  (read: (reading: Reading, uri: string) => Promise<NetworkPage>, ofRepost: Reader): Reader =>
  async (reading, list) => {
    const record = parseRecordId(list.subject);
    if (record === null) return pageWithoutSubject(list.kind, MISSING);
    return record.collection === POST ? read(reading, uriOfRecord(record)) : ofRepost(reading, list);
  };

/** A repost is neither quoted nor reposted. */
const none: Reader = async (_reading, { kind }) => pageWithoutSubject(kind, MISSING);

const READERS: Readers<Reader> = {
  timeline: ofUser(readTimeline),
  followers: ofUser(readFollowers),
  following: ofUser(readFollowing),
  thread: ofTweet(readThread, (reading, { subject }) => alone(reading, subject, true)),
  replies: ofTweet(readReplies, (reading, { subject }) => alone(reading, subject, false)),
  quotes: ofTweet(readQuotes, none),
  retweeters: ofTweet(readRetweeters, none),
  search: ({ searches, token, context }, list) => searches.page(list, token, context),
};

/** The thread of a repost: only the repost itself, because nobody can reply to it. */
async function alone({ xrpc, profiles, context }: BlueskyListRead, id: string, wanted: boolean): Promise<NetworkPage> {
  const [found] = await readTweets(xrpc, profiles, [id], context);
  if (found === undefined || 'fail' in found) throw noTweet();
  return { tweets: wanted ? [found.ok] : [], next: null };
}
