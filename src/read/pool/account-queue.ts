import type { Job } from './job.js';
import { slotsOf } from './queue-share.js';

/** Counters of what one account has in the queue, so that no decision depends on the length of the queue. */
export class AccountQueue {
  readonly id: string;
  /** Number of its last turn, or of its arrival: the lowest is next. */
  turn: number;
  /** Jobs that cannot be batched. */
  unbatched = 0;
  /** Slots of the queue it takes. */
  slots = 0;
  jobs = 0;
  readonly #kinds = new Map<string, { waiting: number; readonly maxBatchSize: number }>();

  constructor(id: string, turn: number) {
    this.id = id;
    this.turn = turn;
  }

  count({ spec }: Job, by: 1 | -1): void {
    const { kind, maxBatchSize } = spec;
    this.jobs += by;
    this.slots += by * slotsOf(spec);
    if (maxBatchSize === 1) this.unbatched += by;
    const of = this.#kinds.get(kind) ?? { waiting: 0, maxBatchSize };
    of.waiting += by;
    if (of.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, of);
  }

  /** Turns that its jobs take at most. */
  get turns(): number {
    let turns = 0;
    for (const { waiting, maxBatchSize } of this.#kinds.values()) turns += Math.ceil(waiting / maxBatchSize);
    return turns;
  }
}
