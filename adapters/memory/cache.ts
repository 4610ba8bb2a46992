import { bytesOf } from '../../src/lib/bytes-of.js';
import { isDuring, spanFrom, type TimeSpan } from '../../src/lib/durations.js';
import { Memories } from '../../src/lib/memories.js';
import type { MemoryName } from '../../src/lib/memory-table.js';
import type { Cache, Cached } from '../../src/ports/cache.js';
import type { Clock } from '../../src/ports/clock.js';

/** A name, and how many entries show it. */
interface NameCount {
  readonly name: string;
  entries: number;
}

/** Bytes of a name: its count, its entry in the map, its place in the entry that shows it. Measured, rounded up. */
const NAME_BYTES = 120;

/** Bytes of the objects around a value. */
const VALUE_BYTES = 80;

interface Entry extends TimeSpan {
  readonly cached: Cached<unknown>;
  readonly shows: readonly NameCount[];
}

export interface MemoryCacheOptions {
  readonly clock: Clock;
  /** Where the cache's memory is counted, and under which name (`cache` by default). */
  readonly memories?: Memories;
  readonly memory?: MemoryName;
  /** Bound on the estimated size of everything cached (see `bytesOf`); the least recently used goes first. */
  readonly maxBytes?: number;
}

/**
 * Cached values of one process, by reference: nothing is copied in either direction. A value larger than the whole
 * bound is not cached. An expired entry is dropped when it is requested, or when room is needed.
 */
export function createMemoryCache(options: MemoryCacheOptions): Cache {
  const { clock, memories = new Memories(), memory = 'cache', maxBytes } = options;
  const names = new NameCounts();
  /** When each name was withdrawn. Remembered 404s do not need it: they show no names. */
  const withdrawn = memory === 'cache' ? memories.map<number>('withdrawn') : undefined;
  const entries = memories.map<Entry>(memory, {
    ...(maxBytes !== undefined && { maxBytes }),
    weigh: ({ cached, shows }) => VALUE_BYTES + bytesOf(cached.value) + names.bytesOf(shows),
    dropped: ({ shows }) => names.release(shows),
  });

  function read<T>(key: string): Cached<T> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (isDuring(entry, clock.now())) return entry.cached as Cached<T>;
    entries.delete(key);
    return undefined;
  }

  return {
    async get<T>(key: string) {
      return read<T>(key);
    },
    getMany<T>(keys: readonly string[]) {
      return keys.map((key) => read<T>(key));
    },
    async set(key, cached, ttlMs, shows = [], read) {
      const nowMs = clock.now();
      // A time that is still to come is from before the clock was set back.
      const isWithdrawn = (atMs: number, beganAt: number): boolean => beganAt < atMs && atMs <= nowMs;
      const gone = new Set(read && shows.filter((name) => isWithdrawn(withdrawn?.get(name) ?? 0, read.beganAt)));
      const value = read && gone.size > 0 ? read.without(gone) : cached.value;
      if (!(ttlMs > 0) || value === undefined) {
        entries.delete(key);
        return value;
      }
      const counts = names.take(shows.filter((name) => !gone.has(name)));
      const kept = value === cached.value ? cached : { ...cached, value };
      const isKept = entries.set(key, { cached: kept, ...spanFrom(nowMs, ttlMs), shows: counts });
      if (!isKept) names.release(counts);
      return value;
    },
    async delete(keys) {
      for (const key of keys) entries.delete(key);
    },
    async shows(queried) {
      for (const name of queried) withdrawn?.set(name, clock.now());
      return queried.map((name) => names.has(name));
    },
  };
}

/** The names shown by cached entries: exact, since each entry releases what it took. */
class NameCounts {
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

  /** Bytes that an entry's names take, as if no other entry showed them. */
  bytesOf(counts: readonly NameCount[]): number {
    return counts.reduce((bytes, { name }) => bytes + NAME_BYTES + name.length, 0);
  }
}
