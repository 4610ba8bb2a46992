import { ServiceError } from '../../../src/domain/errors.js';
import type { NetworkPage, ReadContext } from '../../../src/ports/network.js';
import type { Api } from './api.js';
import { needsToken, notFound } from './failures.js';
import { accountToUser, statusToTweet } from './map.js';
import { isIdHere, isShown, readAccount } from './objects.js';
import { type Account, accounts, status, statuses } from './schemas.js';

/** The most items on a page. */
const STATUSES = '40';
const ACCOUNTS = '80';

/** The position in a list: `maxId` is the server's own number, usually not the id of a post or account. */
export interface ListPosition {
  readonly subject: string;
  readonly maxId: string | null;
}

export async function readTimeline(api: Api, position: ListPosition, context: ReadContext): Promise<NetworkPage> {
  if (!isIdHere(position.subject)) throw notFound('No such user.');
  const path = `/api/v1/accounts/${position.subject}/statuses`;
  const { body, next } = await api.page({ path, query: listQuery(STATUSES, position), schema: statuses, context });
  if (body.length === 0 && position.maxId === null && !(await context.cached?.user(position.subject))) {
    await readAccount(api, { id: position.subject }, context);
  }
  return { tweets: body.filter(isShown).map(statusToTweet), next };
}

export async function readFollows(
  api: Api,
  kind: 'followers' | 'following',
  position: ListPosition,
  context: ReadContext,
): Promise<NetworkPage> {
  if (!isIdHere(position.subject)) throw notFound('No such user.');
  const path = `/api/v1/accounts/${position.subject}/${kind}`;
  const { body, next } = await api.page({ path, query: listQuery(ACCOUNTS, position), schema: accounts, context });
  // The server also returns an empty list for a suspended account and for one that hides its list, except to the
  // owner's token.
  if (position.maxId === null && (body.length === 0 || api.hasToken(context))) {
    const known = api.owners.hides(position.subject);
    const hides = known ?? (await readAccount(api, { id: position.subject }, context)).hide_collections;
    if (hides) throw notFound('The user has made this list private.', 'private');
  }
  return { users: people(body), next };
}

/** Empty for a post that does not exist. */
export async function readRetweeters(api: Api, position: ListPosition, context: ReadContext): Promise<NetworkPage> {
  if (!isIdHere(position.subject) || (await isHidden(api, position, context))) return { users: [], next: null };
  const path = `/api/v1/statuses/${position.subject}/reblogged_by`;
  try {
    const { body, next } = await api.page({ path, query: listQuery(ACCOUNTS, position), schema: accounts, context });
    return { users: people(body), next };
  } catch (error) {
    if (isNotFound(error)) return { users: [], next: null };
    throw error;
  }
}

/** Empty for a post that does not exist. Servers before 4.5 have no such list. */
export async function readQuotes(api: Api, position: ListPosition, context: ReadContext): Promise<NetworkPage> {
  if (!api.hasToken(context)) throw needsToken('Listing quotes of a tweet');
  if (!isIdHere(position.subject) || (await isHidden(api, position, context))) return { tweets: [], next: null };
  const path = `/api/v1/statuses/${position.subject}/quotes`;
  try {
    const { body, next } = await api.page({ path, query: listQuery(STATUSES, position), schema: statuses, context });
    return { tweets: body.filter(isShown).map(statusToTweet), next };
  } catch (error) {
    const isMissing = isNotFound(error) || (error instanceof ServiceError && error.code === 'query_id_stale');
    if (!isMissing) throw error;
    if (!(await exists(api, position.subject, context))) return { tweets: [], next: null };
    const message = 'This server does not list quotes: that requires Mastodon 4.5 or later.';
    throw new ServiceError('access_denied', message, { reason: 'session', cause: error });
  }
}

/** Whether the post is visible only with the token, not publicly. Checked only for the first page of a list. */
const isHidden = async (api: Api, { subject, maxId }: ListPosition, context: ReadContext): Promise<boolean> =>
  maxId === null && api.hasToken(context) && !(await exists(api, subject, context));

async function exists(api: Api, id: string, context: ReadContext): Promise<boolean> {
  if (await context.cached?.tweet(id)) return true;
  try {
    return isShown(await api.get({ path: `/api/v1/statuses/${id}`, schema: status, context }));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const listQuery = (limit: string, { maxId }: ListPosition): (readonly [string, string])[] =>
  maxId === null
    ? [['limit', limit]]
    : [
        ['limit', limit],
        ['max_id', maxId],
      ];

const people = (all: readonly Account[]) => all.filter(({ suspended }) => !suspended).map(accountToUser);

const isNotFound = (error: unknown): boolean => error instanceof ServiceError && error.code === 'not_found';
