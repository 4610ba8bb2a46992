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
   * The bucket holds `limit` requests (a whole number, at least 1) and refills evenly, all of it in `windowSeconds`
   * (default 1): the `q` and `w` of a policy. Another limit takes effect from the next take and loses no tokens; a
   * bucket's window never changes.
   */
  take(bucket: string, limit: number, windowSeconds?: number): Promise<RateDecision>;
}
