/** Time and ids are injected, like everything else that the engine uses. */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

export interface Timers {
  /**
   * Runs `then` after `ms` milliseconds, never in the same tick; 0 means the next one. Returns a function that cancels
   * it.
   */
  after(ms: number, then: () => void): () => void;
}

/** The time by which code waits and measures: the process's own, or a test's. */
export interface Time {
  /** Milliseconds from an arbitrary start, never set back. */
  readonly monotonic: Clock;
  /** On the same clock. */
  readonly timers: Timers;
}

export interface Ids {
  /** A UUID v7 (H8). */
  requestId(): string;
}
