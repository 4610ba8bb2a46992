import { bytesOf } from '../../src/lib/bytes-of.js';
import { Memories } from '../../src/lib/memories.js';
import type { MemoryName } from '../../src/lib/memory-table.js';
import type { Cache, Cached } from '../../src/ports/cache.js';
import type { Clock } from '../../src/ports/clock.js';
import { type NameCount, NameCounts } from './name-counts.js';

/** The objects around a value. */
const VALUE_BYTES = 80;

interface Entry {
  readonly cached: Cached<unknown>;
  readonly expiresAtMs: number;
  readonly shows: readonly NameCount[];
}

export interface MemoryCacheOptions {
  readonly clock: Clock;
  /** Where it is counted, and under which name; `cache` by default. */
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
  const entries = memories.map<Entry>(memory, {
    ...(maxBytes !== undefined && { maxBytes }),
    weigh: ({ cached, shows }) => VALUE_BYTES + bytesOf(cached.value) + names.bytesOf(shows),
    dropped: ({ shows }) => names.release(shows),
  });

  function read<T>(key: string): Cached<T> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (clock.now() < entry.expiresAtMs) return entry.cached as Cached<T>;
    entries.delete(key);
    return undefined;
  }

  return {
    async get<T>(key: string) {
      return read<T>(key);
    },
    async getMany<T>(keys: readonly string[]) {
      return keys.map((key) => read<T>(key));
    },
    async set(key, cached, ttlMs, shows = []) {
      if (!(ttlMs > 0)) {
        entries.delete(key);
        return;
      }
      const counts = names.take(shows);
      const isKept = entries.set(key, { cached, expiresAtMs: clock.now() + ttlMs, shows: counts });
      if (!isKept) names.release(counts);
    },
    async delete(keys) {
      for (const key of keys) entries.delete(key);
    },
    async shows(asked) {
      return asked.map((name) => names.has(name));
    },
  };
}
