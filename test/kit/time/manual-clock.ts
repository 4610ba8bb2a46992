import type { Clock } from '../../../src/ports/clock.js';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Moves to the present if that is later: the database's own time, which debits have, goes on. */
  catchUp(): void;
  /** Moves further than anything is cached, and less than a cursor lives. */
  forget(): void;
}

/**
 * A clock that stands still until a test moves it. It starts at the real time because a database compares with its own.
 */
export function manualClock(): ManualClock {
  let nowMs = Date.now();
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    catchUp() {
      nowMs = Math.max(nowMs, Date.now());
    },
    forget() {
      nowMs += 7 * 3_600_000;
    },
  };
}
