import { ServiceError } from '../../../src/domain/errors.js';
import type { Tweet, User, UserRef } from '../../../src/domain/model.js';
import type { Found, ReadContext } from '../../../src/ports/network.js';
import { unreadable } from '../upstream/failures.js';
import { isAmong, type Unread } from '../upstream/readable.js';
import type { XApi } from './api.js';
import { IMPOSSIBLE, isXHandle, isXId, noTweet, noUser } from './ids.js';
import { hiddenIn, mapTweets, mapUsers } from './map.js';
import { isOfInput, privateFailure, problemFailure } from './problems.js';
import type { TweetsAnswer, UsersAnswer } from './schemas.js';

/** One outcome per input, in order. Ids and handles take a call each; invalid inputs are not sent. */
export async function findUsers(api: XApi, refs: readonly UserRef[], context: ReadContext): Promise<Found<User>[]> {
  const ids = refs.flatMap((ref) => ('id' in ref && isXId(ref.id) ? [ref.id] : []));
  const handles = refs.flatMap((ref) => ('handle' in ref && isXHandle(ref.handle) ? [ref.handle] : []));
  const [byId, byHandle] = await Promise.all([
    ids.length === 0 ? NOTHING : read('/2/users', 'id', ids, ({ id }) => id),
    handles.length === 0 ? NOTHING : read('/2/users/by', 'username', handles, ({ handle }) => handle),
  ]);
  return refs.map((ref) => {
    const fail = IMPOSSIBLE.user(ref);
    if (fail) return { fail };
    const { found, missing } = 'id' in ref ? byId : byHandle;
    const input = 'id' in ref ? ref.id : ref.handle;
    return found.get(inputKey(input)) ?? { fail: missing(input) };
  });

  async function read(
    path: string,
    field: 'id' | 'username',
    inputs: readonly string[],
    nameOf: (user: User) => string,
  ) {
    const answer = await ofBatch(inputs, api.profiles(path, { [`${field}s`]: inputs.join(',') }, context));
    return outcomes(answer, mapUsers(answer), nameOf, 'user', field);
  }
}

export async function findTweets(api: XApi, ids: readonly string[], context: ReadContext): Promise<Found<Tweet>[]> {
  const possible = ids.filter(isXId);
  if (possible.length === 0) return ids.map((id) => ({ fail: IMPOSSIBLE.tweet(id) ?? noTweet() }));
  const read = api.tweets('/2/tweets', { ids: possible.join(',') }, { kind: 'objects' }, context);
  const answer = await ofBatch(possible, read);
  const { found, missing } = outcomes(answer, mapTweets(answer), ({ id }) => id, 'tweet', 'id');
  const hidden = new Set(hiddenIn(answer));
  return ids.map((id) => {
    if (hidden.has(id)) return { fail: privateFailure('tweet') };
    return found.get(id) ?? { fail: IMPOSSIBLE.tweet(id) ?? missing(id) };
  });
}

/** One tweet; throws the reason if it is missing. */
export async function findTweet(api: XApi, id: string, context: ReadContext): Promise<Tweet> {
  const [found = { fail: noTweet() }] = await findTweets(api, [id], context);
  if ('fail' in found) throw found.fail;
  return found.ok;
}

/** The outcome of each input, with the reason for each missing object. */
interface Outcomes<T> {
  readonly found: ReadonlyMap<string, Found<T>>;
  readonly missing: (input: string) => ServiceError;
}

const NOTHING: Outcomes<User> = { found: new Map(), missing: noUser };

const inputKey = (input: string): string => input.toLowerCase();

const joinProblems = (unread: readonly Unread[]): string => unread.map(({ problem }) => problem).join('; ');

const notGiven = (cause?: unknown): ServiceError =>
  new ServiceError('upstream_error', 'The network did not return these objects.', { cause });

/** Replaces a refusal that concerns one object, because it says nothing about the others in its batch. */
async function ofBatch<T>(inputs: readonly string[], read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    const isOfOne = error instanceof ServiceError && error.code === 'not_found';
    throw isOfOne && inputs.length > 1 ? notGiven(error) : error;
  }
}

/** The objects that were found, and the reasons for the rest, by input. */
function outcomes<T>(
  { data, errors, unread }: TweetsAnswer | UsersAnswer,
  values: readonly T[],
  nameOf: (value: T) => string,
  what: 'user' | 'tweet',
  field: 'id' | 'username',
): Outcomes<T> {
  const found = new Map<string, Found<T>>();
  for (const problem of errors ?? []) {
    const input = problem.value ?? problem.resource_id;
    if (isOfInput(problem) && input) found.set(inputKey(input), { fail: problemFailure(problem, what) });
  }
  for (const value of values) found.set(inputKey(nameOf(value)), { ok: value });
  if (found.size === 0 && !data?.length && errors?.length && unread.length === 0) throw notGiven(errors);
  const none = what === 'user' ? noUser : noTweet;
  return {
    found,
    missing: (input) => (isAmong(unread, field, input) ? unreadable(`${what} ${input}`, joinProblems(unread)) : none()),
  };
}
