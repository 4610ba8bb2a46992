import { HOUR_MS } from '../../src/lib/durations.js';
import type { Cache, Cached, ReadOf } from '../../src/ports/cache.js';
import type { Clock } from '../../src/ports/clock.js';
import { type EntryHeader, newVersion, readHeader, readStored, type StoredEntry, writeStored } from './stored-entry.js';
import { StoredValues, type StoredValuesOptions } from './stored-values.js';
import { ShownNames } from './tombstones/shown-names.js';

/** How long a local copy is trusted without checking Redis: the most by which nodes can differ. */
export const NEAR_MS = 2000;

const NOTHING: ReadonlySet<string> = new Set();

/** The local copy of one key: the value as this process read or set it, and when Redis last confirmed it. */
interface LocalEntry extends StoredEntry {
  readonly checkedAtMs: number;
}

export interface RedisCacheOptions extends StoredValuesOptions {
  /** Wall clock time, the same on all nodes: decides what has expired. */
  readonly clock: Clock;
  /** Bounded and local to this process: the only cache while Redis is away. */
  readonly near: Cache;
  /** The longest that anything is cached; six hours by default. */
  readonly longestMs?: number;
}

/** The cache shared by all nodes. An unchanged value keeps its reference while there is a local copy. */
export const createRedisCache = (options: RedisCacheOptions): Cache => new RedisCache(options);

class RedisCache implements Cache {
  readonly #clock: Clock;
  readonly #near: Cache;
  readonly #longestMs: number;
  readonly #values: StoredValues;
  readonly #shown: ShownNames;

  constructor({ link, source, clock, near, longestMs = 6 * HOUR_MS, memories }: RedisCacheOptions) {
    this.#clock = clock;
    this.#near = near;
    this.#longestMs = longestMs;
    this.#values = new StoredValues({ link, source, memories });
    this.#shown = new ShownNames({ link, clock, longestMs });
  }

  async get<T>(key: string): Promise<Cached<T> | undefined> {
    return (await this.getMany<T>([key]))[0];
  }

  async getMany<T>(keys: readonly string[]): Promise<(Cached<T> | undefined)[]> {
    const near = await this.#near.getMany<LocalEntry>(keys);
    const cached = near.every((entry) => this.#isFreshEnough(entry))
      ? near.map((entry) => entry?.value.cached)
      : await Promise.all(keys.map((key, n) => this.#current(key, near[n])));
    return cached as (Cached<T> | undefined)[];
  }

  async set<T>(
    key: string,
    cached: Cached<T>,
    ttlMs: number,
    shows?: readonly string[],
    read?: ReadOf<T>,
  ): Promise<T | undefined> {
    const noted = shows && ttlMs > 0 ? await this.#shown.note(shows, ttlMs, read?.beganAt) : NOTHING;
    const value = read && noted && noted.size > 0 ? read.without(noted) : cached.value;
    const header = { version: newVersion(), fetchedAt: cached.fetchedAt, expiresAtMs: this.#clock.now() + ttlMs };
    const stored = value === undefined ? undefined : writeStored(header, value);
    if (!(ttlMs > 0) || stored === undefined) {
      await this.delete([key]);
      return value;
    }
    await this.#put(key, header, value === cached.value ? cached : { ...cached, value });
    if (noted !== undefined) await this.#values.set(key, stored, ttlMs);
    else this.#values.miss(key);
    return value;
  }

  async delete(keys: readonly string[]): Promise<void> {
    await this.#near.delete(keys);
    await Promise.all(keys.map((key) => this.#values.delete(key)));
  }

  shows(names: readonly string[]): Promise<(boolean | undefined)[]> {
    return this.#shown.has(names);
  }

  #isFreshEnough(entry: Cached<LocalEntry> | undefined): boolean {
    if (entry === undefined) return false;
    const ageMs = this.#clock.now() - entry.value.checkedAtMs;
    return ageMs >= 0 && ageMs <= NEAR_MS;
  }

  async #put(key: string, header: EntryHeader, cached: Cached<unknown>): Promise<void> {
    const nowMs = this.#clock.now();
    const value: LocalEntry = { header, cached, checkedAtMs: nowMs };
    // The end of an older value is too far away if the clock was set back since.
    const ttlMs = Math.min(header.expiresAtMs - nowMs, this.#longestMs);
    await this.#near.set(key, { value, fetchedAt: cached.fetchedAt }, ttlMs);
  }

  /** The value, from Redis unless the local copy is fresh enough or Redis is away. */
  async #current(key: string, seen: Cached<LocalEntry> | undefined): Promise<Cached<unknown> | undefined> {
    if (this.#isFreshEnough(seen)) return seen?.value.cached;
    const found = await this.#fetch(key, seen?.value);
    if (found === 'away') return seen?.value.cached;
    const current = await this.#near.get<LocalEntry>(key);
    // Another call here set or read it meanwhile: that value is newer.
    if (current !== undefined && current !== seen) return current.value.cached;
    if (found === undefined || found.header.expiresAtMs <= this.#clock.now()) {
      await this.#near.delete([key]);
      return undefined;
    }
    await this.#put(key, found.header, found.cached);
    return found.cached;
  }

  /** The current value in Redis: the local copy, if it is up to date. */
  async #fetch(key: string, near: LocalEntry | undefined): Promise<StoredEntry | 'away' | undefined> {
    if (near !== undefined) {
      const text = await this.#values.header(key);
      const header = text === 'away' ? text : readHeader(text);
      if (header === 'away' || header === undefined) return header;
      if (header.version === near.header.version) return near;
    }
    const text = await this.#values.get(key);
    return text === 'away' ? text : readStored(text);
  }
}
