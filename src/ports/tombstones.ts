/** A name that went (`gone`), or came back: what every node must know (M25). */
export interface Tombstone {
  readonly key: string;
  readonly gone: boolean;
  /** On whose account it is remembered: a digest; nobody's where it is left out. */
  readonly by?: string;
}

/** What went and came back on any node, in one order for all. */
export interface TombstoneLog {
  add(tombstones: readonly Tombstone[]): Promise<void>;
  /**
   * Calls with everything that any node adds from now on, this one included, in order; first with what was added within
   * the last `sinceMs`. Resolves when that is done. Returns an unsubscriber.
   */
  follow(sinceMs: number, listener: (tombstones: readonly Tombstone[]) => void): Promise<() => Promise<void>>;
}
