import { BoundedMap, type BoundedMapOptions } from './bounded-map.js';
import { MEMORIES, type MemoryName } from './memory-table.js';

/** A memory in use: its current weight, and its limit. */
export interface Memory {
  readonly bytes: number;
  readonly maxBytes: number;
  /** How many entries were dropped to make room, since the start. */
  readonly evictions: number;
}

export interface MemoryState extends Memory {
  readonly name: MemoryName;
}

/**
 * The memories of one process. Each part that keeps something gets this object and makes or adds its memory under its
 * name in the table (`MEMORIES`), so that none is missing from the metrics.
 */
export class Memories {
  readonly #all: { readonly name: MemoryName; readonly memory: Memory }[] = [];

  /** A map bounded by the limit in the table, or by one that an operator or a test has set. */
  map<V extends NonNullable<unknown>>(
    name: MemoryName,
    { maxBytes = this.limitOf(name), ...options }: Partial<BoundedMapOptions<V>> = {},
  ): BoundedMap<V> {
    return this.add(name, new BoundedMap({ ...options, maxBytes }));
  }

  /** The most that a memory of this name may take. */
  limitOf(name: MemoryName): number {
    return MEMORIES[name].limitBytes;
  }

  /** Adds a memory that bounds itself. */
  add<M extends Memory>(name: MemoryName, memory: M): M {
    this.#all.push({ name, memory });
    return memory;
  }

  /** One row per name, in the table's order. Several memories of the same name are added up. */
  readonly states = (): MemoryState[] => {
    const names = Object.keys(MEMORIES) as MemoryName[];
    return names.flatMap((name) => {
      const all = this.#all.filter((one) => one.name === name).map(({ memory }) => memory);
      if (all.length === 0) return [];
      const sum = (of: (memory: Memory) => number) => all.reduce((total, memory) => total + of(memory), 0);
      return {
        name,
        bytes: sum(({ bytes }) => bytes),
        maxBytes: sum(({ maxBytes }) => maxBytes),
        evictions: sum(({ evictions }) => evictions),
      };
    });
  };
}

/** The memories of one part of the process, counted as a single one of the table and sharing its limit equally. */
export class SharedMemory extends Memories {
  readonly #of: Memories;
  readonly #name: MemoryName;
  readonly #shares: number;

  constructor(of: Memories, name: MemoryName, shares: number) {
    super();
    this.#of = of;
    this.#name = name;
    this.#shares = shares;
  }

  override limitOf(): number {
    return Math.floor(this.#of.limitOf(this.#name) / this.#shares);
  }

  override add<M extends Memory>(_: MemoryName, memory: M): M {
    return this.#of.add(this.#name, memory);
  }
}
