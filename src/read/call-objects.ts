import type { Tweet, User, UserRef } from '../domain/model.js';
import type { ItemCache } from '../domain/prices.js';
import type { CachedObject, CachedObjects } from '../ports/network.js';
import type { Entities } from './entities.js';

/** An object and how it was obtained, or a failure. */
type Got<T> = { readonly ok: T; readonly cache: ItemCache } | { readonly fail: unknown };

type Source<Ref, T> = Pick<Entities<Ref, T>, 'keyOf' | 'peek'>;

/** The single objects that one call has read from the network itself, and with them what an adapter need not ask. */
export class CallObjects {
  readonly #users: Source<UserRef, User>;
  readonly #tweets: Source<string, Tweet>;
  /** By cache key. */
  readonly #own = new Map<string, User | Tweet>();

  constructor(users: Source<UserRef, User>, tweets: Source<string, Tweet>) {
    this.#users = users;
    this.#tweets = tweets;
  }

  note(got: Got<User | Tweet>): void {
    if ('ok' in got && got.cache !== 'hit') this.#own.set(this.#keyOf(got.ok), got.ok);
  }

  /** For a read of the call: a fresh one uses nothing that others have read (M8). */
  for(fresh: boolean): CachedObjects {
    const find = async <Ref, T extends User | Tweet>(
      source: Source<Ref, T>,
      ref: Ref,
    ): Promise<CachedObject<T> | undefined> => {
      const own = this.#own.get(source.keyOf(ref)) as T | undefined;
      if (own !== undefined) return { value: own, isOfThisCall: true };
      const [got] = fresh ? [] : await source.peek([ref]);
      return got && 'ok' in got ? { value: got.ok, isOfThisCall: false } : undefined;
    };
    return { user: (id) => find(this.#users, { id }), tweet: (id) => find(this.#tweets, id) };
  }

  #keyOf(object: User | Tweet): string {
    return 'text' in object ? this.#tweets.keyOf(object.id) : this.#users.keyOf({ id: object.id });
  }
}
