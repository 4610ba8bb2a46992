import type { Job } from './job.js';
import { slotsOf } from './queue-share.js';

/** What one account has in the queue: counted, in a few steps whatever waits. */
export class AccountQueue {
  readonly id: string;
  /** Its last turn, by number, or when it came: who has the lowest one is next. */
  turn: number;
  /** Of those that travel alone. */
  unbatched = 0;
  /** Of the queue, in places. */
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

  /** How many turns they take, at most. */
  get turns(): number {
    let turns = 0;
    for (const { waiting, maxBatchSize } of this.#kinds.values()) turns += Math.ceil(waiting / maxBatchSize);
    return turns;
  }
}
