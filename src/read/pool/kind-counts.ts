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
    for (const { waiting, maxBatchSize } of this.#kinds.values()) calls += Math.ceil(waiting / maxBatchSize);
    return calls;
  }

  count({ kind, maxBatchSize }: BatchSpec, by: 1 | -1): void {
    const count = this.#kinds.get(kind) ?? { waiting: 0, maxBatchSize };
    count.waiting += by;
    if (count.waiting === 0) this.#kinds.delete(kind);
    else this.#kinds.set(kind, count);
  }
}
