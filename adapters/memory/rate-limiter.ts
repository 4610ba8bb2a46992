import { shortName } from '../../src/lib/digest.js';
import { Memories } from '../../src/lib/memories.js';
import type { Clock } from '../../src/ports/clock.js';
import type { RateLimiter } from '../../src/ports/rate-limiter.js';

/** A token bucket. Each millisecond adds `limit` units to it, so that nothing is ever rounded. */
interface Bucket {
  units: number;
  atMs: number;
}

export interface MemoryRateLimiterOptions {
  readonly clock: Clock;
  /** Where its buckets are counted. */
  readonly memories?: Memories;
  /**
   * Bound on all buckets. The one idle longest is forgotten first, and a bucket that was idle for its window is full,
   * which is also how a forgotten bucket starts: a limit is loosened only when more buckets than fit are in use within
   * one window.
   */
  readonly maxBytes?: number;
}

/** Token buckets of one process. Whole milliseconds and whole limits make every figure exact (U57). */
export function createMemoryRateLimiter({
  clock,
  memories = new Memories(),
  maxBytes,
}: MemoryRateLimiterOptions): RateLimiter {
  const buckets = memories.map<Bucket>('rates', maxBytes === undefined ? {} : { maxBytes });

  return {
    take(bucketName, limit, windowSeconds = 1) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`${limit} is not a limit: whole, at least 1`);
      const name = shortName(bucketName);
      const token = windowSeconds * 1000;
      const full = limit * token;
      const nowMs = clock.now();

      const known = buckets.get(name);
      const bucket = known ?? { units: full, atMs: nowMs };
      // A clock that was set back adds nothing, and does not lock the bucket until it has caught up.
      const elapsedMs = Math.max(0, nowMs - bucket.atMs);
      const before = Math.min(full, bucket.units + elapsedMs * limit);
      const allowed = before >= token;
      bucket.units = allowed ? before - token : before;
      bucket.atMs = nowMs;
      if (known === undefined) buckets.set(name, bucket);

      const perSecond = limit * 1000;
      return {
        allowed,
        limit,
        remaining: Math.floor(bucket.units / token),
        resetSeconds: Math.ceil((full - bucket.units) / perSecond),
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((token - bucket.units) / perSecond)),
      };
    },
  };
}
