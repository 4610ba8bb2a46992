import type { Job } from './job.js';
import { placesOf } from './share.js';

/** What one account has in the queue: counted, in a few steps whatever waits. */
export class AccountLine {
  readonly id: string;
  /** Its last turn, by number, or when it came: who has the lowest one is next. */
  turn: number;
  /** Of those that travel alone. */
  alone = 0;
  /** Of the queue, in places. */
  places = 0;
  jobs = 0;
  readonly #kinds = new Map<string, { waiting: number; readonly most: number }>();

  constructor(id: string, turn: number) {
    this.id = id;
    this.turn = turn;
  }

  count({ carrier }: Job, by: 1 | -1): void {
    const { kind, most } = carrier;
    this.jobs += by;
    this.places += by * placesOf(carrier);
    if (most === 1) this.alone += by;
    const of = this.#kinds.get(kind) ?? { waiting: 0, most };
    of.waiting += by;
    if (of.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, of);
  }

  /** How many turns they take, at most. */
  get turns(): number {
    let turns = 0;
    for (const { waiting, most } of this.#kinds.values()) turns += Math.ceil(waiting / most);
    return turns;
  }
}
