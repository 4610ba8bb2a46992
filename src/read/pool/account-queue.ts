import type { Job } from './job.js';
import { KindCounts } from './kind-counts.js';
import { slotsOf } from './queue-share.js';

/** Counters of one account's jobs in the queue, so that no decision takes longer as the queue grows. */
export class AccountQueue {
  readonly id: string;
  /** Number of its last turn, or of its arrival: the account with the lowest is next. */
  turn: number;
  /** Jobs that cannot be batched. */
  unbatched = 0;
  /** Slots of the queue that it occupies. */
  slots = 0;
  jobs = 0;
  readonly #kinds = new KindCounts();

  constructor(id: string, turn: number) {
    this.id = id;
    this.turn = turn;
  }

  count({ spec }: Job, by: 1 | -1): void {
    this.jobs += by;
    this.slots += by * slotsOf(spec);
    if (spec.maxBatchSize === 1) this.unbatched += by;
    this.#kinds.count(spec, by);
  }

  /** Most turns that its jobs can take among `all` that are queued. */
  turnsAmong(all: KindCounts): number {
    return this.#kinds.callsAmong(all);
  }
}
