import { timers as processTimers } from '../lib/monotonic.js';
import type { Timers } from '../ports/clock.js';

interface Waiting {
  readonly rank: number;
  readonly run: () => Promise<void>;
}

/**
 * Runs paid fields one at a time in document order, however they arrive; a field's children run before its
 * sibling.
 */
export class FieldSequencer {
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #timers: Timers;
  readonly #waiting: Waiting[] = [];
  #running = false;

  /** `ranks`: the position of each paid field in the document, by its path. */
  constructor(ranks: ReadonlyMap<string, number>, timers: Timers = processTimers) {
    this.#ranks = ranks;
    this.#timers = timers;
  }

  take<T>(path: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const rank = this.#ranks.get(path) ?? 0;
      this.#waiting.push({ rank, run: () => Promise.resolve().then(work).then(resolve, reject) });
      if (this.#running) return;
      this.#running = true;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      // Wait a tick: the children of a finished field start within it.
      await new Promise<void>((resolve) => void this.#timers.after(0, resolve));
      const next = this.#takeFirst();
      if (!next) break;
      await next.run();
    }
    this.#running = false;
  }

  #takeFirst(): Waiting | undefined {
    let first = 0;
    for (const [index, { rank }] of this.#waiting.entries()) {
      if (rank < (this.#waiting[first]?.rank ?? 0)) first = index;
    }
    return this.#waiting.splice(first, 1)[0];
  }
}
