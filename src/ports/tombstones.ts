/** Says that an object was deleted (`gone`) or is back; every node must know (M25). */
export interface Tombstone {
  readonly key: string;
  readonly gone: boolean;
  /** A digest of the account it is attributed to; absent if there is none. */
  readonly by?: string;
}

/** The log of tombstones from all nodes, in the same order for all. */
export interface TombstoneLog {
  add(tombstones: readonly Tombstone[]): Promise<void>;
  /**
   * Calls the listener with the tombstones of the last `sinceMs`, then with those that any node (including this one)
   * adds, in order. Resolves with an unsubscriber once the past ones were delivered.
   */
  follow(sinceMs: number, listener: (tombstones: readonly Tombstone[]) => void): Promise<() => Promise<void>>;
}
