import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RateDecision, RateLimiter } from '../../../../src/ports/rate-limiter.js';

export interface LimiterHarness {
  readonly limiter: RateLimiter;
  /** Moves the limiter's time on by this many milliseconds. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const limits = fc.integer({ min: 1, max: 200 });
/** Pauses before a request: none, odd numbers of milliseconds, or long ones. */
const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 400 }), fc.constant(1500)), {
  minLength: 1,
  maxLength: 80,
});

/**
 * The most by which the requests in any stretch of time exceeded the capacity plus the refill; above zero is too many
 * (L3).
 */
function excess(allowedAtMs: readonly number[], limit: number): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (const [first, fromMs] of allowedAtMs.entries()) {
    for (const [later, toMs] of allowedAtMs.slice(first).entries()) {
      worst = Math.max(worst, later + 1 - limit - ((toMs - fromMs) * limit) / 1000);
    }
  }
  return worst;
}

/** What every `Limiter` must do. `create` returns one without history, whose clock stands on a whole millisecond. */
export function limiterSuite(create: () => Promise<LimiterHarness>): void {
  let at: LimiterHarness;
  beforeEach(async () => {
    at = await create();
  });
  afterEach(() => at.close());

  const takeMany = async (times: number, bucket: string, limit: number): Promise<RateDecision[]> =>
    Promise.all(Array.from({ length: times }, () => at.limiter.take(bucket, limit)));

  it('starts full, and states what is left and when it is full again (L1, L3)', async () => {
    expect(await at.limiter.take('a', 20)).toEqual({
      allowed: true,
      limit: 20,
      remaining: 19,
      resetSeconds: 1,
      retryAfterSeconds: 0,
    });
  });

  it('allows exactly the limit among simultaneous requests', async () => {
    const decisions = await takeMany(50, 'a', 20);
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(20);
  });

  it('refuses with a wait of at least one whole second (L5)', async () => {
    await takeMany(200, 'a', 200);
    const refused = { allowed: false, limit: 200, remaining: 0, resetSeconds: 1, retryAfterSeconds: 1 };
    expect(await at.limiter.take('a', 200)).toEqual(refused);
  });

  it('takes nothing from the bucket when it refuses (L4)', async () => {
    await takeMany(500, 'a', 10);
    await at.advance(100);
    expect((await at.limiter.take('a', 10)).allowed).toBe(true);
    expect((await at.limiter.take('a', 10)).allowed).toBe(false);
  });

  it('refills continuously, not at the end of a second (L3)', async () => {
    await takeMany(20, 'a', 20);
    await at.advance(50);
    expect(await at.limiter.take('a', 20)).toMatchObject({ allowed: true, remaining: 0 });
    await at.advance(49);
    expect(await at.limiter.take('a', 20)).toMatchObject({ allowed: false });
    await at.advance(1);
    expect(await at.limiter.take('a', 20)).toMatchObject({ allowed: true });
  });

  it('never saves up more than the limit', async () => {
    await at.limiter.take('a', 20);
    await at.advance(60_000);
    const decisions = await takeMany(30, 'a', 20);
    expect(decisions.filter((decision) => decision.allowed)).toHaveLength(20);
  });

  it('keeps buckets apart', async () => {
    await takeMany(5, 'a', 5);
    expect(await at.limiter.take('b', 5)).toMatchObject({ allowed: true, remaining: 4 });
  });

  it('applies a raised limit from the next request on and loses no tokens (L8)', async () => {
    await takeMany(10, 'a', 20);
    expect(await at.limiter.take('a', 50)).toMatchObject({ allowed: true, limit: 50, remaining: 9, resetSeconds: 1 });
    await at.advance(100);
    expect(await at.limiter.take('a', 50)).toMatchObject({ allowed: true, remaining: 13 });
  });

  it('applies a lowered limit at once', async () => {
    await at.limiter.take('a', 200);
    expect(await at.limiter.take('a', 10)).toMatchObject({ allowed: true, limit: 10, remaining: 9 });
  });

  it('refills over a longer window if one is given', async () => {
    const take = () => at.limiter.take('guesses', 60, 60);
    const decisions = await Promise.all(Array.from({ length: 60 }, take));
    expect(decisions.every((decision) => decision.allowed)).toBe(true);
    expect(await take()).toEqual({
      allowed: false,
      limit: 60,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 1,
    });
    await at.advance(1000);
    expect(await take()).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 60 });
    expect(await take()).toMatchObject({ allowed: false });
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects an invalid limit: %d', async (limit) => {
    await expect((async () => at.limiter.take('a', limit))()).rejects.toThrow(RangeError);
  });

  it('never allows more than the capacity plus the refill, over any stretch of any history (L3)', async () => {
    await fc.assert(
      fc.asyncProperty(limits, pauses, fc.integer({ min: 1, max: 30 }), async (limit, history, burst) => {
        const own = await create();
        const allowedAtMs: number[] = [];
        let nowMs = 0;
        for (const pauseMs of history) {
          nowMs += pauseMs;
          await own.advance(pauseMs);
          for (let n = 0; n < burst; n += 1) {
            if ((await own.limiter.take('a', limit)).allowed) allowedAtMs.push(nowMs);
          }
        }
        expect(excess(allowedAtMs.slice(0, 500), limit)).toBeLessThanOrEqual(1e-9);
        await own.close();
      }),
      { numRuns: 25 },
    );
  });

  it('always frees one request in an idle second, after any traffic (U57)', async () => {
    await fc.assert(
      fc.asyncProperty(limits, pauses, async (limit, history) => {
        const own = await create();
        for (const pauseMs of history) {
          await own.advance(pauseMs);
          await own.limiter.take('a', limit);
        }
        await own.advance(1000);
        expect((await own.limiter.take('a', limit)).allowed).toBe(true);
        await own.close();
      }),
      { numRuns: 40 },
    );
  });

  it('keeps its word: allows after Retry-After, is full after reset, and has as many as remaining says (L5)', async () => {
    await fc.assert(
      fc.asyncProperty(limits, pauses, async (limit, history) => {
        const own = await create();
        let last: RateDecision | undefined;
        for (const pauseMs of history) {
          await own.advance(pauseMs);
          last = await own.limiter.take('a', limit);
          for (const figure of [last.remaining, last.resetSeconds, last.retryAfterSeconds]) {
            expect(Number.isInteger(figure)).toBe(true);
          }
          if (!last.allowed) {
            expect(last).toMatchObject({ remaining: 0 });
            expect(last.retryAfterSeconds).toBeGreaterThanOrEqual(1);
            expect(last.resetSeconds).toBeGreaterThanOrEqual(last.retryAfterSeconds);
            await own.advance(last.retryAfterSeconds * 1000);
            last = await own.limiter.take('a', limit);
            expect(last.allowed).toBe(true);
          }
        }
        const { remaining = 0, resetSeconds = 0 } = last ?? {};
        for (let n = 0; n < remaining; n += 1) expect((await own.limiter.take('a', limit)).allowed).toBe(true);
        expect((await own.limiter.take('a', limit)).allowed).toBe(false);
        expect(resetSeconds).toBe(1);
        await own.advance(1000);
        expect((await own.limiter.take('a', limit)).remaining).toBe(limit - 1);
        await own.close();
      }),
      { numRuns: 40 },
    );
  });
}
