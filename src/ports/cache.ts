/** A cached value and when it was read from the network (Unix milliseconds). */
export interface Cached<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/**
 * A cache of values read from the network, shared by nodes. Losing an entry costs an upstream read and nothing else.
 * Values are never changed after `set`.
 */
export interface Cache {
  get<T>(key: string): Promise<Cached<T> | undefined>;
  /** In the order of the keys. */
  getMany<T>(keys: readonly string[]): Promise<(Cached<T> | undefined)[]>;
  /** `shows`: the names of the objects it contains, which `shows()` finds while it is cached. */
  set<T>(key: string, cached: Cached<T>, ttlMs: number, shows?: readonly string[]): Promise<void>;
  delete(keys: readonly string[]): Promise<void>;
  /**
   * Whether any cached value may contain the named object: false if certainly none does; undefined if unknown, because
   * the store that knows is unreachable, full or was emptied. In the order of the names.
   */
  shows(names: readonly string[]): Promise<(boolean | undefined)[]>;
}
