import { bytesOf } from './bytes-of.js';

/** Overhead of an item, without its texts. Measured, rounded up. */
const ITEM_BYTES = 150;

/** Share dropped at once, so that a full log does not search for the largest account at each new item. */
const DROPPED_SHARE = 0.05;

interface Item {
  readonly key: string;
  readonly by?: string;
}

/** A bounded log in order of arrival. When it is full, the oldest items of the account with the most are dropped. */
export class FairLog<T extends Item> {
  readonly maxBytes: number;
  #items: T[] = [];
  #bytes = 0;
  #evictions = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get evictions(): number {
    return this.#evictions;
  }

  get items(): readonly T[] {
    return this.#items;
  }

  add(items: readonly T[]): void {
    for (const item of items) {
      this.#items.push(item);
      this.#bytes += weightOf(item);
    }
    while (this.#bytes > this.maxBytes) this.#drop();
  }

  /** Removes items that were delivered. */
  remove(items: readonly T[]): void {
    const removed = new Set(items);
    this.#items = this.#items.filter((item) => {
      if (removed.has(item)) this.#bytes -= weightOf(item);
      return !removed.has(item);
    });
  }

  #drop(): void {
    const [largest, theirs] = this.#largest();
    const spare = Math.min(theirs, Math.max(this.maxBytes * DROPPED_SHARE, this.#bytes - this.maxBytes));
    let dropped = 0;
    this.#items = this.#items.filter((item) => {
      if (dropped >= spare || item.by !== largest) return true;
      dropped += weightOf(item);
      this.#evictions += 1;
      return false;
    });
    this.#bytes -= dropped;
  }

  #largest(): [by: string | undefined, bytes: number] {
    const bytesBy = new Map<string | undefined, number>();
    for (const item of this.#items) bytesBy.set(item.by, (bytesBy.get(item.by) ?? 0) + weightOf(item));
    return [...bytesBy].reduce((most, one) => (one[1] > most[1] ? one : most));
  }
}

const weightOf = ({ key, by = '' }: Item): number => ITEM_BYTES + bytesOf(key) + bytesOf(by);
