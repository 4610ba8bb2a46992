import { Memories } from '../../src/lib/memories.js';
import type { SingleFlight } from '../../src/ports/cache.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Pace } from '../../src/ports/rate-limiter.js';

/** Reads under way in one process. A key is known only from the start of its read until it settles. */
export function createMemorySingleFlight(): SingleFlight {
  const underway = new Map<string, Promise<unknown>>();

  return {
    async join<T>(key: string, read: () => Promise<T>) {
      const joined = underway.get(key);
      if (joined !== undefined) return { value: (await joined) as T, led: false };
      // `async` turns a synchronous throw into a rejected promise.
      const flight = (async () => read())().finally(() => underway.delete(key));
      underway.set(key, flight);
      return { value: await flight, led: true };
    },
  };
}

/** How much of a timer's lateness is caught up. Otherwise a pace above several hundred a second is never reached. */
const CATCH_UP_MS = 10;

export interface MemoryPaceOptions {
  /** Milliseconds from any origin; monotonic, so that setting a clock back stalls nothing. */
  readonly clock: Clock;
  /** Where its keys are counted. The one idle longest is forgotten first, without loss: an idle key has no state. */
  readonly memories?: Memories;
  readonly maxBytes?: number;
}

/** The pace of one process: each key's slots are on a grid, so that lateness does not lower the rate. */
export function createMemoryPace({ clock, memories = new Memories(), maxBytes }: MemoryPaceOptions): Pace {
  const nextAtMs = memories.map<number>('paces', maxBytes === undefined ? {} : { maxBytes });

  return {
    async reserve(key, perSecond) {
      const nowMs = clock.now();
      const atMs = Math.max(nextAtMs.get(key) ?? Number.NEGATIVE_INFINITY, nowMs - CATCH_UP_MS);
      nextAtMs.set(key, atMs + 1000 / perSecond);
      return Math.max(0, atMs - nowMs);
    },
  };
}
