import { LRUCache } from 'lru-cache';
import type { Clock } from '../../src/ports/clock.js';
import type { Cache, Held } from '../../src/ports/shared.js';
import { bytesOf } from './size.js';

const DEFAULT_CACHE_BYTES = 256 * 1024 * 1024;

/** Key, index and list slots of one entry beside its value. */
const ENTRY_BYTES = 200;

interface Entry {
  readonly held: Held<unknown>;
  readonly expiresAtMs: number;
}

export interface MemoryCacheOptions {
  readonly clock: Clock;
  /** Bound on the estimated size of everything held (see `bytesOf`); what was used longest ago goes first. */
  readonly maxBytes?: number;
}

/**
 * Held values of one process, by reference: nothing is copied on the way in or out. A value larger than the whole bound is
 * not held. An expired entry is dropped when it is asked for, or when room is needed.
 */
export function createMemoryCache({ clock, maxBytes = DEFAULT_CACHE_BYTES }: MemoryCacheOptions): Cache {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes });

  function read<T>(key: string): Held<T> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (clock.now() < entry.expiresAtMs) return entry.held as Held<T>;
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
    async set(key, held, ttlMs) {
      if (!(ttlMs > 0)) {
        entries.delete(key);
        return;
      }
      const size = ENTRY_BYTES + 2 * key.length + bytesOf(held.value);
      entries.set(key, { held, expiresAtMs: clock.now() + ttlMs }, { size });
    },
    async delete(keys) {
      for (const key of keys) entries.delete(key);
    },
  };
}
