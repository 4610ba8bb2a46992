import { setImmediate as tick } from 'node:timers/promises';
import type { Clock, Timers } from '../../../src/ports/clock.js';

/**
 * Time that moves only when a test runs it. What is due happens in order, each with everything it sets off before the
 * next.
 */
export class VirtualTime implements Clock, Timers {
  #nowMs: number;
  #due: { readonly atMs: number; readonly then: () => void }[] = [];

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  now = (): number => this.#nowMs;

  after = (ms: number, then: () => void): (() => void) => {
    const due = { atMs: this.#nowMs + Math.max(0, ms), then };
    // Goes behind everything due at the same time.
    let [low, high] = [0, this.#due.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#due[middle]?.atMs ?? 0) <= due.atMs) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  };

  wait = (ms: number): Promise<void> => new Promise((resolve) => void this.after(ms, resolve));

  /** Runs for this many milliseconds, or until the promise is settled. */
  async run(ms: number, until?: Promise<unknown>): Promise<void> {
    const endMs = this.#nowMs + ms;
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    until?.then(settle, settle);
    await tick();
    for (let [next] = this.#due; next !== undefined && next.atMs <= endMs && !isSettled; [next] = this.#due) {
      this.#due.shift();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.then();
      await tick();
    }
    if (!isSettled) this.#nowMs = endMs;
  }
}
