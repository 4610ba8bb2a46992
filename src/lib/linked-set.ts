/** The place of a value in a `LinkedSet`: what it is removed by. */
export interface Link<Value> {
  readonly value: Value;
  previous: Link<Value> | null;
  next: Link<Value> | null;
}

/**
 * Values in the order in which they were added, that live about as long as a request. Why not a `Set`: see `BriefMap`.
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

  /** Whether it was still in this set: a second time is harmless. `link` is one that `add` of this set returned. */
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

  /** Removes all; their links, too, let go of each other. */
  clear(): void {
    for (let link = this.#first; link !== null; link = this.#first) this.remove(link);
  }

  /** The value that an iteration is at may be removed meanwhile, but not the one after it. */
  *[Symbol.iterator](): Generator<Value, void> {
    for (const { value } of this.links()) yield value;
  }

  /** The places of the values, in their order; removed as with values. */
  *links(): Generator<Link<Value>, void> {
    for (let link = this.#first; link !== null; ) {
      const { next } = link;
      yield link;
      link = next;
    }
  }
}
