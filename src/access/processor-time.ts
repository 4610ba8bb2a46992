import type { BoundedMap } from '../core/bounded-map.js';
import { ServiceError } from '../core/errors.js';
import { Memories } from '../core/memories.js';
import type { Clock } from '../ports/clock.js';
import type { Holder } from './work-slots.js';

/** Milliseconds of processor that a holder may use in each second, and at once after a pause. */
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

/** Without requests of others for this long, a holder may use the processor without limit. */
const ALONE_MS = 1000;

/** After this much work in one turn of the event loop, further work is put off to a later turn. */
const TURN_MS = 20;

interface Bucket {
  leftMs: number;
  atMs: number;
}

export interface ProcessorTimeOptions {
  readonly monotonic: Clock;
  /** Milliseconds of processor that the process has used; the other clock, where there is none. */
  readonly used?: Clock;
  /** Where its buckets are counted. */
  readonly memories?: Memories;
}

/** Charges work to a holder that may work now. */
export interface ProcessorBudget {
  /** Runs it and counts the time until it returns; of a promise, the time until the first wait. */
  measured<T>(work: () => T): T;
  /** Puts work on its account that is done between waits, where no clock can tell whose it is. */
  spend(ms: number): void;
}

/** For work that is the same little each time, and not worth two looks at the clocks: that of persisted operations. */
export const unmeasured = ({ spend }: ProcessorBudget): ProcessorBudget => ({ measured: (work) => work(), spend });

/**
 * What the event loop does for one caller alone (parsing, validating, planning, compiling, rendering) comes out of a token bucket
 * of milliseconds. A holder that has overdrawn it is refused while others are asking.
 */
export class ProcessorTime {
  readonly #monotonic: Clock;
  readonly #used: Clock;
  readonly #buckets: BoundedMap<Bucket>;
  /** Who asked last, and who before that was somebody else. */
  #last = { name: '', atMs: Number.NEGATIVE_INFINITY };
  #other = { name: '', atMs: Number.NEGATIVE_INFINITY };
  #refused = 0;
  #turnMs = 0;

  constructor({ monotonic, used = monotonic, memories = new Memories() }: ProcessorTimeOptions) {
    this.#monotonic = monotonic;
    this.#used = used;
    this.#buckets = memories.map('processor');
  }

  /** Requests refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Throws 503 with the reason `processor` where the holder has overdrawn its time and others ask. */
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

  /** Puts work on the holder's account that was done elsewhere. */
  spend(holder: Holder, ms: number): void {
    this.#spend(this.#bucketOf(holder, this.#monotonic.now()), ms);
  }

  /** Resolves at once, or in a later turn of the event loop where much was done in this one; one at least goes on in each. */
  async turn(signal: AbortSignal): Promise<void> {
    while (this.#turnMs >= TURN_MS && !signal.aborted) await new Promise(setImmediate);
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
    if (this.#last.name !== name) this.#other = this.#last;
    this.#last = { name, atMs: now };
    return now - this.#other.atMs < ALONE_MS;
  }

  #measured<T>(bucket: Bucket, work: () => T): T {
    const [from, usedBefore] = [this.#monotonic.now(), this.#used.now()];
    try {
      return work();
    } finally {
      // A process that had to wait for a processor was slow for all; other threads of it may have worked meanwhile.
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
  const seconds = Math.max(1, Math.ceil(byMs / perSecondMs));
  const whose = kind === 'account' ? 'This account' : 'This IP address';
  return new ServiceError(
    'upstream_rate_limited',
    `${whose} is ${Math.ceil(byMs)} ms over its share of CPU time (${perSecondMs} ms per second while others are waiting). Send smaller or fewer new documents, and try again in ${seconds} s; nothing was charged.`,
    { reason: 'processor', retryAfter: seconds },
  );
}
