import { LRUCache } from 'lru-cache';
import { bytesOf } from './bytes-of.js';

/** Overhead of an entry beside its key and value. Measured, rounded up. */
const ENTRY_BYTES = 140;

export interface BoundedMapOptions<V> {
  /** Most bytes of keys, values and overhead together. */
  readonly maxBytes: number;
  /** Bytes of a value, without its key; as plain data (`bytesOf`) unless told. Asked at each `set`, also of the same value. */
  readonly weigh?: (value: V) => number;
  /** Called with each value that was dropped or replaced. */
  readonly dropped?: (value: V) => void;
}

/**
 * An LRU map bounded in bytes, keys included. A value larger than the whole bound is not kept, nor is an older one under its key.
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

  /** What is kept now, by the weights that the bound is kept by. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** How often something was dropped to make room, since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** As `get`, and its age stays what it was. */
  peek(key: string): V | undefined {
    return this.#entries.peek(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** False when it is larger than the whole bound: it is not kept. */
  set(key: string, value: V): boolean {
    const size = ENTRY_BYTES + bytesOf(key) + Math.ceil(this.#weigh(value));
    if (this.#entries.peek(key) === value && size <= this.maxBytes) this.#takeOut(key);
    this.#entries.set(key, value, { size });
    return size <= this.maxBytes;
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** To come back with another weight: the LRU keeps that of a value that is set again. Nobody is told that it left. */
  #takeOut(key: string): void {
    this.#isWeighing = true;
    this.#entries.delete(key);
    this.#isWeighing = false;
  }
}
