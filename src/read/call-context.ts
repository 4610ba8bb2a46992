import { setMaxListeners } from 'node:events';
import type { SpanMark } from '../ports/tracing.js';

/** What reading upstream took of a call: calls it caused, and milliseconds of waiting for a turn and for answers. */
export interface UpstreamUsage {
  readonly calls: number;
  readonly waitMs: number;
  readonly readMs: number;
}

export interface CallContextOptions {
  readonly accountId: string;
  /** Fires when the caller is gone, and at the deadline. */
  readonly signal: AbortSignal;
  /** Milliseconds of the monotonic clock: nothing is worth waiting for after this (S13). */
  readonly deadlineAtMs: number;
  /** Called before its first read that waits for the network; the call is refused with what it throws. */
  readonly beforeNetwork?: () => void;
  /** The span on whose behalf it reads, where there is tracing. */
  readonly mark?: SpanMark | undefined;
}

/** One call as the upstream is concerned: on whose turn it reads, until when, and what that took. */
export class CallContext {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly deadlineAtMs: number;
  readonly mark: SpanMark | undefined;
  readonly #beforeNetwork: () => void;
  #refusal: unknown;
  #calls = 0;
  readonly #waited = new CoveredTime();
  readonly #read = new CoveredTime();

  constructor({ accountId, signal, deadlineAtMs, mark, beforeNetwork = () => {} }: CallContextOptions) {
    this.accountId = accountId;
    this.signal = signal;
    // Each of its reads listens to it, and an operation may have hundreds.
    setMaxListeners(0, signal);
    this.deadlineAtMs = deadlineAtMs;
    this.mark = mark;
    this.#beforeNetwork = beforeNetwork;
  }

  /** It is about to wait for the network. Throws where it may not, then and ever after: `refusal` is what the call is told. */
  toNetwork(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    try {
      this.#beforeNetwork();
    } catch (error) {
      this.#refusal = error;
      throw error;
    }
  }

  /** Undefined while it was let through. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** One upstream call was made for it. */
  called(): void {
    this.#calls += 1;
  }

  waited(fromMs: number, toMs: number): void {
    this.#waited.add(fromMs, toMs);
  }

  read(fromMs: number, toMs: number): void {
    this.#read.add(fromMs, toMs);
  }

  get upstream(): UpstreamUsage {
    return { calls: this.#calls, waitMs: this.#waited.ms, readMs: this.#read.ms };
  }
}

/** Time covered by stretches that may overlap, when they are told in the order they end: what ran side by side counts once. */
class CoveredTime {
  #ms = 0;
  #coveredToMs = Number.NEGATIVE_INFINITY;

  add(fromMs: number, toMs: number): void {
    this.#ms += Math.max(0, toMs - Math.max(fromMs, this.#coveredToMs));
    this.#coveredToMs = Math.max(this.#coveredToMs, toMs);
  }

  get ms(): number {
    return this.#ms;
  }
}
