import type { ListRef } from '../domain/lists.js';
import type { Tweet, User } from '../domain/model.js';
import type { Cache, Cached } from '../ports/cache.js';
import type { Origin } from './entities.js';
import { listHash, namesOfItem, pageKey } from './keys.js';
import { type Lifetimes, pageLifetime } from './lifetimes.js';

/** The key of the newest first page, as opposed to a first page kept for a cursor chain (`@…`) or a network's token. */
export const HEAD = '';

/** One upstream page as cached. Followers and follower ids share it (M15). Immutable. */
export interface CachedPage {
  /** The page's key in its list: the network's token, or `@…` for a first page. Cursors refer to it. */
  readonly place: string;
  readonly items: readonly (User | Tweet)[];
  readonly next: string | null;
  readonly nextIsCertain: boolean;
  readonly endReason?: 'network_limit';
  /** How many items the network was asked for; undefined for a natural page. */
  readonly size?: number;
  /** The key of the page before it, followed to find repeated items (C11). */
  readonly before: string | null;
}

/** How many earlier pages of a chain are searched for repeated items. */
const LOOK_BACK_PAGES = 20;

/** Whether this is the key of a first page, either the newest or one kept for a chain. */
export const isFirst = (place: string): boolean => place === HEAD || place.startsWith('@');

/**
 * A page that was read again in another size may contain items of later pages. Its next page is then another one. A
 * natural page has no size: that the list is read in sizes is then seen from the page after it.
 */
const isOtherCut = (page: CachedPage, after: string, sizeAfter: number | undefined): boolean =>
  (page.size ?? sizeAfter) !== undefined && page.next !== after;

/** Cached pages, by list and page key. */
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
    // A chain whose own first page was evicted continues in the newest one.
    return cached ?? (place.startsWith('@') ? this.#cache.get<CachedPage>(pageKey(hash, HEAD)) : undefined);
  }

  /**
   * A first page is stored twice: briefly for callers without a cursor, and longer for cursors that point into it.
   * Tombstones find it by `listNames` and by the names of its items. Returns the page without what was withdrawn since
   * its read began.
   */
  async store(
    list: ListRef,
    page: CachedPage,
    { fetchedAt, beganAt }: Pick<Origin, 'fetchedAt' | 'beganAt'>,
    listNames: readonly string[],
  ): Promise<CachedPage> {
    const hash = listHash(list);
    const shows = [...new Set([...listNames, ...page.items.flatMap(namesOfItem)])];
    const nothing = { ...page, items: [], next: null };
    const without = (withdrawn: ReadonlySet<string>): CachedPage | undefined => {
      if (listNames.some((name) => withdrawn.has(name))) return undefined;
      const isShown = (item: User | Tweet): boolean => !namesOfItem(item).some((name) => withdrawn.has(name));
      return { ...page, items: page.items.filter(isShown) };
    };
    const store = async (place: string): Promise<CachedPage> => {
      const lifetimeMs = pageLifetime(this.#lifetimes, list, place === HEAD);
      const cached = { value: page, fetchedAt };
      return (await this.#cache.set(pageKey(hash, place), cached, lifetimeMs, shows, { beganAt, without })) ?? nothing;
    };
    const [stored, head = stored] = await Promise.all([
      store(page.place),
      ...(isFirst(page.place) ? [store(HEAD)] : []),
    ]);
    // What was withdrawn between the two is missing in only one of them.
    return head.items.length < stored.items.length ? head : stored;
  }

  /**
   * The ids that the new page after `before` must not repeat, and the page keys that it must not lead back to, from the
   * earlier pages that are still cached. `after` and `size` are the new page's.
   */
  async earlier(
    list: ListRef,
    before: string | null,
    after: string,
    size?: number,
  ): Promise<{ ids: Set<string>; places: Set<string> }> {
    const ids = new Set<string>();
    const places = new Set<string>();
    let [place, next, sizeAfter] = [before, after, size];
    for (let pages = 0; place !== null && pages < LOOK_BACK_PAGES; pages += 1) {
      places.add(place);
      const cached = await this.at(list, place);
      if (!cached || isOtherCut(cached.value, next, sizeAfter)) break;
      for (const item of cached.value.items) ids.add(item.id);
      [place, next, sizeAfter] = [cached.value.before, place, cached.value.size];
    }
    return { ids, places };
  }
}
