import { ServiceError } from '../domain/errors.js';
import { abortWith, type LazySignal } from '../lib/abort.js';
import { LinkedSet } from '../lib/brief-collections.js';
import type { SetTimeout, SharedTimer } from '../lib/monotonic.js';
import type { Soon } from '../lib/soon.js';
import type { Clock } from '../ports/clock.js';

/**
 * The deadline of one call (S13): no work is started for the call after it. Aborted when the caller disconnects before
 * the call has ended, and at the deadline even after that, because its reads may outlive it.
 */
export class Deadline implements LazySignal {
  readonly atMs: number;
  readonly #ms: number;
  readonly #monotonic: Clock;
  readonly #caller: LazySignal;
  readonly #timer: SharedTimer;
  /** Set once something waits: most calls end without waiting for anything. */
  #timeout: SetTimeout | null = null;
  /** Functions that reject the waiting promises. */
  readonly #waiting = new LinkedSet<(reason: ServiceError) => void>();
  #over: AbortController | null = null;
  /** Ends listening to the caller, whose signal may be that of a stream, and outlive thousands of calls. */
  #leave: (() => void) | null = null;
  #hasEnded = false;
  /** Set once the deadline has passed: anything that starts waiting after that fails at once. */
  #passed: ServiceError | null = null;

  /** `caller` is aborted when the caller disconnects. */
  constructor(ms: number, monotonic: Clock, caller: LazySignal, timer: SharedTimer) {
    this.#ms = ms;
    this.#monotonic = monotonic;
    this.#caller = caller;
    this.#timer = timer;
    this.atMs = monotonic.now() + ms;
  }

  get aborted(): boolean {
    return this.#caller.aborted || this.#monotonic.now() >= this.atMs;
  }

  get reason(): unknown {
    if (this.#caller.aborted) return this.#caller.reason;
    return this.aborted ? this.#error() : undefined;
  }

  get signal(): AbortSignal {
    if (this.#over === null) {
      this.#watch();
      this.#over = new AbortController();
      if (this.#passed !== null) this.#over.abort(this.#passed);
      else if (!this.#hasEnded) this.#leave = abortWith(this.#over, this.#caller.signal);
    }
    return this.#over.signal;
  }

  /** Returns a plain value, or throws if the deadline has passed. A promise rejects with a 503 at the deadline. */
  race<T>(answer: Promise<T>): Promise<T>;
  race<T>(answer: Soon<T>): Soon<T>;
  race<T>(answer: Soon<T>): Soon<T> {
    if (answer instanceof Promise) return this.#wait(answer);
    if (this.#passed !== null) throw this.#passed;
    return answer;
  }

  #wait<T>(answer: Promise<T>): Promise<T> {
    this.#watch();
    return new Promise((resolve, reject) => {
      const link = this.#passed === null ? this.#waiting.add(reject) : null;
      if (this.#passed !== null) reject(this.#passed);
      const end = (): void => {
        if (link !== null) this.#waiting.remove(link);
      };
      // A result that comes after the deadline is ignored.
      answer.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }

  #watch(): void {
    this.#timeout ??= this.#timer.set(this.atMs, () => this.#pass());
  }

  /**
   * Called when the call has ended. Releases everything that was raced, so answers can be collected, and the caller.
   * The timeout stays if a read uses the signal.
   */
  end(): void {
    this.#hasEnded = true;
    this.#leave?.();
    this.#waiting.clear();
    if (this.#over === null && this.#timeout !== null) this.#timer.cancel(this.#timeout);
  }

  #pass(): void {
    this.#passed = this.#error();
    for (const reject of this.#waiting) reject(this.#passed);
    this.#waiting.clear();
    this.#over?.abort(this.#passed);
  }

  #error(): ServiceError {
    return new ServiceError(
      'upstream_error',
      `This call did not finish within ${this.#ms / 1000} s and was cancelled. Nothing was charged.`,
    );
  }
}
