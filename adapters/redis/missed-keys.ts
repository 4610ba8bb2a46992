import { bytesOf } from '../../src/lib/bytes-of.js';
import { Memories } from '../../src/lib/memories.js';
import { MEMORIES } from '../../src/lib/memory-table.js';
import { batched } from './batched.js';
import type { RedisLink } from './link.js';

/** A key's overhead in the set. Measured, rounded up. */
const ENTRY_BYTES = 40;

const weightOf = (key: string): number => ENTRY_BYTES + bytesOf(key);

/** Keys that changed while Redis was away. Redis has outdated values for them, which are deleted when it is back. */
export class MissedKeys {
  readonly maxBytes: number;
  readonly #keys = new Set<string>();
  readonly #delete: (key: string) => Promise<unknown>;
  #bytes = 0;
  #evictions = 0;

  constructor(link: RedisLink, memories = new Memories(), maxBytes: number = MEMORIES.missed_keys.limitBytes) {
    this.maxBytes = maxBytes;
    this.#delete = batched<string, unknown>(link, {
      async send(redis, keys) {
        await redis.unlink(...keys);
        return keys;
      },
      fallback: (key) => this.add([key]),
    });
    memories.add('missed_keys', this);
    link.onChange((up) => {
      if (up) void this.#drop();
    });
  }

  get bytes(): number {
    return this.#bytes;
  }

  get evictions(): number {
    return this.#evictions;
  }

  add(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.#keys.has(key)) continue;
      this.#keys.add(key);
      this.#bytes += weightOf(key);
    }
    for (const oldest of this.#keys) {
      if (this.#bytes <= this.maxBytes) break;
      this.#keys.delete(oldest);
      this.#bytes -= weightOf(oldest);
      this.#evictions += 1;
    }
  }

  async #drop(): Promise<void> {
    const keys = [...this.#keys];
    this.#keys.clear();
    this.#bytes = 0;
    await Promise.all(keys.map(this.#delete));
  }
}
