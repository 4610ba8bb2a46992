import type { Timers } from '../ports/clock.js';
import type { Pace } from '../ports/rate-limiter.js';

const SECOND_MS = 1000;

/** How far turns are postponed at most because of calls that did not wait for one, milliseconds. */
const LONGEST_OWED_MS = 60_000;

export interface TurnsOptions {
  /** Shared by all processes. */
  readonly pace: Pace;
  readonly key: string;
  readonly perSecond: number;
  readonly timers: Timers;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Lets followers ask the network one after the other, at a pace of their own. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new Set<{ readonly go: () => void }>();
  #isRunning = false;
  /** Until when turns are already taken, as far as this process knows. */
  #takenTo = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Milliseconds until everyone who waits now has had their turn. */
  get delayMs(): number {
    return (this.#waiting.size * SECOND_MS) / this.#options.perSecond;
  }

  /** Calls `go` when its turn comes. Returns a function that gives the turn up, so that it is not lost to others. */
  wait(go: () => void): () => void {
    const waiting = { go };
    this.#waiting.add(waiting);
    void this.#run();
    return () => this.#waiting.delete(waiting);
  }

  /**
   * Takes turns for calls that were made without one: by followers that begin, which do not wait, and by reads of
   * several pages. The next turns come later.
   */
  async charge(calls: number): Promise<void> {
    const { pace, key, perSecond, now } = this.#options;
    for (let left = calls; left > 0 && this.#takenTo - now() < LONGEST_OWED_MS; left -= 1) {
      const waitMs = await pace.reserve(key, perSecond).catch(() => 0);
      this.#takenTo = now() + waitMs;
    }
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { pace, key, perSecond, timers } = this.#options;
    while (this.#waiting.size > 0) {
      const waitMs = await pace.reserve(key, perSecond).catch(() => SECOND_MS / perSecond);
      if (waitMs > 0) await new Promise<void>((resolve) => void timers.after(waitMs, resolve));
      const [first] = this.#waiting;
      if (first === undefined) continue;
      this.#waiting.delete(first);
      first.go();
    }
    this.#isRunning = false;
  }
}
