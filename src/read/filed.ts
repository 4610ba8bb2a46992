import type { User } from '../domain/model.js';
import type { Cache } from '../ports/cache.js';
import { namesOfUser } from './keys.js';

/** What to cache under each key. Null: two accounts claim the handle, so a read by handle goes to the network. */
export type Filed<T> = ReadonlyMap<string, T | null>;

/**
 * Profiles by their ids and handles (I9). The answer to a handle says who holds it, for good: `asked` is its key. A
 * profile that was reached otherwise is filed under its handle unless something else is known: another account has the
 * handle, it had another handle itself, or `isGone` of the handle.
 */
export async function filedUsers(
  cache: Pick<Cache, 'getMany'>,
  users: readonly User[],
  isGone: (name: string) => boolean,
  asked?: string,
): Promise<Filed<User>> {
  const names = [...new Set(users.flatMap(namesOfUser))];
  const [answer] = users;
  // The answer to the handle itself is filed whatever is known: nothing is looked up.
  if (answer && asked !== undefined && asked === namesOfUser(answer)[1])
    return new Map(names.map((name) => [name, answer]));
  const cached = await cache.getMany<User | null>(names);
  const known = new Map(names.map((name, index) => [name, cached[index]?.value]));
  const filed = new Map<string, User | null>();
  const file = (name: string, user: User | null): void => {
    known.set(name, user);
    filed.set(name, user);
  };
  for (const user of users) {
    const [id = '', handle] = namesOfUser(user);
    const before = known.get(id);
    const formerHandle = before ? namesOfUser(before)[1] : undefined;
    const isRenamed = formerHandle !== undefined && formerHandle !== handle;
    file(id, user);
    if (isRenamed) file(formerHandle, null);
    if (handle === undefined) continue;
    const holder = known.get(handle);
    const isUndisputed = !isRenamed && !isGone(handle) && (holder === undefined || holder?.id === user.id);
    file(handle, isUndisputed ? user : null);
  }
  return filed;
}
