import { BoundedMap, type BoundedMapOptions } from './bounded-map.js';
import { MEMORIES, type MemoryName } from './memory-table.js';

/** A memory at work: what it weighs now, and the most it may. */
export interface Memory {
  readonly bytes: number;
  readonly maxBytes: number;
  /** How often something was dropped to make room, since the start. */
  readonly evictions: number;
}

export interface MemoryState extends Memory {
  readonly name: MemoryName;
}

/**
 * The memories of one process as they are now: each part that keeps something is handed this, and makes or adds its memory
 * under its name in the table (`MEMORIES`), so that none is left out of the metrics.
 */
export class Memories {
  readonly #all: { readonly name: MemoryName; readonly memory: Memory }[] = [];

  /** A map bounded by the table's figure, or by another one of the operator's or a test's. */
  map<V extends NonNullable<unknown>>(
    name: MemoryName,
    { maxBytes = MEMORIES[name].limitBytes, ...options }: Partial<BoundedMapOptions<V>> = {},
  ): BoundedMap<V> {
    return this.add(name, new BoundedMap({ ...options, maxBytes }));
  }

  /** One that bounds itself. */
  add<M extends Memory>(name: MemoryName, memory: M): M {
    this.#all.push({ name, memory });
    return memory;
  }

  /** One row per name, in the table's order; several memories of one name are added up. */
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
