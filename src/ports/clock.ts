/** Time and ids are injected as well. */

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

export interface Ids {
  /** A UUID v7 (H8). */
  requestId(): string;
}
