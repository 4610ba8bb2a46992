/** How rows of one kind add up. */
export interface SumKind<Row> {
  readonly keyOf: (row: Row) => string;
  /** The sum of both rows. May change and return the first. */
  readonly plus: (before: Row, row: Row) => Row;
}

/** Rows of each kind, by the kind's name. */
export type SumBatch<Rows> = { readonly [Name in keyof Rows]: readonly Rows[Name][] };

export interface SumBufferOptions<Rows> {
  readonly kinds: { readonly [Name in keyof Rows]: SumKind<Rows[Name]> };
  /** Most waiting rows of each kind, those of a failed batch included. Further rows are left out. */
  readonly most: number;
  /** A new UUID v7. */
  readonly newId: () => string;
  /** Writes the whole batch or nothing; nothing if a batch with this id was written before. */
  readonly write: (batchId: string, batch: SumBatch<Rows>) => Promise<void>;
}

/**
 * Adds up rows in memory and writes them as batches, each of which counts once even if it is written again. If the
 * process is killed, rows not yet written are lost.
 */
export class SumBuffer<Rows extends object> {
  readonly #options: SumBufferOptions<Rows>;
  readonly #names: readonly (keyof Rows)[];
  #waiting: { readonly [Name in keyof Rows]: Map<string, Rows[Name]> };
  #failed: { readonly id: string; readonly batch: SumBatch<Rows> } | null = null;

  constructor(options: SumBufferOptions<Rows>) {
    this.#options = options;
    this.#names = Object.keys(options.kinds) as (keyof Rows)[];
    this.#waiting = this.#each(() => new Map());
  }

  /** Returns the sum that now contains the row; undefined if there was no room for it. */
  add<Name extends keyof Rows>(name: Name, row: Rows[Name]): Rows[Name] | undefined {
    const { keyOf, plus } = this.#options.kinds[name];
    const waiting = this.#waiting[name];
    const key = keyOf(row);
    const before = waiting.get(key);
    if (before === undefined && waiting.size >= this.#roomFor(name)) return undefined;
    const sum = before === undefined ? row : plus(before, row);
    waiting.set(key, sum);
    return sum;
  }

  /**
   * Writes the batch that failed before, if there is one, and then the rows that came after it. A batch that fails is
   * kept unchanged. Do not call again before the last call has ended.
   */
  async flush(): Promise<void> {
    const { newId, write } = this.#options;
    if (this.#failed !== null) {
      await write(this.#failed.id, this.#failed.batch);
      this.#failed = null;
    }
    const waiting = this.#waiting;
    if (this.#names.every((name) => waiting[name].size === 0)) return;
    this.#waiting = this.#each(() => new Map());
    const [id, batch] = [newId(), this.#each((name) => [...waiting[name].values()]) as unknown as SumBatch<Rows>];
    try {
      await write(id, batch);
    } catch (error) {
      this.#failed = { id, batch };
      for (const name of this.#names) this.#dropNewest(name);
      throw error;
    }
  }

  #roomFor(name: keyof Rows): number {
    return this.#options.most - (this.#failed?.batch[name].length ?? 0);
  }

  #dropNewest(name: keyof Rows): void {
    const waiting = this.#waiting[name];
    for (const key of [...waiting.keys()].slice(this.#roomFor(name))) waiting.delete(key);
  }

  #each<T>(make: (name: keyof Rows) => T): { readonly [Name in keyof Rows]: T } {
    return Object.fromEntries(this.#names.map((name) => [name, make(name)])) as { [Name in keyof Rows]: T };
  }
}
