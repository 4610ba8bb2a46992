/** Time and names come from outside, too. */

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

export interface Ids {
  /** A UUID v7 (H8). */
  requestId(): string;
}
