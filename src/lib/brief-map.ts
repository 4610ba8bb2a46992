interface Entry<Value> {
  readonly key: string;
  value: Value;
  next: Entry<Value> | null;
}

/** A power of two. With as many entries at a time, a look-up compares one or two keys. */
const BUCKETS = 1024;
/** Of a key, as many of its last characters say in which bucket it is: ids, and the networks of addresses, differ in them. */
const HASHED_CHARS = 24;

/**
 * A map whose entries live about as long as a request, a few thousand at a time. A `Map` whose entries come and go makes
 * itself a new table every few changes, and V8 links the old one to it, for iterators: once an old table has become part
 * of the old generation, all later ones outlive their use until the next full garbage collection, and so do the requests
 * that were in them. Here nothing refers to what was removed. Keys that were chosen to share a bucket make a look-up linear
 * in the entries, whose number others bound: the places, connections and charges that there may be at a time.
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
