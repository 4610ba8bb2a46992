import type { BatchSpec } from './job.js';

/** How many jobs of each kind are waiting, and how many of them fit into one upstream call. */
export class KindCounts {
  readonly #kinds = new Map<string, { waiting: number; readonly maxBatchSize: number }>();

  /** The kinds with waiting jobs. */
  kinds(): Iterable<string> {
    return this.#kinds.keys();
  }

  /** Upstream calls needed for all of them. */
  get calls(): number {
    let calls = 0;
    for (const kind of this.#kinds.keys()) calls += this.#callsOf(kind);
    return calls;
  }

  /**
   * The most upstream calls over which these jobs can be spread when they are taken from among `all`: jobs of others may
   * fill each call but for one place.
   */
  callsAmong(all: KindCounts): number {
    let calls = 0;
    for (const [kind, { waiting }] of this.#kinds) calls += Math.min(waiting, all.#callsOf(kind));
    return calls;
  }

  count({ kind, maxBatchSize }: BatchSpec, by: 1 | -1): void {
    const count = this.#kinds.get(kind) ?? { waiting: 0, maxBatchSize };
    count.waiting += by;
    if (count.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, count);
  }

  #callsOf(kind: string): number {
    const count = this.#kinds.get(kind);
    return count === undefined ? 0 : Math.ceil(count.waiting / count.maxBatchSize);
  }
}
