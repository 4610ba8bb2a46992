import type { ServiceError } from '../../core/errors.js';
import type { Clock } from '../../ports/clock.js';

/** After so many failures in a row it is left alone for so long; then one call finds out whether it works again. */
const FAILURES = 10;
const BREAK_MS = 5000;

/** What is left alone, for how much longer, and what it failed with last. */
export interface Broken {
  readonly leftMs: number;
  readonly failure: ServiceError;
}

/** Keeps calls from what fails again and again: one for each session and kind of read. */
export class Breaker {
  readonly #monotonic: Clock;
  #failures = 0;
  #last: ServiceError | undefined;
  #untilMs: number | undefined;
  #probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(monotonic: Clock) {
    this.#monotonic = monotonic;
  }

  /** Why no call may be made now. Once the time is over one may find out, and if it does not hear, another as long after it. */
  get broken(): Broken | undefined {
    if (this.#untilMs === undefined || this.#last === undefined) return undefined;
    const leftMs = Math.max(this.#untilMs, this.#probedAtMs + BREAK_MS) - this.#monotonic.now();
    return leftMs > 0 ? { leftMs, failure: this.#last } : undefined;
  }

  /** Whether it has not been found well since it opened. */
  get isOpen(): boolean {
    return this.#untilMs !== undefined;
  }

  /** A call begins. */
  enter(): void {
    if (this.isOpen) this.#probedAtMs = this.#monotonic.now();
  }

  answered(): void {
    this.#failures = 0;
    this.#untilMs = undefined;
    this.#probedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether it opened by this one, or stays so. */
  failed(failure: ServiceError): boolean {
    this.#last = failure;
    this.#failures += 1;
    if (this.#failures < FAILURES) return false;
    this.#untilMs = this.#monotonic.now() + BREAK_MS;
    return true;
  }
}
