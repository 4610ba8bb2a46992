import type { Soon } from '../lib/soon.js';
import { ServiceError } from './errors.js';

interface Decision {
  readonly allowed: boolean;
  readonly retryAfterSeconds: number;
}

/** A rate limiter, by its shape. */
interface Limiter {
  take(bucket: string, limit: number, windowSeconds: number): Soon<Decision>;
}

interface Refusal {
  readonly message: string | ((retryAfterSeconds: number) => string);
  readonly param?: string;
}

/** Takes one of so many in a window, or throws `rate_limited`. */
export async function takeOrThrow(
  limiter: Limiter,
  [bucket, limit, windowSeconds]: readonly [bucket: string, limit: number, windowSeconds: number],
  { message, param }: Refusal,
): Promise<void> {
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take(bucket, limit, windowSeconds);
  if (allowed) return;
  const text = typeof message === 'string' ? message : message(retryAfter);
  throw new ServiceError('rate_limited', text, { ...(param !== undefined && { param }), retryAfter });
}
