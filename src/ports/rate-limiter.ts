import type { Soon } from '../lib/soon.js';

/** How many calls the network's own rate limits leave until they reset, as all nodes have learned from its answers. */
export interface CallsLeft {
  /** Takes one of the bucket's calls; with 0, only looks. */
  take(bucket: string, calls: 0 | 1): Promise<Taken>;
  /** Returns a call that was taken but got no answer, or an answer that did not say how many are left. */
  giveBack(bucket: string): Promise<void>;
  /** Stores what an answer says. Calls that were taken and have no answer yet stay taken. */
  note(bucket: string, remaining: number, resetsInMs: number): Promise<void>;
}

/** How long calls wait for the first one to learn what is left. It may be lost; most answers come sooner than this. */
export const FINDS_OUT_WITHIN_MS = 2000;

/**
 * `empty`: no call is left for the next `waitMs`. `counted`: the number left was known, and is one less now. `first`:
 * nothing is known, and this call is the one to find out. `awaited`: another call is finding out; take again soon.
 * `unknown`: nothing was taken.
 */
export type Taken =
  | { readonly is: 'empty'; readonly waitMs: number }
  | { readonly is: 'counted' | 'first' | 'awaited' | 'unknown' };

/** The pace of upstream calls, shared by all nodes. Keys are independent of each other. */
export interface Pace {
  /**
   * Reserves the key's next time slot and returns how many milliseconds from now it begins: 0 means send at once. Slots
   * are `1000 / perSecond` ms apart. An idle key saves up no slots, but up to 10 ms of lateness are caught up, so that
   * late timers do not lower the pace. In any t milliseconds there are at most `1 + (t + 10) * perSecond / 1000` slots.
   */
  reserve(key: string, perSecond: number): Promise<number>;
}

export interface RateDecision {
  readonly allowed: boolean;
  /** Requests per window, which is also the capacity of the bucket. */
  readonly limit: number;
  /** Whole requests left after this one. */
  readonly remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next whole request, rounded up, at least 1; 0 when allowed (L5). */
  readonly retryAfterSeconds: number;
}

/** Token buckets with continuous refill; a refused request takes nothing (L3, L4). */
export interface RateLimiter {
  /**
   * The bucket holds `limit` requests (a whole number, at least 1) and refills evenly, from empty to full in
   * `windowSeconds` (default 1): the `q` and `w` of a policy. A different limit takes effect at once and loses no
   * tokens; a bucket's window never changes.
   */
  take(bucket: string, limit: number, windowSeconds?: number): Soon<RateDecision>;
}
