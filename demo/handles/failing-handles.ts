/**
 * Handles and tweet ids of the invented network that always answer in a known way, so that a client can try its error
 * paths. They are in no list, and no search finds them. A failure affects only its own input: the session that it was
 * read with stays usable, so no other reads wait or fail.
 */
import { type ErrorCode, type ErrorDetail, ServiceError } from '../../src/domain/errors.js';
import { LISTS, type ListRef } from '../../src/domain/lists.js';
import type { Tweet, User, UserRef } from '../../src/domain/model.js';
import type { Found, Network, NetworkPage, ReadContext } from '../../src/ports/network.js';
import { SITE } from '../account.js';
import { postingPage, postingTweet, postingUser } from './posting-handle.js';

export interface FailingHandle {
  readonly handle: string;
  /** A tweet that fails in the same way when it is read by id. */
  readonly tweetId: string;
  readonly code: ErrorCode;
  readonly reason?: string;
  readonly message: string;
  /** What it stands for, for the documentation. */
  readonly standsFor: string;
}

export const FAILING_HANDLES: readonly FailingHandle[] = [
  {
    handle: 'is_gone',
    tweetId: '1001',
    code: 'not_found',
    reason: 'deleted',
    message: 'No such user or tweet: it was deleted.',
    standsFor: 'an account or a tweet that was deleted',
  },
  {
    handle: 'is_suspended',
    tweetId: '1002',
    code: 'not_found',
    reason: 'suspended',
    message: 'The account is suspended.',
    standsFor: 'a suspended account, and a tweet of one',
  },
  {
    handle: 'is_denied',
    tweetId: '1003',
    code: 'access_denied',
    message: 'The network does not show this to any of its sessions.',
    standsFor: 'what the network refuses to show',
  },
  {
    handle: 'fails_upstream_error',
    tweetId: '1004',
    code: 'upstream_error',
    message: 'The network failed to answer the request.',
    standsFor: 'a fault of the network, or no answer in time',
  },
  {
    handle: 'fails_rate_limited',
    tweetId: '1005',
    code: 'upstream_rate_limited',
    message: 'The network asks for fewer requests.',
    standsFor: 'a network, or a Perch service, that is too busy',
  },
  {
    handle: 'fails_no_session',
    tweetId: '1006',
    code: 'no_account',
    message: 'No session of the network can be used now.',
    standsFor: "a network that accepts none of Perch's sessions",
  },
  {
    handle: 'fails_rejected',
    tweetId: '1007',
    code: 'request_rejected',
    message: 'The network rejected the request.',
    standsFor: 'a request that the network rejects',
  },
  {
    handle: 'fails_stale',
    tweetId: '1008',
    code: 'query_id_stale',
    message: 'The network changed its API.',
    standsFor: 'a network that changed its API',
  },
];

/** The profile is shown, but its lists are private: `not_found` with the reason `private`. */
export const PRIVATE_HANDLE = 'is_private';
/** Everything about it is empty. */
export const EMPTY_HANDLE = 'is_empty';

const invented = (id: string, handle: string, more: Partial<User>): User => ({
  ...{ id, handle, name: handle, avatarUrl: `${SITE}/avatar/${handle}.png`, verified: false, protected: false },
  ...{ followersCount: 0, followingCount: 0, tweetsCount: 0, likesCount: 0, listedCount: 0, pinnedTweetIds: [] },
  createdAt: '2020-01-01T00:00:00.000Z',
  ...more,
});

const PRIVATE = invented('1101', PRIVATE_HANDLE, { protected: true, bio: 'Its tweets are private.', tweetsCount: 12 });
const EMPTY = invented('1102', EMPTY_HANDLE, { bio: 'It has no tweets, and follows nobody.' });
const SHOWN = [PRIVATE, EMPTY];

const toServiceError = ({ code, reason, message }: FailingHandle): ServiceError => {
  const detail: ErrorDetail = reason === undefined ? {} : { reason };
  return new ServiceError(code, message, detail);
};

/** The network with these handles and the one that posts added. The network answers everything else. */
export function withFailingHandles(network: Network): Network {
  return {
    ...network,
    users: (refs, context) => mixed(refs, inventedUser, (rest) => network.users(rest, context)),
    tweets: (ids, context) => mixed(ids, inventedTweet, (rest) => network.tweets(rest, context)),
    page: async (list, token, context: ReadContext, want) =>
      inventedPage(list) ?? postingPage(list, token, Date.now()) ?? network.page(list, token, context, want),
  };
}

function inventedUser(ref: UserRef): Found<User> | undefined {
  const isMeant = ({ id, handle }: User): boolean =>
    'id' in ref ? ref.id === id : ref.handle.toLowerCase() === handle;
  const shown = SHOWN.find(isMeant) ?? postingUser(ref);
  if (shown !== undefined) return { ok: shown };
  const failing = 'id' in ref ? undefined : FAILING_HANDLES.find(({ handle }) => handle === ref.handle.toLowerCase());
  return failing && { fail: toServiceError(failing) };
}

function inventedTweet(id: string): Found<Tweet> | undefined {
  const failing = FAILING_HANDLES.find(({ tweetId }) => tweetId === id);
  if (failing) return { fail: toServiceError(failing) };
  const posted = postingTweet(id, Date.now());
  return posted && { ok: posted };
}

function inventedPage({ kind, subject }: ListRef): NetworkPage | undefined {
  const { subject: of, items } = LISTS[kind];
  if (of !== 'user') return undefined;
  if (subject === EMPTY.id) return { [items]: [], next: null };
  if (subject !== PRIVATE.id) return undefined;
  throw new ServiceError('not_found', 'The account is protected: this list is private.', { reason: 'private' });
}

/** Each input's outcome, in order: that of `own` if there is one. One call to the network reads all other inputs. */
async function mixed<Input, T>(
  inputs: readonly Input[],
  own: (input: Input) => Found<T> | undefined,
  read: (rest: Input[]) => Promise<Found<T>[]>,
): Promise<Found<T>[]> {
  const found = inputs.map(own);
  const rest = inputs.filter((_, index) => found[index] === undefined);
  const others = (rest.length === 0 ? [] : await read(rest)).values();
  return found.map((one) => one ?? (others.next().value as Found<T>));
}
