import type { Clock, Timers } from '../../ports/clock.js';

/** Shortest and longest delay. */
const WITHIN_MS = { least: 20, most: 60_000 } as const;

export interface WakeTimerOptions {
  readonly monotonic: Clock;
  readonly timers: Timers;
  readonly onFire: () => void;
}

/** A one-shot timer: fires at the earliest of the times it was set to since it last fired. */
export class WakeTimer {
  readonly #options: WakeTimerOptions;
  #set: { readonly cancel: () => void; readonly atMs: number } | undefined;

  constructor(options: WakeTimerOptions) {
    this.#options = options;
  }

  set(inMs: number): void {
    const { monotonic, timers, onFire } = this.#options;
    const waitMs = Math.min(WITHIN_MS.most, Math.max(WITHIN_MS.least, inMs));
    const atMs = monotonic.now() + waitMs;
    if (this.#set !== undefined && this.#set.atMs <= atMs) return;
    this.#set?.cancel();
    const then = (): void => {
      this.#set = undefined;
      onFire();
    };
    this.#set = { cancel: timers.after(waitMs, then), atMs };
  }

  cancel(): void {
    this.#set?.cancel();
    this.#set = undefined;
  }
}
