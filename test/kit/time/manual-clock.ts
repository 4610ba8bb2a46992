import type { Clock } from '../../../src/ports/clock.js';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Further than anything is held, and less than a cursor lives. */
  forget(): void;
}

/** A clock that stands still until it is told. It starts at the real time, for what a database compares with its own. */
export function manualClock(): ManualClock {
  let nowMs = Date.now();
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    forget() {
      nowMs += 7 * 3_600_000;
    },
  };
}
