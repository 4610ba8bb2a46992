import type { Soon } from '../lib/soon.js';

/** A cached value and when it was read from the network (Unix milliseconds). */
export interface Cached<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/** The read of a value from the network. What the value shows may have been withdrawn while it was under way. */
export interface ReadOf<T> {
  /** Before the request left for the network (Unix milliseconds, by this process's clock). */
  readonly beganAt: number;
  /** The value without what has one of these names; undefined where nothing of it may be shown. */
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
   * `shows`: the names of the objects it contains, which `shows()` finds while it is cached. Those that `shows()` was
   * asked for after the read began are left out. Resolves with what is left of the value.
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
   * Asked when objects are withdrawn: whether any cached value may contain the named object. False if certainly none
   * does; undefined if unknown, because the store that knows is unreachable, full or was emptied. In the order of the
   * names. As long as a call may take, a value whose read began earlier is cached without them.
   */
  shows(names: readonly string[]): Promise<(boolean | undefined)[]>;
}

/** One read at a time per key on all nodes; other calls wait for its result (M7). */
export interface SingleFlight {
  /**
   * `led` is true for the caller whose `read` was run. A failure reaches all who joined and is not remembered. If a
   * leader dies, one of the waiters takes over. Values are plain JSON.
   */
  join<T>(key: string, read: () => Promise<T>): Promise<{ value: T; led: boolean }>;
}
