import type { ServiceError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';

/**
 * After this many failures in a row the breaker opens for this long; then one call finds out whether reads work again.
 */
const FAILURES = 10;
const BREAK_MS = 5000;

/** What is not called, for how much longer, and its last failure. */
export interface Broken {
  readonly leftMs: number;
  readonly failure: ServiceError;
}

/** Stops calls that keep failing: one breaker for each session and kind of read. */
export class Breaker {
  readonly #monotonic: Clock;
  #failures = 0;
  #last: ServiceError | undefined;
  #untilMs: number | undefined;
  #probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(monotonic: Clock) {
    this.#monotonic = monotonic;
  }

  /**
   * Why no call may be made now. After the break one call may try; without an answer, another may after the same time.
   */
  get broken(): Broken | undefined {
    if (this.#untilMs === undefined || this.#last === undefined) return undefined;
    const leftMs = Math.max(this.#untilMs, this.#probedAtMs + BREAK_MS) - this.#monotonic.now();
    return leftMs > 0 ? { leftMs, failure: this.#last } : undefined;
  }

  /** True from its opening until a call is answered. */
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

  /** Records a failure. Returns whether the breaker opened with it, or is still open. */
  failed(failure: ServiceError): boolean {
    this.#last = failure;
    this.#failures += 1;
    if (this.#failures < FAILURES) return false;
    this.#untilMs = this.#monotonic.now() + BREAK_MS;
    return true;
  }
}
