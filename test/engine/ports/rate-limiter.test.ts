import { describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { limiterSuite } from './suites/rate-limiter.suite.js';

describe('the limiter in memory', () => {
  limiterSuite(async () => {
    let nowMs = 1_700_000_000_000;
    return {
      limiter: createMemoryRateLimiter({ clock: { now: () => nowMs } }),
      advance: async (ms) => {
        nowMs += ms;
      },
      close: async () => {},
    };
  });

  it('forgets the bucket that was idle longest, which gives nothing away because it is full by then', async () => {
    let nowMs = 0;
    const limiter = createMemoryRateLimiter({ clock: { now: () => nowMs }, maxBytes: 3 * 256 });
    await limiter.take('idle', 1);
    nowMs = 1000;
    for (const name of ['a', 'b']) await limiter.take(name, 1);
    await limiter.take('c', 1);
    // `idle` made room; a, b and c are still empty.
    for (const name of ['a', 'b', 'c']) expect((await limiter.take(name, 1)).allowed).toBe(false);
    expect((await limiter.take('idle', 1)).allowed).toBe(true);
  });

  it('does not lock a bucket when the clock is set back (U57)', async () => {
    let nowMs = 3_600_000;
    const limiter = createMemoryRateLimiter({ clock: { now: () => nowMs } });
    await limiter.take('a', 1);
    nowMs = 0;
    expect((await limiter.take('a', 1)).allowed).toBe(false);
    nowMs = 1000;
    expect((await limiter.take('a', 1)).allowed).toBe(true);
  });
});
