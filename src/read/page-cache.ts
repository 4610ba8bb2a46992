import type { ListRef, Tweet, User } from '../core/model.js';
import type { Cache, Cached } from '../ports/cache.js';
import { listHash, namesOfItem, pageKey } from './keys.js';
import { type Lifetimes, pageLifetime } from './lifetimes.js';

/** The newest first page, as opposed to one that a chain started from and a network's token. */
export const HEAD = '';

/** One upstream page as it is held. Followers and follower ids share it (M15). Never changed after it was made. */
export interface CachedPage {
  /** Where it lies: a network's token, or `@…` for a first page. What a cursor names. */
  readonly place: string;
  readonly items: readonly (User | Tweet)[];
  readonly next: string | null;
  readonly nextIsCertain: boolean;
  readonly endReason?: 'network_limit';
  /** The place it was reached from: how far back repeats are looked for (C11). */
  readonly before: string | null;
}

/** How many earlier pages of a chain a new one is cleared of repeats against. */
const LOOK_BACK_PAGES = 20;

/** Whether a place is that of a first page, be it the newest or one that a chain started from. */
export const isFirst = (place: string): boolean => place === HEAD || place.startsWith('@');

/** Pages as they lie in the cache, by list and place. */
export class PageCache {
  readonly #cache: Cache;
  readonly #lifetimes: Lifetimes;

  constructor(cache: Cache, lifetimes: Lifetimes) {
    this.#cache = cache;
    this.#lifetimes = lifetimes;
  }

  async at(list: ListRef, place: string): Promise<Cached<CachedPage> | undefined> {
    const hash = listHash(list);
    const cached = await this.#cache.get<CachedPage>(pageKey(hash, place));
    // A chain whose own first page is gone looks for its place in the newest one.
    return cached ?? (place.startsWith('@') ? this.#cache.get<CachedPage>(pageKey(hash, HEAD)) : undefined);
  }

  /** A first page is held twice: for callers without a cursor, briefly, and for those in the middle of it, longer (C7). With it, the names by which it may have to be found when something goes (M25): the list's and its items'. */
  async store(list: ListRef, page: CachedPage, fetchedAt: number, listNames: readonly string[]): Promise<void> {
    const hash = listHash(list);
    const cached = { value: page, fetchedAt };
    const shows = [...listNames, ...page.items.flatMap(namesOfItem)];
    await this.#cache.set(pageKey(hash, page.place), cached, pageLifetime(this.#lifetimes, list, false), shows);
    if (!isFirst(page.place)) return;
    await this.#cache.set(pageKey(hash, HEAD), cached, pageLifetime(this.#lifetimes, list, true), shows);
  }

  /** What a new page is cleared of, ids, and where it must not lead back to, places: as far as the pages before are held. */
  async earlier(list: ListRef, before: string | null): Promise<{ ids: Set<string>; places: Set<string> }> {
    const ids = new Set<string>();
    const places = new Set<string>();
    let place = before;
    for (let pages = 0; place !== null && pages < LOOK_BACK_PAGES; pages += 1) {
      places.add(place);
      const cached: Cached<CachedPage> | undefined = await this.at(list, place);
      if (!cached) break;
      for (const item of cached.value.items) ids.add(item.id);
      place = cached.value.before;
    }
    return { ids, places };
  }
}
