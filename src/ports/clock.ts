/** Time and names come from outside, too. */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

/** Things done later. */
export interface Timers {
  /** Runs `then` after so many milliseconds, never in the same step; 0: as soon as what is at work now is done. Gives what cancels it. */
  after(ms: number, then: () => void): () => void;
}

export interface Ids {
  /** A UUID v7 (H8). */
  requestId(): string;
}
