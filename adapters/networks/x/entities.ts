import { ServiceError } from '../../../src/core/errors.js';
import type { Tweet, User, UserRef } from '../../../src/core/model.js';
import type { Found, ReadContext } from '../../../src/ports/network.js';
import type { XApi } from './api.js';
import { isXHandle, isXId, noTweet, noUser } from './ids.js';
import { tweetsOf, usersOf } from './map.js';
import { isOfInput, problemFailure } from './problems.js';
import type { Problem } from './schemas.js';

/** In input order. Ids and handles are two calls; what can be neither is asked of nobody. */
export async function findUsers(api: XApi, refs: readonly UserRef[], context: ReadContext): Promise<Found<User>[]> {
  const ids = refs.flatMap((ref) => ('id' in ref && isXId(ref.id) ? [ref.id] : []));
  const handles = refs.flatMap((ref) => ('handle' in ref && isXHandle(ref.handle) ? [ref.handle] : []));
  const [byId, byHandle] = await Promise.all([
    ids.length === 0 ? NOTHING : read('/2/users', 'ids', ids, ({ id }) => id),
    handles.length === 0 ? NOTHING : read('/2/users/by', 'usernames', handles, ({ handle }) => handle),
  ]);
  return refs.map((ref) => ('id' in ref ? byId.get(ref.id) : byHandle.get(keyOf(ref.handle))) ?? { fail: noUser() });

  async function read(path: string, name: string, inputs: readonly string[], nameOf: (user: User) => string) {
    const answer = await api.profiles(path, { [name]: inputs.join(',') }, context);
    return outcomes(usersOf(answer), answer.errors, nameOf, 'user');
  }
}

export async function findTweets(api: XApi, ids: readonly string[], context: ReadContext): Promise<Found<Tweet>[]> {
  const possible = ids.filter(isXId);
  if (possible.length === 0) return ids.map(() => ({ fail: noTweet() }));
  const answer = await api.tweets('/2/tweets', { ids: possible.join(',') }, { kind: 'objects' }, context);
  const found = outcomes(tweetsOf(answer), answer.errors, ({ id }) => id, 'tweet');
  return ids.map((id) => found.get(id) ?? { fail: noTweet() });
}

/** One tweet, or throws why there is none. */
export async function findTweet(api: XApi, id: string, context: ReadContext): Promise<Tweet> {
  const [found = { fail: noTweet() }] = await findTweets(api, [id], context);
  if ('fail' in found) throw found.fail;
  return found.ok;
}

const NOTHING: ReadonlyMap<string, Found<User>> = new Map();

const keyOf = (input: string): string => input.toLowerCase();

/** What was found, and why the rest was not, by input (networks.md, 2.6). */
function outcomes<T>(
  values: readonly T[],
  problems: readonly Problem[] | null | undefined,
  nameOf: (value: T) => string,
  what: 'user' | 'tweet',
): ReadonlyMap<string, Found<T>> {
  const found = new Map<string, Found<T>>();
  for (const problem of problems ?? []) {
    const input = problem.value ?? problem.resource_id;
    if (isOfInput(problem) && input) found.set(keyOf(input), { fail: problemFailure(problem, what) });
  }
  for (const value of values) found.set(keyOf(nameOf(value)), { ok: value });
  if (found.size > 0 || !problems?.length) return found;
  throw new ServiceError('upstream_error', 'The network did not give these objects.', { cause: problems });
}
