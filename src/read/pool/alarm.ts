import type { Clock, Timers } from '../../ports/clock.js';

/** Soonest and latest that it rings. */
const WITHIN_MS = { least: 20, most: 60_000 } as const;

export interface AlarmOptions {
  readonly monotonic: Clock;
  readonly timers: Timers;
  readonly ring: () => void;
}

/** Rings once, at the soonest of the times it was set to since it rang last. */
export class Alarm {
  readonly #options: AlarmOptions;
  #set: { readonly cancel: () => void; readonly atMs: number } | undefined;

  constructor(options: AlarmOptions) {
    this.#options = options;
  }

  set(inMs: number): void {
    const { monotonic, timers, ring } = this.#options;
    const waitMs = Math.min(WITHIN_MS.most, Math.max(WITHIN_MS.least, inMs));
    const atMs = monotonic.now() + waitMs;
    if (this.#set !== undefined && this.#set.atMs <= atMs) return;
    this.#set?.cancel();
    const then = (): void => {
      this.#set = undefined;
      ring();
    };
    this.#set = { cancel: timers.after(waitMs, then), atMs };
  }

  off(): void {
    this.#set?.cancel();
    this.#set = undefined;
  }
}
