import type { ListRef } from '../domain/lists.js';
import type { Tweet, User } from '../domain/model.js';
import type { ItemCache, Unit } from '../domain/prices.js';
import type { Meter } from '../metering/meter.js';
import type { CachedObjects } from '../ports/network.js';
import type { CallContext } from './call-context.js';
import { listHash, pageKey } from './keys.js';
import { HEAD } from './page-cache.js';
import type { PageLookup, Pages } from './pages.js';

/** Most upstream pages one call may read of a list (C12). */
export const MAX_UPSTREAM_PAGES = 10;

export interface ReadingPages {
  readonly callContext: CallContext;
  readonly pages: Pages;
  readonly meter: Meter;
  readonly cached: CachedObjects;
  readonly isGone: (item: User | Tweet) => boolean;
}

interface Walked {
  readonly list: ListRef;
  readonly unit: Unit;
  readonly fresh: boolean;
  /** A first page that was read before this time, Unix milliseconds, is read again. */
  readonly notBefore?: number | undefined;
}

/** Visits pages of a list for one call: cached ones first, and others as far as the call may read and pay. */
export class PageWalk {
  readonly #context: ReadingPages;
  readonly #walked: Walked;
  #upstreamPages = 0;

  constructor(context: ReadingPages, walked: Walked) {
    this.#context = context;
    this.#walked = walked;
  }

  /** Of the whole walk: `hit` only when nothing was read upstream. */
  get cache(): ItemCache {
    return this.#walked.fresh ? 'bypass' : this.#upstreamPages > 0 ? 'miss' : 'hit';
  }

  /**
   * The page with this key; `enough` if the call may read no more pages, `unpaid` if it could not pay for one item of it.
   * `want`: how many items are needed, where the network bills by item.
   */
  async page(
    place: string,
    before: string | null,
    want: (cache: ItemCache) => number | undefined,
  ): Promise<PageLookup | 'enough' | 'unpaid'> {
    const { pages, meter, callContext, cached: objects } = this.#context;
    const { list, fresh, unit } = this.#walked;
    const notBefore = place === HEAD ? this.#walked.notBefore : undefined;
    if (!fresh) {
      const cached = await pages.peek(list, place, notBefore);
      if (cached) return this.#saw(place, cached);
    }
    if (this.#upstreamPages >= MAX_UPSTREAM_PAGES) return 'enough';
    const cache = fresh ? 'bypass' : 'miss';
    if (!meter.covers(unit, cache)) return 'unpaid';
    const at = { place, before, want: want(cache), notBefore, cached: objects };
    const got = await pages.read(list, at, fresh, callContext);
    if (got.cache !== 'hit') this.#upstreamPages += 1;
    return this.#saw(place, got);
  }

  #saw(place: string, got: PageLookup): PageLookup {
    const { receipt } = this.#context.meter;
    receipt.noteSource(got.cache, got.fetchedAt);
    receipt.noteDependency(pageKey(listHash(this.#walked.list), place), got.page);
    return got;
  }
}
