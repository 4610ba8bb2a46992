import type { Clock } from '../../src/ports.js';

export interface Timers {
  setTimeout(run: () => void, delayMs: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout): void;
}

export interface Lane {
  turn(signal: AbortSignal): Promise<void>;
  waitMs(): number;
  waiting(): number;
}

/** How much of a timer's lateness is caught up, at least: without it a pace above some hundreds a second is never reached. */
const CATCH_UP_MS = 10;

/**
 * One family's calls, `intervalMs` apart, first come, first sent. A lane that was idle sends one call at once and has saved
 * up nothing. Turns lie on a grid, so a late timer does not lower the rate: in any t milliseconds at most
 * `1 + (t + catch-up) / intervalMs` turns, the catch-up being one interval or 10 ms.
 */
export function createLane(lane: { intervalMs: number; clock: Clock; timers: Timers }): Lane {
  const { intervalMs, clock, timers } = lane;
  const catchUpMs = Math.max(intervalMs, CATCH_UP_MS);
  // In order of arrival; a set, so that who gives up leaves without a search.
  const waiters = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  /** Milliseconds until the next turn; never more than one interval, whatever happens to the clock. */
  function dueMs(): number {
    nextAtMs = Math.min(nextAtMs, clock.now() + intervalMs);
    return nextAtMs - clock.now();
  }

  function arm(): void {
    if (timer === undefined && waiters.size > 0) timer = timers.setTimeout(send, Math.max(0, Math.ceil(dueMs())));
  }

  function disarm(): void {
    if (timer !== undefined) timers.clearTimeout(timer);
    timer = undefined;
  }

  function send(): void {
    timer = undefined;
    for (const go of waiters) {
      if (dueMs() > 0) break;
      nextAtMs = Math.max(nextAtMs, clock.now() - catchUpMs) + intervalMs;
      waiters.delete(go);
      go();
    }
    arm();
  }

  function queue(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiters.delete(go);
        if (waiters.size === 0) disarm();
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiters.add(go);
      arm();
    });
  }

  return {
    async turn(signal) {
      if (waiters.size > 0 || dueMs() > 0) return queue(signal);
      nextAtMs = clock.now() + intervalMs;
    },
    waitMs: () => Math.round(Math.max(0, dueMs()) + waiters.size * intervalMs),
    waiting: () => waiters.size,
  };
}
