/** A name, and how many entries show it. */
export interface NameCount {
  readonly name: string;
  entries: number;
}

/** A name's count, and its entries in the map and in the entry that shows it. Measured, rounded up. */
const NAME_BYTES = 120;

/** The names shown by cached entries: exact, since each entry releases what it took. */
export class NameCounts {
  readonly #counts = new Map<string, NameCount>();

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  /** One more entry shows these names. The result is released when the entry is dropped. */
  take(names: readonly string[]): NameCount[] {
    return names.map((name) => {
      const count = this.#counts.get(name) ?? { name, entries: 0 };
      if (count.entries === 0) this.#counts.set(name, count);
      count.entries += 1;
      return count;
    });
  }

  release(counts: readonly NameCount[]): void {
    for (const count of counts) {
      count.entries -= 1;
      if (count.entries === 0) this.#counts.delete(count.name);
    }
  }

  /** What an entry's names take in memory, as if no other entry showed them. */
  bytesOf(counts: readonly NameCount[]): number {
    return counts.reduce((bytes, { name }) => bytes + NAME_BYTES + name.length, 0);
  }
}
