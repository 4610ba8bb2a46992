import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Pace } from '../../../../src/ports/rate-limiter.js';

export interface PaceHarness {
  /** Several nodes that share one pace. */
  readonly bookers: readonly [Pace, ...Pace[]];
  /** Moves the pace's time on by this many milliseconds. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** What every `Pace` must do. `create` returns one that has been idle. */
export function paceSuite(create: () => Promise<PaceHarness>): void {
  let at: PaceHarness;
  beforeEach(async () => {
    at = await create();
  });
  afterEach(() => at.close());

  /** The waits of bookings made together. They are sorted because any caller may get any of them. */
  async function bookMany(times: number, perSecond: number, worker = 'lane'): Promise<number[]> {
    const { bookers } = at;
    const waits = Array.from({ length: times }, (_, n) =>
      (bookers[n % bookers.length] ?? bookers[0]).reserve(worker, perSecond),
    );
    return (await Promise.all(waits)).sort((a, b) => a - b);
  }
  /** The permitted catch-up, and what a double loses at today's time. */
  const CATCH_UP_MS = 10;
  const EPSILON = 0.01;

  it('sends at once after a pause, and saves nothing up', async () => {
    await at.bookers[0].reserve('lane', 10);
    await at.advance(5000);
    const [first = -1, ...others] = await bookMany(5, 10);
    expect(first).toBe(0);
    for (const [n, wait] of others.entries()) {
      expect(wait).toBeGreaterThanOrEqual((n + 1) * 100 - CATCH_UP_MS - EPSILON);
      expect(wait).toBeLessThanOrEqual((n + 1) * 100 + EPSILON);
    }
  });

  it.each([10, 30, 0.5])('spaces reservations evenly across callers at %d a second (8.1.7)', async (perSecond) => {
    const [, ...waits] = await bookMany(60, perSecond);
    for (const [n, wait] of waits.entries()) {
      if (n > 0) expect(wait - (waits[n - 1] ?? 0)).toBeCloseTo(1000 / perSecond, 2);
    }
  });

  it('gives a later place as its time nears', async () => {
    await bookMany(2, 10);
    const before = await at.bookers[0].reserve('lane', 10);
    await at.advance(60);
    expect((await at.bookers[0].reserve('lane', 10)) - before).toBeCloseTo(40, 2);
  });

  it('paces lanes apart', async () => {
    await bookMany(10, 1, 'one');
    expect(await at.bookers[0].reserve('other', 1)).toBe(0);
  });

  it('keeps two thousand a second although each caller is late by a millisecond or two', async () => {
    let [nowMs, sent] = [0, 0];
    while (nowMs < 1000) {
      const wait = await at.bookers[0].reserve('lane', 2000);
      sent += 1;
      if (wait === 0) continue;
      const late = Math.ceil(wait) + (sent % 2);
      nowMs += late;
      await at.advance(late);
    }
    expect(sent).toBeGreaterThanOrEqual(1990);
    expect(sent).toBeLessThanOrEqual(1 + (nowMs + CATCH_UP_MS) * 2);
  });

  it('never exceeds the pace plus the permitted catch-up in any window', async () => {
    const wave = fc.record({ pauseMs: fc.integer({ min: 0, max: 400 }), bookings: fc.integer({ min: 0, max: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.array(wave, { maxLength: 15 }), async (rate, plan) => {
        await at.close();
        at = await create();
        const places: number[] = [];
        let nowMs = 0;
        for (const { pauseMs, bookings } of plan) {
          nowMs += pauseMs;
          await at.advance(pauseMs);
          places.push(...(await bookMany(bookings, rate)).map((wait) => nowMs + wait));
        }
        places.sort((a, b) => a - b);
        const excess = places.flatMap((fromMs, first) =>
          places
            .slice(first)
            .map((toMs, later) => later + 1 - (1 + ((toMs - fromMs + CATCH_UP_MS + EPSILON) * rate) / 1000)),
        );
        expect(Math.max(0, ...excess)).toBeLessThanOrEqual(1e-6);
      }),
      { numRuns: 30 },
    );
  });
}
