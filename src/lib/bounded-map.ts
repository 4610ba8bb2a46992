import { LRUCache } from 'lru-cache';
import { bytesOf } from './bytes-of.js';

/** Overhead of an entry, without its key and value. Measured, rounded up. */
const ENTRY_BYTES = 140;

export interface BoundedMapOptions<V> {
  /** Most bytes of keys, values and overhead together. */
  readonly maxBytes: number;
  /**
   * Bytes of a value, without its key; by default as plain data (`bytesOf`). Called at each `set`, even of the same
   * value.
   */
  readonly weigh?: (value: V) => number;
  /** Called with each value that was dropped or replaced. */
  readonly dropped?: (value: V) => void;
}

/**
 * An LRU map bounded in bytes, keys included. A value larger than the whole bound is not kept, and removes an older one
 * under its key.
 */
export class BoundedMap<V extends NonNullable<unknown>> {
  readonly maxBytes: number;
  readonly #entries: LRUCache<string, V>;
  readonly #weigh: (value: V) => number;
  #evictions = 0;
  #isWeighing = false;

  constructor({ maxBytes, weigh = bytesOf, dropped }: BoundedMapOptions<V>) {
    this.maxBytes = maxBytes;
    this.#weigh = weigh;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      dispose: (value, _key, reason) => {
        if (reason === 'evict') this.#evictions += 1;
        if (!this.#isWeighing) dropped?.(value);
      },
    });
  }

  /** Bytes kept now, by the weights that count towards the bound. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** How many entries were dropped to make room, since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Like `get`, without marking the entry as used. */
  peek(key: string): V | undefined {
    return this.#entries.peek(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** False if it is larger than the whole bound and is not kept. */
  set(key: string, value: V): boolean {
    const size = ENTRY_BYTES + bytesOf(key) + Math.ceil(this.#weigh(value));
    if (this.#entries.peek(key) === value && size <= this.maxBytes) this.#takeOut(key);
    this.#entries.set(key, value, { size });
    return size <= this.maxBytes;
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /**
   * Removes an entry before it is set with another weight, because the LRU keeps the old weight of a value set again.
   * `dropped` is not called.
   */
  #takeOut(key: string): void {
    this.#isWeighing = true;
    this.#entries.delete(key);
    this.#isWeighing = false;
  }
}
