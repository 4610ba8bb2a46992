import { bytesOf } from './bytes-of.js';

/** Overhead of an entry in the maps. Measured, rounded up. */
const ENTRY_BYTES = 180;

export interface QuotaSetOptions {
  readonly maxBytes: number;
  /** The part of `maxBytes` that one owner's entries may take; a tenth by default. */
  readonly share?: number;
  /** Owners whose entries matter less: when the set is full, theirs are dropped before those of any other. */
  readonly goesFirst?: (owner: string) => boolean;
  /** How long an entry stays valid. */
  readonly ttlMs: number;
  readonly clock: { now(): number };
}

/** Share dropped at once, so that a full set does not search for the largest owner at each new entry. */
const DROPPED_SHARE = 0.05;

interface Entry {
  readonly owner: Owner;
  readonly bytes: number;
  readonly untilMs: number;
  /** The value of `added` right after it was added. */
  readonly nth: number;
}

interface Owner {
  bytes: number;
  /** Oldest first. */
  readonly keys: Set<string>;
  readonly name: string;
}

/**
 * A bounded set of keys, each with an owner. Beyond an owner's quota, its own oldest keys are dropped. Beyond the limit
 * of the whole set, the oldest keys of the owner with the most are dropped, several at once, so that an owner never
 * loses keys to one that has more.
 */
export class QuotaSet {
  readonly maxBytes: number;
  readonly #ownerBytes: number;
  readonly #ttlMs: number;
  readonly #goesFirst: (owner: string) => boolean;
  readonly #clock: { now(): number };
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, Owner>();
  #bytes = 0;
  #evictions = 0;
  #added = 0;

  constructor({ maxBytes, share = 0.1, goesFirst = () => false, ttlMs, clock }: QuotaSetOptions) {
    this.maxBytes = maxBytes;
    this.#goesFirst = goesFirst;
    this.#ownerBytes = maxBytes * share;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get evictions(): number {
    return this.#evictions;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How many times keys were added so far. */
  get added(): number {
    return this.#added;
  }

  /** Whether the key was added, or added again, since `added` had this value. */
  wasAddedAfter(key: string, added: number): boolean {
    return (this.#entries.get(key)?.nth ?? 0) > added;
  }

  has(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    if (this.#clock.now() < entry.untilMs) return true;
    this.delete(key);
    return false;
  }

  /**
   * Restarts the key's lifetime. It stays with its first owner, so that another cannot take it over and have it
   * dropped; it only passes from an owner whose entries matter less to one whose entries matter more. Returns true if
   * it is new to `ownerName`.
   */
  add(ownerName: string, key: string): boolean {
    const present = this.has(key) ? this.#entries.get(key)?.owner.name : undefined;
    const isNew = present === undefined || (this.#goesFirst(present) && !this.#goesFirst(ownerName));
    const name = isNew ? ownerName : present;
    this.delete(key);
    const owner = this.#owners.get(name) ?? { bytes: 0, keys: new Set(), name };
    this.#owners.set(name, owner);
    const bytes = ENTRY_BYTES + bytesOf(key);
    this.#added += 1;
    this.#entries.set(key, { owner, bytes, untilMs: this.#clock.now() + this.#ttlMs, nth: this.#added });
    owner.keys.add(key);
    owner.bytes += bytes;
    this.#bytes += bytes;
    this.#dropOver(owner);
    return isNew;
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    const { owner, bytes } = entry;
    this.#entries.delete(key);
    owner.keys.delete(key);
    owner.bytes -= bytes;
    this.#bytes -= bytes;
    if (owner.keys.size === 0) this.#owners.delete(owner.name);
    return true;
  }

  #dropOver(owner: Owner): void {
    while (owner.bytes > this.#ownerBytes) this.#dropOldest(owner);
    while (this.#bytes > this.maxBytes) {
      const largest = this.#largest();
      const leftBytes = largest.bytes - this.maxBytes * DROPPED_SHARE;
      do this.#dropOldest(largest);
      while (largest.bytes > Math.max(0, leftBytes));
    }
  }

  #largest(): Owner {
    const all = [...this.#owners.values()];
    const first = all.filter(({ name }) => this.#goesFirst(name));
    return (first.length > 0 ? first : all).reduce((most, owner) => (owner.bytes > most.bytes ? owner : most));
  }

  #dropOldest(owner: Owner): void {
    for (const key of owner.keys) {
      this.#evictions += 1;
      this.delete(key);
      return;
    }
  }
}
