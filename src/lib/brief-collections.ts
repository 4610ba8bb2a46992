/** The place of a value in a `LinkedSet`, by which it is removed. */
export interface Link<Value> {
  readonly value: Value;
  previous: Link<Value> | null;
  next: Link<Value> | null;
}

/**
 * Values in the order in which they were added, for values that live about as long as a request. `BriefMap` says why
 * this is not a `Set`.
 */
export class LinkedSet<Value> implements Iterable<Value> {
  #first: Link<Value> | null = null;
  #last: Link<Value> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds it at the end. */
  add(value: Value): Link<Value> {
    const link: Link<Value> = { value, previous: this.#last, next: null };
    if (this.#last === null) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** Whether it was still in the set; removing it twice is harmless. `link` must come from `add` of this set. */
  remove(link: Link<Value>): boolean {
    const { previous, next } = link;
    if (previous === null && this.#first !== link) return false;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    link.previous = null;
    link.next = null;
    this.#size -= 1;
    return true;
  }

  /** Removes all values, and unlinks their links from each other. */
  clear(): void {
    for (let link = this.#first; link !== null; link = this.#first) this.remove(link);
  }

  /** During an iteration, the current value may be removed, but not the one after it. */
  *[Symbol.iterator](): Generator<Value, void> {
    for (const { value } of this.links()) yield value;
  }

  /** The places of the values, in order. The same rule about removing applies. */
  *links(): Generator<Link<Value>, void> {
    for (let link = this.#first; link !== null; ) {
      const { next } = link;
      yield link;
      link = next;
    }
  }
}

interface Entry<Value> {
  readonly key: string;
  value: Value;
  next: Entry<Value> | null;
}

/** A power of two. With that many entries, a lookup compares one or two keys. */
const BUCKETS = 1024;
/** How many of a key's last characters decide its bucket: ids, and the networks of addresses, differ in these. */
const HASHED_CHARS = 24;

/**
 * A map whose entries live about as long as a request, a few thousand at a time. A `Map` whose entries come and go
 * allocates a new table every few changes, and V8 links the old table to it for the sake of iterators. Once an old
 * table has moved to the old generation, all later ones stay alive until the next full garbage collection, and so do
 * the requests that were in them. Here nothing refers to what was removed. If keys are chosen so that they share a
 * bucket, a lookup is linear in the number of entries, which is bounded by the places, connections and charges at a
 * time.
 */
export class BriefMap<Value> {
  readonly #buckets: (Entry<Value> | null)[] = Array.from({ length: BUCKETS }, () => null);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    let entry = this.#buckets[bucketIndex(key)] ?? null;
    while (entry !== null && entry.key !== key) entry = entry.next;
    return entry?.value;
  }

  set(key: string, value: Value): void {
    const bucket = bucketIndex(key);
    const first = this.#buckets[bucket] ?? null;
    for (let entry = first; entry !== null; entry = entry.next) {
      if (entry.key !== key) continue;
      entry.value = value;
      return;
    }
    this.#buckets[bucket] = { key, value, next: first };
    this.#size += 1;
  }

  delete(key: string): boolean {
    const bucket = bucketIndex(key);
    let before: Entry<Value> | null = null;
    for (let entry = this.#buckets[bucket] ?? null; entry !== null; entry = entry.next) {
      if (entry.key === key) {
        if (before === null) this.#buckets[bucket] = entry.next;
        else before.next = entry.next;
        entry.next = null;
        this.#size -= 1;
        return true;
      }
      before = entry;
    }
    return false;
  }

  /** In no particular order. */
  values(): Value[] {
    const values: Value[] = [];
    for (const first of this.#buckets) {
      for (let entry = first; entry !== null; entry = entry.next) values.push(entry.value);
    }
    return values;
  }
}

function bucketIndex(key: string): number {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, key.length - HASHED_CHARS); at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
}
