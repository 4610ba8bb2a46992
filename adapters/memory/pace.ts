import { LRUCache } from 'lru-cache';
import type { Clock } from '../../src/ports/clock.js';
import type { Pace } from '../../src/ports/shared.js';

/** How much of a timer's lateness is caught up: without it a pace above some hundreds a second is never reached. */
const CATCH_UP_MS = 10;

/** Lanes are sessions by families of reads: far fewer than this. */
const DEFAULT_LANES = 10_000;

export interface MemoryPaceOptions {
  /** Milliseconds from any start; monotonic, so that a clock set back stalls no lane. */
  readonly clock: Clock;
  /** Most lanes held; the one idle longest is forgotten first, and an idle lane has nothing to remember. */
  readonly maxLanes?: number;
}

/** The pace of one process: each lane's places lie on a grid, so that lateness does not lower the rate. */
export function createMemoryPace({ clock, maxLanes = DEFAULT_LANES }: MemoryPaceOptions): Pace {
  const nextAtMs = new LRUCache<string, number>({ max: maxLanes });

  return {
    async book(lane, perSecond) {
      const nowMs = clock.now();
      const atMs = Math.max(nextAtMs.get(lane) ?? Number.NEGATIVE_INFINITY, nowMs - CATCH_UP_MS);
      nextAtMs.set(lane, atMs + 1000 / perSecond);
      return Math.max(0, atMs - nowMs);
    },
  };
}
