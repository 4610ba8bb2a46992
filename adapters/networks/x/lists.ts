import { ServiceError } from '../../../src/domain/errors.js';
import type { NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { unreadable } from '../upstream/failures.js';
import type { XApi } from './api.js';
import { findUsers } from './entities.js';
import { mapTweets, mapUsers } from './map.js';
import { choosePageSize, type PageBounds, type Sized } from './page-size.js';
import { isOfInput, privateFailure, problemFailure } from './problems.js';
import type { TweetsAnswer, UsersAnswer } from './schemas.js';

/**
 * How many items X may be asked for at once: the least it accepts, and the most, which make a natural page. X would
 * return 1,000 followers, but no caller may request more than 200, and one more shows whether there are others.
 */
const TIMELINE: PageBounds = { least: 5, most: 100 };
const FOLLOWS: PageBounds = { least: 1, most: 201 };
const QUOTES: PageBounds = { least: 10, most: 100 };
const RETWEETERS: PageBounds = { least: 1, most: 100 };

/** X shows at most this many posts of a timeline. */
const TIMELINE_DEPTH = 3200;
/** Begins the tokens of a longer timeline, because its last page may be empty and then does not say so. */
const LONGER = 'longer ';

export interface ListPlace {
  readonly api: XApi;
  readonly token: string | null;
  readonly context: ReadContext;
  /** How many items are needed; undefined: a natural page. */
  readonly want: number | undefined;
}

const LIST = { kind: 'list' } as const;

const listParams = ({ size }: Sized, token: string | null) => ({
  max_results: String(size),
  ...(token !== null && { pagination_token: token }),
});

export async function readTimeline({ api, token, context, want }: ListPlace, id: string): Promise<NetworkPage> {
  const sized = choosePageSize(TIMELINE, want);
  const wasLonger = token?.startsWith(LONGER) ?? false;
  const params = listParams(sized, wasLonger && token !== null ? token.slice(LONGER.length) : token);
  const answer = await api.tweets(`/2/users/${id}/tweets`, params, { kind: 'objects' }, context);
  subjectIn(answer, 'user');
  if (answer.includes?.users?.objects.some((user) => user.id === id && user.protected)) throw privateFailure('user');
  const [tweets, next] = [mapTweets(answer), nextToken(answer)];
  const isLonger = wasLonger || (tweets.at(-1)?.author?.tweetsCount ?? 0) > TIMELINE_DEPTH;
  if (next === null) return { tweets, next, ...(isLonger && { endReason: 'network_limit' }), ...sized.page };
  return { tweets, next: isLonger ? LONGER + next : next, ...sized.page };
}

export const readFollows =
  (edge: 'followers' | 'following') =>
  async ({ api, token, context, want }: ListPlace, id: string): Promise<NetworkPage> => {
    await api.requireCalls(`/2/users/${id}/${edge}`, context);
    const beside = token === null ? await requirePublic(api, id, context) : undefined;
    const sized = choosePageSize(FOLLOWS, want);
    const answer = await api.users(`/2/users/${id}/${edge}`, listParams(sized, token), LIST, context);
    subjectIn(answer, 'user');
    return { users: mapUsers(answer), next: nextToken(answer), ...sized.page, ...(beside && { beside }) };
  };

export async function readQuotes({ api, token, context, want }: ListPlace, id: string): Promise<NetworkPage> {
  const sized = choosePageSize(QUOTES, want);
  const answer = await emptyIfGone(api.tweets(`/2/tweets/${id}/quote_tweets`, listParams(sized, token), LIST, context));
  return { tweets: mapTweets(answer), next: nextToken(answer), ...sized.page };
}

export async function readRetweeters({ api, token, context, want }: ListPlace, id: string): Promise<NetworkPage> {
  const sized = choosePageSize(RETWEETERS, want);
  const answer = await emptyIfGone(api.users(`/2/tweets/${id}/retweeted_by`, listParams(sized, token), LIST, context));
  return { users: mapUsers(answer), next: nextToken(answer), ...sized.page };
}

/**
 * X shows a user's token the lists of protected accounts that this user follows, so the account is checked. This comes
 * first because lists cost more. Returns the profile if it had to be read.
 */
async function requirePublic(api: XApi, id: string, context: ReadContext): Promise<NetworkPage['beside']> {
  const cached = await context.cached?.user(id);
  const [found] = cached ? [{ ok: cached.value }] : await findUsers(api, [{ id }], context);
  if (found === undefined) return undefined;
  if ('fail' in found) throw found.fail;
  if (found.ok.protected) throw privateFailure('user');
  return cached ? undefined : { users: [found.ok] };
}

export const nextToken = ({ meta }: TweetsAnswer | UsersAnswer): string | null => meta?.next_token || null;

/** Throws if X returned objects and none of them can be read. */
export function requireReadable({ data, unread: [first] }: TweetsAnswer | UsersAnswer): void {
  if (data?.length === 0 && first) throw unreadable('data', first.problem);
}

/** X answers 200 when the subject does not exist, or is private or suspended. */
export function subjectIn(answer: TweetsAnswer | UsersAnswer, what: 'user' | 'tweet'): void {
  requireReadable(answer);
  const { data, errors } = answer;
  if (data) return;
  const problem = errors?.find(isOfInput);
  if (problem) throw problemFailure(problem, what);
  if (errors?.length) throw new ServiceError('upstream_error', 'The network returned an error instead of a page.');
}

/** Returns an empty list of quotes or retweeters for a deleted post. */
async function emptyIfGone<T extends TweetsAnswer | UsersAnswer>(read: Promise<T>): Promise<T | typeof EMPTY> {
  try {
    const answer = await read;
    subjectIn(answer, 'tweet');
    return answer;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return EMPTY;
    throw error;
  }
}

const EMPTY = { data: undefined, includes: null, errors: null, meta: null, unread: [], returned: 0 };
