import { ServiceError } from '../../../src/domain/errors.js';
import type { Tweet, User, UserRef } from '../../../src/domain/model.js';
import type { Found, ReadContext } from '../../../src/ports/network.js';
import { unreadable } from '../upstream/failures.js';
import { isAmong, type LookedUp } from '../upstream/readable.js';
import type { Api } from './api.js';
import { notFound } from './failures.js';
import { accountToUser, statusToTweet } from './map.js';
import { type Account, account, requestedStatuses, type Status } from './schemas.js';

/** The greatest id that a server stores. */
const LAST_ID = 2n ** 63n - 1n;

/** Whether the server can have this id; no other id needs to be requested. */
export const isIdHere = (id: string): boolean => BigInt(id) <= LAST_ID;

/** One call each: the server looks up one handle at a time, and ids are rarely requested. */
export const readUsers = (api: Api, refs: readonly UserRef[], context: ReadContext): Promise<Found<User>[]> =>
  Promise.all(
    refs.map((ref) =>
      readAccount(api, ref, context).then(
        (found): Found<User> => ({ ok: accountToUser(found) }),
        (error): Found<User> => {
          if (error instanceof ServiceError && error.code === 'not_found') return { fail: error };
          throw error;
        },
      ),
    ),
  );

/** Also throws `not_found` for a suspended account. */
export async function readAccount(api: Api, ref: UserRef, context: ReadContext): Promise<Account> {
  if ('id' in ref && !isIdHere(ref.id)) throw notFound('No such user.');
  const found = await api.get({
    ...('id' in ref
      ? { path: `/api/v1/accounts/${ref.id}` }
      : { path: '/api/v1/accounts/lookup', query: [['acct', ref.handle]] as const }),
    schema: account,
    context,
  });
  if (found.suspended) throw notFound('The account is suspended.', 'suspended');
  api.owners.note(found);
  return found;
}

const STATUSES = '/api/v1/statuses';

export async function readTweets(api: Api, ids: readonly string[], context: ReadContext): Promise<Found<Tweet>[]> {
  const { objects, unread } = await readStatuses(api, ids.filter(isIdHere), context);
  const byId = new Map(objects.map((each) => [each.id, each]));
  return ids.map((id) => {
    const found = byId.get(id);
    if (found === undefined) {
      return {
        fail: isAmong(unread, 'id', id) ? unreadable(STATUSES, `the object ${id}`) : notFound('No such tweet.'),
      };
    }
    const reason = hiddenAs(found);
    return reason === undefined ? { ok: statusToTweet(found) } : { fail: hiddenTweet(reason) };
  });
}

/** Reads them in halves if the server accepts fewer ids at once than most servers do. */
async function readStatuses(api: Api, ids: readonly string[], context: ReadContext): Promise<LookedUp<Status>> {
  if (ids.length === 0) return { objects: [], unread: [] };
  try {
    const query = ids.map((id) => ['id[]', id] as const);
    return await api.get({ path: STATUSES, query, schema: requestedStatuses, context });
  } catch (error) {
    const isTooMuch = error instanceof ServiceError && error.code === 'request_rejected' && ids.length > 1;
    if (!isTooMuch) throw error;
    const half = Math.ceil(ids.length / 2);
    const first = await readStatuses(api, ids.slice(0, half), context);
    const second = await readStatuses(api, ids.slice(half), context);
    return { objects: [...first.objects, ...second.objects], unread: [...first.unread, ...second.unread] };
  }
}

const PUBLIC: ReadonlySet<string> = new Set(['public', 'unlisted']);

/** Why the status is not public although a token may see it; undefined if it is public. */
export function hiddenAs(status: Status): 'private' | 'suspended' | undefined {
  const all = status.reblog == null ? [status] : [status, status.reblog];
  if (all.some(({ account: { suspended } }) => suspended)) return 'suspended';
  return all.every(({ visibility }) => PUBLIC.has(visibility)) ? undefined : 'private';
}

export const isShown = (status: Status): boolean => hiddenAs(status) === undefined;

export const hiddenTweet = (reason: 'private' | 'suspended'): ServiceError =>
  notFound(reason === 'private' ? 'The tweet is private' : 'Its author is suspended', reason);
