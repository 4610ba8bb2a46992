/** A held value and when it was read from the network (Unix milliseconds). */
export interface Cached<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/** A store of what was read. Losing any of it costs an upstream read and nothing else. Values are never changed after `set`. */
export interface Cache {
  get<T>(key: string): Promise<Cached<T> | undefined>;
  /** In the order of the keys. */
  getMany<T>(keys: readonly string[]): Promise<(Cached<T> | undefined)[]>;
  /** `shows`: the names of what can be seen in it; where it is cached, `shows` finds them from now on. */
  set<T>(key: string, cached: Cached<T>, ttlMs: number, shows?: readonly string[]): Promise<void>;
  delete(keys: readonly string[]): Promise<void>;
  /**
   * Which of the names a value that is cached anywhere may show: false where certainly none does; undefined where that is not
   * known, for the store that knows is away, full, or was emptied. In the order of the names.
   */
  shows(names: readonly string[]): Promise<(boolean | undefined)[]>;
}
