import { ServiceError } from '../core/errors.js';
import type { Clock } from '../ports/clock.js';
import type { AbortState } from '../ports/ledger.js';

/** The deadline of one call (S13): no work is begun for the call after it. */
export class Deadline {
  readonly atMs: number;
  readonly #ms: number;
  readonly #monotonic: Clock;
  readonly #callerSignal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #waiting = new Set<(reason: ServiceError) => void>();
  #over: AbortController | null = null;
  /** Set once the deadline has passed: anything that starts waiting after that fails at once. */
  #passed: ServiceError | null = null;

  /** `callerSignal` fires when the caller disconnects. */
  constructor(ms: number, monotonic: Clock, callerSignal: AbortSignal) {
    this.#ms = ms;
    this.#monotonic = monotonic;
    this.#callerSignal = callerSignal;
    this.atMs = monotonic.now() + ms;
    this.#timer = setTimeout(() => this.#pass(), ms).unref();
  }

  /** Fires when the caller disconnects, and at the deadline, even if the call has ended: its reads may outlive it. */
  get signal(): AbortSignal {
    if (this.#over === null) {
      this.#over = new AbortController();
      if (this.#passed !== null) this.#over.abort(this.#passed);
    }
    return AbortSignal.any([this.#callerSignal, this.#over.signal]);
  }

  /** The same as a state to poll, without a listener. */
  get abortState(): AbortState {
    const isLate = (): boolean => this.#monotonic.now() >= this.atMs;
    const late = (): ServiceError => this.#late();
    const callerSignal = this.#callerSignal;
    return {
      get aborted() {
        return callerSignal.aborted || isLate();
      },
      get reason() {
        return callerSignal.aborted ? callerSignal.reason : late();
      },
    };
  }

  /** The promise's result, or a 503 at the deadline if that comes first. */
  async race<T>(answer: Promise<T>): Promise<T> {
    if (this.#passed !== null) {
      // The result is no longer used, and its rejection must not go unhandled.
      answer.catch(() => {});
      throw this.#passed;
    }
    let stop: (reason: ServiceError) => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      stop = reject;
      this.#waiting.add(stop);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      this.#waiting.delete(stop);
    }
  }

  end(): void {
    if (this.#over === null) clearTimeout(this.#timer);
  }

  #pass(): void {
    const late = this.#late();
    this.#passed = late;
    for (const stop of this.#waiting) stop(late);
    this.#over?.abort(late);
  }

  #late(): ServiceError {
    return new ServiceError(
      'upstream_error',
      `This call did not finish within ${this.#ms / 1000} s and was cancelled. Nothing was charged.`,
    );
  }
}
