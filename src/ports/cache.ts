import type { Soon } from '../lib/soon.js';

/** A cached value and when it was read from the network (Unix milliseconds). */
export interface Cached<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/** The read of a value from the network. Objects in it may have been withdrawn while the read was in progress. */
export interface ReadOf<T> {
  /** A time before the request left for the network (Unix milliseconds, by this process's clock). */
  readonly beganAt: number;
  /** The value without the objects that have one of these names; undefined if nothing of it may be shown. */
  without(withdrawn: ReadonlySet<string>): T | undefined;
}

/**
 * A cache of values read from the network, shared by nodes. Losing an entry costs an upstream read and nothing else.
 * Values are never changed after `set`.
 */
export interface Cache {
  get<T>(key: string): Promise<Cached<T> | undefined>;
  /** In the order of the keys. */
  getMany<T>(keys: readonly string[]): Soon<(Cached<T> | undefined)[]>;
  /**
   * `shows`: the names of the objects that the value contains, which `shows()` finds while it is cached. Objects whose
   * names `shows()` was called with after the read began are left out. Resolves with what is left of the value.
   */
  set<T>(
    key: string,
    cached: Cached<T>,
    ttlMs: number,
    shows?: readonly string[],
    read?: ReadOf<T>,
  ): Promise<T | undefined>;
  delete(keys: readonly string[]): Promise<void>;
  /**
   * Called when objects are withdrawn. Says for each name, in order, whether a cached value may contain the object.
   * False if certainly none does; undefined if unknown, because the store that knows is unreachable, full or was
   * emptied. From now on, for as long as a call may take, values whose read began earlier are cached without them.
   */
  shows(names: readonly string[]): Promise<(boolean | undefined)[]>;
}

/** One read at a time per key on all nodes; other calls wait for its result (M7). */
export interface SingleFlight {
  /**
   * `led` is true for the caller whose `read` was run. A failure is passed to all callers who joined, and is not
   * remembered. If the leader dies, one of the waiters takes over. Values are plain JSON.
   */
  join<T>(key: string, read: () => Promise<T>): Promise<{ value: T; led: boolean }>;
}
