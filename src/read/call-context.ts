import { setMaxListeners } from 'node:events';
import type { UpstreamSpending } from '../ports/network.js';
import type { SpanMark } from '../ports/tracing.js';

/** A call's use of the network: the upstream calls it caused, and milliseconds spent queueing and reading. */
export interface UpstreamUsage {
  readonly calls: number;
  readonly waitMs: number;
  readonly readMs: number;
}

export interface NetworkSlot {
  /**
   * Called before a read that waits for the network. `same`: the slot of another call of the same account that waits
   * for this very read. If it throws, the call is refused with that error.
   */
  waitForNetwork(same?: NetworkSlot): void;
}

export interface CallContextOptions {
  readonly accountId: string;
  /** Fires when the caller disconnects, and at the deadline. */
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. Nothing waits beyond this. */
  readonly deadlineAtMs: number;
  /** The call's slot among those that wait for the network; by default it needs none. */
  readonly slot?: NetworkSlot | undefined;
  /** Whether the answer can do without the reads. */
  readonly isSpare?: boolean;
  /** The span that reads belong to, if tracing is on. */
  readonly mark?: SpanMark | undefined;
  readonly spending?: UpstreamSpending | undefined;
}

/** A read that the answer can do without is given up this long before the call's deadline. */
const SPARE_MS = 1000;

/**
 * What a read needs to know about its call: the account, the deadline, and how much of the network it has used so far.
 */
export class CallContext {
  readonly accountId: string;
  readonly signal: AbortSignal;
  readonly deadlineAtMs: number;
  readonly mark: SpanMark | undefined;
  readonly spending: UpstreamSpending | undefined;
  /** Whether the answer can do without the reads. They end at their own deadline, before the signal fires. */
  readonly isSpare: boolean;
  readonly #slot: NetworkSlot | undefined;
  #refusal: unknown;
  #usage = { calls: 0, waited: new CoveredTime(), read: new CoveredTime() };

  constructor({ accountId, signal, deadlineAtMs, mark, spending, slot, isSpare = false }: CallContextOptions) {
    this.accountId = accountId;
    this.signal = signal;
    // Each read of the call adds a listener, and an operation may have hundreds of reads.
    setMaxListeners(0, signal);
    this.deadlineAtMs = deadlineAtMs;
    this.mark = mark;
    this.spending = spending;
    this.isSpare = isSpare;
    this.#slot = slot;
  }

  /**
   * Must be called before waiting for the network. Throws if that is not allowed, and again whenever it is called
   * later; `refusal` keeps the error. `same`: a call of the same account that waits for this very read.
   */
  toNetwork(same?: CallContext): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    try {
      this.#slot?.waitForNetwork(same === undefined ? undefined : same.#slot);
    } catch (error) {
      this.#refusal = error;
      throw error;
    }
  }

  /**
   * A context for a read that the answer can do without: if the read is refused, the call is not, and the read is given
   * up while there is still time to answer without it. Its use of the network counts as the call's.
   */
  spare(): CallContext {
    const { accountId, signal, deadlineAtMs, mark, spending } = this;
    const spare = new CallContext({
      ...{ accountId, signal, mark, spending, slot: this.#slot },
      deadlineAtMs: deadlineAtMs - SPARE_MS,
      isSpare: true,
    });
    spare.#usage = this.#usage;
    return spare;
  }

  /** Whether the two are contexts of one call: its own, or one for reads that the answer can do without. */
  isOfSameCall(other: CallContext): boolean {
    return this.#usage === other.#usage;
  }

  /** Why the call may not use the network; undefined if it may. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Counts one upstream call made for this call. */
  called(): void {
    this.#usage.calls += 1;
  }

  waited(fromMs: number, toMs: number): void {
    this.#usage.waited.add(fromMs, toMs);
  }

  read(fromMs: number, toMs: number): void {
    this.#usage.read.add(fromMs, toMs);
  }

  get upstream(): UpstreamUsage {
    const { calls, waited, read } = this.#usage;
    return { calls, waitMs: waited.ms, readMs: read.ms };
  }
}

/** Total time covered by intervals that may overlap, added in the order they end: parallel work counts once. */
class CoveredTime {
  /** The covered time, without overlaps, in order of time. */
  readonly #spans: { readonly fromMs: number; readonly toMs: number }[] = [];

  add(fromMs: number, toMs: number): void {
    let [from, to] = [fromMs, toMs];
    for (let last = this.#spans.at(-1); last !== undefined && last.toMs >= from; last = this.#spans.at(-1)) {
      [from, to] = [Math.min(from, last.fromMs), Math.max(to, last.toMs)];
      this.#spans.pop();
    }
    this.#spans.push({ fromMs: from, toMs: to });
  }

  get ms(): number {
    return this.#spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  }
}
