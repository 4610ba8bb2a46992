import { ServiceError } from '../domain/errors.js';
import type { AbortState } from '../lib/abort.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { Memories } from '../lib/memories.js';
import type { Clock } from '../ports/clock.js';
import type { Holder } from './work-slots.js';

/** Milliseconds of processor time that a holder may use per second, and in one burst after a pause. */
interface Allowance {
  readonly perSecondMs: number;
  readonly burstMs: number;
}

const ALLOWANCES: Readonly<Record<Holder['kind'], Allowance>> = {
  account: { perSecondMs: 250, burstMs: 500 },
  address: { perSecondMs: 100, burstMs: 250 },
};

/** Overdrafts are capped here, which bounds how long a holder waits. */
const MOST_OVERDRAWN_MS = 500;

/** If no other holder has sent a request for this long, a holder may use the processor without limit. */
const ALONE_MS = 1000;

/** After this much work in one turn of the event loop, further work is postponed to a later turn. */
const TURN_MS = 20;

interface Bucket {
  leftMs: number;
  atMs: number;
}

/** A call that waits for its turn. */
interface Waiting {
  readonly signal: AbortState;
  readonly resolve: () => void;
}

export interface ProcessorTimeOptions {
  readonly monotonic: Clock;
  /** Milliseconds of processor time that the process has used; `monotonic` by default. */
  readonly used?: Clock;
  /** Where the memory of its buckets is counted. */
  readonly memories?: Memories;
}

/** Charges work to a holder that may work now. */
export interface ProcessorBudget {
  /** Runs the work and counts the time until it returns; for a promise, the time until its first wait. */
  measured<T>(work: () => T): T;
  /** Charges work done between waits, when no clock can attribute it to a holder. */
  spend(ms: number): void;
}

/**
 * For work that always takes the same short time, such as persisted operations, so that the clocks need not be read.
 */
export const unmeasured = ({ spend }: ProcessorBudget): ProcessorBudget => ({ measured: (work) => work(), spend });

/**
 * Work that the event loop does for a single caller (parsing, validating, planning, compiling, rendering) is taken from
 * that holder's token bucket of milliseconds. A holder that has overdrawn its bucket is refused while others are
 * asking.
 */
export class ProcessorTime {
  readonly #monotonic: Clock;
  readonly #used: Clock;
  readonly #buckets: BoundedMap<Bucket>;
  /** The last holder that asked and when, and when a different holder last asked. */
  #last: string | undefined;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #otherAtMs = Number.NEGATIVE_INFINITY;
  #refused = 0;
  #turnMs = 0;
  readonly #waiting: Waiting[] = [];
  /** A call was let in, and may be working. */
  #isLetIn = false;
  /** The next call is let in during a later turn. */
  #isPostponed = false;

  constructor({ monotonic, used = monotonic, memories = new Memories() }: ProcessorTimeOptions) {
    this.#monotonic = monotonic;
    this.#used = used;
    this.#buckets = memories.map('processor');
  }

  /** Requests refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Throws 503 with the reason `processor` if the holder has overdrawn its time and others are asking. */
  open(holder: Holder): ProcessorBudget {
    const now = this.#monotonic.now();
    const bucket = this.#bucketOf(holder, now);
    const contended = this.#othersAsk(holder.name, now);
    if (bucket.leftMs < 0 && contended) {
      this.#refused += 1;
      throw overdrawn(holder, -bucket.leftMs);
    }
    return { measured: (work) => this.#measured(bucket, work), spend: (ms) => this.#spend(bucket, ms) };
  }

  /** Charges the holder for work that was done elsewhere. */
  spend(holder: Holder, ms: number): void {
    this.#spend(this.#bucketOf(holder, this.#monotonic.now()), ms);
  }

  /**
   * Undefined if the call may work now. Otherwise resolves in a later turn of the event loop, because this one has
   * already done much work. Calls that ask in the same tick are let in one after another, each after the one before has
   * worked.
   */
  turn(signal: AbortState): Promise<void> | undefined {
    if (signal.aborted) return undefined;
    if (!this.#isLetIn && this.#turnMs < TURN_MS) {
      this.#letIn();
      return undefined;
    }
    return new Promise<void>((resolve) => {
      this.#waiting.push({ signal, resolve });
      if (!this.#isLetIn) this.#letInLater();
    });
  }

  /** The next tick comes after all the work that the call does without waiting. */
  #letIn(): void {
    this.#isLetIn = true;
    process.nextTick(() => {
      this.#isLetIn = false;
      this.#letNextIn();
    });
  }

  #letNextIn(): void {
    if (this.#waiting.length === 0 || this.#isLetIn) return;
    if (this.#turnMs >= TURN_MS) {
      this.#letInLater();
      return;
    }
    const next = this.#waiting.shift();
    next?.resolve();
    if (next?.signal.aborted) this.#letNextIn();
    else this.#letIn();
  }

  #letInLater(): void {
    if (this.#isPostponed) return;
    this.#isPostponed = true;
    setImmediate(() => {
      this.#isPostponed = false;
      this.#letNextIn();
    });
  }

  #bucketOf({ kind, name }: Holder, now: number): Bucket {
    const { perSecondMs, burstMs } = ALLOWANCES[kind];
    const known = this.#buckets.get(name);
    if (known) {
      known.leftMs = Math.min(burstMs, known.leftMs + ((now - known.atMs) * perSecondMs) / 1000);
      known.atMs = now;
      return known;
    }
    const bucket = { leftMs: burstMs, atMs: now };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #othersAsk(name: string, now: number): boolean {
    if (this.#last !== name) this.#otherAtMs = this.#lastAtMs;
    this.#last = name;
    this.#lastAtMs = now;
    return now - this.#otherAtMs < ALONE_MS;
  }

  #measured<T>(bucket: Bucket, work: () => T): T {
    const [from, usedBefore] = [this.#monotonic.now(), this.#used.now()];
    try {
      return work();
    } finally {
      // The shorter of the two times: wall time also grows while the process waits for a processor, and processor time
      // also counts other threads.
      this.#spend(bucket, Math.min(this.#monotonic.now() - from, this.#used.now() - usedBefore));
    }
  }

  #spend(bucket: Bucket, ms: number): void {
    bucket.leftMs = Math.max(-MOST_OVERDRAWN_MS, bucket.leftMs - ms);
    if (this.#turnMs === 0 && ms > 0) setImmediate(() => this.#endTurn());
    this.#turnMs += ms;
  }

  #endTurn(): void {
    this.#turnMs = 0;
  }
}

function overdrawn({ kind }: Holder, byMs: number): ServiceError {
  const { perSecondMs } = ALLOWANCES[kind];
  const seconds = Math.ceil(byMs / perSecondMs);
  const whose = kind === 'account' ? 'This account' : 'This IP address';
  return new ServiceError(
    'upstream_rate_limited',
    `${whose} is ${Math.ceil(byMs)} ms over its share of CPU time (${perSecondMs} ms per second while others are waiting). Send smaller or fewer new documents, and try again in ${seconds} s; nothing was charged.`,
    { reason: 'processor', retryAfter: seconds },
  );
}
