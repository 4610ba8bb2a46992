/**
 * What nodes share and may lose: held things, buckets, pace, flights, tombstones. Each has a suite in `test/ports` that any
 * implementation must pass.
 */

/** A held value and when it was read from the network (Unix milliseconds). */
export interface Held<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/** A store of what was read. Losing any of it costs an upstream read and nothing else. Values are never changed after `set`. */
export interface Cache {
  get<T>(key: string): Promise<Held<T> | undefined>;
  /** In the order of the keys. */
  getMany<T>(keys: readonly string[]): Promise<(Held<T> | undefined)[]>;
  /** `shows`: the names of what can be seen in it; where it is cached, `shows` finds them from now on. */
  set<T>(key: string, held: Held<T>, ttlMs: number, shows?: readonly string[]): Promise<void>;
  delete(keys: readonly string[]): Promise<void>;
  /**
   * Which of the names a value that is cached anywhere may show: false where certainly none does; undefined where that is not
   * known, for the store that knows is away, full, or was emptied. In the order of the names.
   */
  shows(names: readonly string[]): Promise<(boolean | undefined)[]>;
}

export interface RateDecision {
  readonly allowed: boolean;
  /** Requests per window, which is also the capacity of the bucket (L3). */
  readonly limit: number;
  /** Whole requests left after this one. */
  readonly remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next whole request, rounded up, at least 1; 0 when allowed (L5). */
  readonly retryAfterSeconds: number;
}

/** Token buckets with continuous refill; a refused request takes nothing (L3, L4). */
export interface Limiter {
  /**
   * The bucket holds `limit` requests (a whole number, at least 1) and refills evenly, all of it in `windowSeconds` (default
   * 1): the `q` and `w` of a policy. Another limit counts from the next take on and loses no tokens; a bucket's window never
   * changes.
   */
  take(bucket: string, limit: number, windowSeconds?: number): Promise<RateDecision>;
}

/** The network's pace, one for all nodes: who may send when. Lanes are independent of each other. */
export interface Pace {
  /**
   * Books the lane's next place in time and tells how many milliseconds from now it is: 0, send at once. Places lie
   * `1000 / perSecond` apart; an idle lane saves nothing up, but up to 10 ms of lateness are caught up, so that late timers do
   * not lower the pace. In any t milliseconds there are at most `1 + (t + 10) * perSecond / 1000` places.
   */
  book(lane: string, perSecond: number): Promise<number>;
}

/** One read at a time per key on all nodes: who comes second waits for the first one's result (M7). */
export interface Flights {
  /**
   * `led` tells the caller whether it ran `read` itself. A failure reaches all who joined and is not remembered; a leader that
   * dies is succeeded by one of those who wait. Values are plain JSON.
   */
  join<T>(key: string, read: () => Promise<T>): Promise<{ value: T; led: boolean }>;
}

/** A name that went (`gone`), or came back: what every node must know (M25). */
export interface Tombstone {
  readonly key: string;
  readonly gone: boolean;
  /** On whose account it is remembered: a digest; nobody's where it is left out. */
  readonly by?: string;
}

/** What went and came back on any node, in one order for all. */
export interface Tombstones {
  add(tombstones: readonly Tombstone[]): Promise<void>;
  /**
   * Calls with everything that any node adds from now on, this one included, in order; first with what was added within
   * the last `sinceMs`. Resolves when that is done. Returns an unsubscriber.
   */
  follow(sinceMs: number, listener: (tombstones: readonly Tombstone[]) => void): Promise<() => Promise<void>>;
}
