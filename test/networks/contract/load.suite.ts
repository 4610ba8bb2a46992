import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryPace } from '../../../adapters/memory/pace.js';
import type { ListRef } from '../../../src/domain/lists.js';
import { monotonic } from '../../../src/lib/monotonic.js';
import { createPool, type Pool } from '../../../src/read/pool/pool.js';
import { Waiters } from '../../../src/read/waiters.js';
import { callContextOf, failureOf } from '../../kit/pool.js';
import type { StandIn } from './harness.js';
import { list } from './outcomes.js';

/**
 * How a network's adapter and the pool cope with an upstream that is slower than its pace, hangs, or fails for one kind
 * of read.
 */
export function loadSuite(name: string, open: () => Promise<StandIn>): void {
  // Concurrent with the other networks, because it waits for real time, and each has its own upstream, pace and pool.
  describe.concurrent(`${name}: an upstream that does not manage its pace`, () => {
    let at: StandIn;
    let pool: Pool;
    beforeAll(async () => {
      at = await open();
    });
    beforeEach(() => {
      at.load.reset();
      const pace = createMemoryPace({ clock: monotonic });
      const perSecond = { fast: 30, slow: 30 };
      pool = createPool({ network: at.network, pace, clock: { now: Date.now }, monotonic, perSecond });
    });
    afterAll(() => at?.close());

    const page = (ref: ListRef, accountId: string, deadlineMs = 30_000) =>
      failureOf(pool.page(ref, null, new Waiters(callContextOf(accountId, deadlineMs))));
    const followers = () => list('followers', at.userId('harbor'));
    const timeline = () => list('timeline', at.userId('harbor'));
    const states = () => pool.health().sessions.map(({ state }) => state);

    it.sequential('slower than its pace: the excess waits here, in turns, and nothing counts as a failure', {
      timeout: 150_000,
    }, async () => {
      Object.assign(at.load, { servers: 1, latencyMs: 60 });
      const heavy = Array.from({ length: 25 }, () => page(followers(), 'heavy', 120_000));
      await sleep(1000);
      const startedAt = performance.now();
      expect(await page(followers(), 'light', 120_000)).toBe('answered');
      const lightMs = performance.now() - startedAt;
      expect(new Set(await Promise.all(heavy))).toEqual(new Set(['answered']));
      const heavyMs = performance.now() - startedAt;
      expect(lightMs).toBeLessThan(heavyMs);
      // Far fewer reads are at the upstream than wait.
      expect(at.load.peak).toBeLessThan(40);
      // One may rest because the upstream's own headers ask for it, and one may not read this kind at all.
      const closed = pool.health().sessions.flatMap((session) => session.closed);
      expect(closed.filter(({ why }) => why === 'failing')).toEqual([]);
    });

    it.sequential('hanging: calls in flight are bounded, and reads resume when it is back', {
      timeout: 150_000,
    }, async () => {
      const sessions = at.network.sessions.length;
      at.load.hangs = () => true;
      const reads = Array.from({ length: 60 }, () => page(followers(), 'heavy', 3000));
      await sleep(1500);
      expect(at.load.peak).toBeLessThanOrEqual(10 * sessions);
      expect(new Set((await Promise.all(reads)).map(([code]) => code))).not.toContain('answered');
      at.load.hangs = () => false;
      let outcome: unknown;
      for (let tries = 0; outcome !== 'answered' && tries < 100; tries += 1) {
        outcome = await page(followers(), 'light');
        await sleep(100);
      }
      expect(outcome).toBe('answered');
    });

    it.sequential('failing for one kind of read: only that kind is paused', { timeout: 150_000 }, async () => {
      const before = at.requests.length;
      expect(await page(timeline(), 'a')).toBe('answered');
      const paths = new Set(at.requests.slice(before).map((line) => line.replace(/^\S+ /, '').replace(/\?.*/, '')));
      await page(followers(), 'a');
      // Reads that the list of followers also needs must go on.
      const others = at.requests
        .slice(before + paths.size)
        .map((line) => line.replace(/^\S+ /, '').replace(/\?.*/, ''));
      for (const path of others) paths.delete(path);
      at.load.fails = (url) => paths.has(url.replace(/\?.*/, ''));
      for (let n = 0; n < 30; n += 1)
        expect(await page(timeline(), 'a')).toMatchObject(['upstream_error', expect.any(Number)]);
      expect(await page(followers(), 'a')).toBe('answered');
      for (const { state, closed } of pool.health().sessions) {
        if (state !== 'ok') expect([state, closed.map(({ kind }) => kind)]).toEqual(['limited', ['timeline']]);
      }
      expect(states()).toContain('limited');
    });
  });
}
