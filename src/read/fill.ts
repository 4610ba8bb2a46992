import type { Thousandths } from '../domain/credits.js';
import { expiredCursor, type ServiceError } from '../domain/errors.js';
import { isNewestFirst, type ListRef } from '../domain/lists.js';
import type { Tweet, User } from '../domain/model.js';
import { type ItemCache, itemPrice, type Unit } from '../domain/prices.js';
import type { Tab } from '../metering/meter.js';
import type { Shortage } from '../metering/spending-limit.js';
import { ANCHORS, type Position } from './cursor.js';
import { type CachedPage, HEAD, isFirst } from './page-cache.js';
import { type PageLookup, PageWalk, type ReadingPages } from './pages.js';

/** Unix milliseconds of a tweet; null for a profile, which has no time. */
export const itemTime = (item: User | Tweet): number | null => ('text' in item ? Date.parse(item.createdAt) : null);

/**
 * Where a chain continues in a page: the index of the first item after the position, or null if the page does not show
 * it (continue with the next page). The anchor is an id: that of the last item passed, or if it is missing, of one
 * passed shortly before it. In lists that are newest first the time can stand in, so that new items on top shift
 * nothing (C10). A page that begins after the position is searched as well: networks repeat items, and a page counted
 * from the top shifts.
 */
export function resumeIn(page: CachedPage, position: Position, newestFirst: boolean): number | null {
  for (const id of position.passed) {
    const index = page.items.findIndex((item) => item.id === id);
    if (index >= 0) return index + 1;
  }
  const { at } = position;
  // If fewer items than ANCHORS were passed in this page, the anchors are all of them, so everything left is new to the
  // chain. That does not hold for a first page, whose items may have moved down.
  if (!newestFirst || at === null) return position.inside < ANCHORS && !isFirst(page.place) ? 0 : null;
  const older = page.items.findIndex((item) => (itemTime(item) ?? Number.NEGATIVE_INFINITY) <= at);
  return older >= 0 ? older : null;
}

/**
 * How many items to ask for if the network bills each of them (C21): those still needed, and one to look ahead. More if
 * the previous page had fewer items than requested, for example because the network left some out. From the third page
 * on, at least twice as many as on the previous page: a caller who came back twice will probably continue, and a long
 * list then takes few calls.
 */
export function wantedSize(rest: number, last: CachedPage | undefined, isChain: boolean): number {
  const needed = rest + 1;
  if (last?.size === undefined) return needed;
  const { size } = last;
  const scaled = Math.ceil((needed * size) / Math.max(1, last.items.length));
  return Math.max(scaled, isChain && last.before !== null ? 2 * size : 0);
}

/** Most pages, cached or not, that one call may visit: a safety limit that no caller should reach. */
const MAX_PAGES = 200;

export interface FillParams {
  readonly list: ListRef;
  /** Items on the page. */
  readonly count: number;
  readonly position: Position | null;
  readonly fresh: boolean;
  readonly unit: Unit;
  /** The field's path in the operation, for the receipt. */
  readonly path: string;
  readonly objectOf: (item: User | Tweet) => string;
}

export interface Slice {
  readonly items: (User | Tweet)[];
  /** The place after each item. */
  readonly places: readonly Position[];
  /** Where the next page begins; null at the end. */
  readonly next: Position | null;
  readonly truncated?: Shortage | 'sparse';
  readonly endReason?: 'network_limit';
  /** The first page of the list that has items, if the slice begins at the start of the list. */
  readonly head?: PageLookup | undefined;
  /** `hit` only when nothing was read upstream. */
  readonly cache: ItemCache;
  readonly cacheHits: number;
}

/** The slice, and what it costs. */
export interface Filled extends Slice {
  readonly charged: Thousandths;
}

/**
 * Returns exactly `count` items from a position, as long as that many remain and can be paid for (section 4.4.4, M1).
 * Takes cached pages first and then reads the network, looking one item ahead so that the last page is known to be the
 * last (C15).
 */
export async function fill(context: ReadingPages, params: FillParams): Promise<Filled> {
  const tab = context.meter.open();
  try {
    const slice = await new Filling(context, params, tab).run();
    return { ...slice, charged: await tab.close() };
  } catch (error) {
    // Returns no short page. Pages that were read stay cached, and items already on the receipt become free (C13).
    tab.giveBack();
    throw error;
  }
}

class Filling {
  readonly #context: ReadingPages;
  readonly #walk: PageWalk;
  readonly #params: FillParams;
  readonly #tab: Tab;
  readonly #items: (User | Tweet)[] = [];
  readonly #places: Position[] = [];
  readonly #passed: Set<string>;
  /** After the last item that was taken. */
  #cut: Position | null;
  /** The page to visit next. */
  #place: string;
  #before: string | null;
  /** The place of the last item that the chain passed, until a page shows it. */
  #sought: Position | null;
  /** The page visited last. */
  #last: CachedPage | undefined;
  #head: PageLookup | undefined;
  #cacheHits = 0;

  constructor(context: ReadingPages, params: FillParams, tab: Tab) {
    this.#context = context;
    this.#walk = new PageWalk(context, params);
    this.#params = params;
    this.#tab = tab;
    this.#passed = new Set(params.position?.passed);
    this.#cut = params.position;
    this.#place = params.position?.place ?? HEAD;
    this.#before = params.position?.before ?? null;
    this.#sought = params.position;
  }

  async run(): Promise<Slice> {
    if (this.#params.fresh) await this.#recall();
    for (let walked = 0; walked < MAX_PAGES; walked += 1) {
      const step = await this.#page(this.#place, this.#before);
      if ('stop' in step) return step.stop;
      const done = this.#takeFrom(step.got);
      if (done) return done;
      const { page } = step.got;
      if (page.next === null) return this.#end(page);
      this.#last = page;
      this.#before = page.place;
      this.#place = page.next;
      if (this.#full && page.nextIsCertain) return this.#slice(this.#onward);
    }
    return this.#sparse();
  }

  /**
   * The cursor names only the last items that the chain passed. A fresh read may put others of its page in another
   * order, and must not repeat them (M10), so they are noted before it replaces the page.
   */
  async #recall(): Promise<void> {
    const { list, position } = this.#params;
    if (!position?.inside) return;
    const page = await this.#context.pages.seen(list, position.place);
    const last = page?.items.findIndex(({ id }) => id === position.passed[0]) ?? -1;
    // Further down than it was passed, it is in a page that has been read again, and not all above it was passed.
    if (last >= position.inside) return;
    for (const { id } of page?.items.slice(0, last + 1) ?? []) this.#passed.add(id);
  }

  get #full(): boolean {
    return this.#items.length >= this.#params.count;
  }

  /** The page with this key, or the slice so far if the page may not or need not be read. */
  async #page(place: string, before: string | null): Promise<{ got: PageLookup } | { stop: Slice }> {
    try {
      // A look-ahead that is refused, or that takes too long, must not cost the caller a full page.
      const got = await this.#walk.page(place, before, (cache) => this.#want(cache), this.#full);
      if (got === 'enough') return { stop: this.#sparse() };
      if (got === 'unpaid')
        return { stop: this.#full ? this.#slice(this.#onward) : this.#short(this.#params.fresh ? 'bypass' : 'miss') };
      // A first page may be empty although the list goes on.
      if (this.#params.position === null && !this.#head?.page.items.length) this.#head = got;
      return { got };
    } catch (error) {
      // Only the look-ahead failed: all requested items are here, and the next call will meet the failure itself.
      if (this.#full) return { stop: this.#slice(this.#onward) };
      throw error;
    }
  }

  /** How many items the next page needs, if the network bills by item; undefined: a natural page. */
  #want(cache: ItemCache): number | undefined {
    const { count, position, unit } = this.#params;
    const payable = Math.floor(this.#context.meter.left / itemPrice(unit, cache));
    const rest = Math.min(count - this.#items.length, payable);
    if (this.#sought === null) return wantedSize(rest, this.#last, position !== null);
    // Enough to reach the item where the chain stopped. It may have moved to a later page, which is read whole.
    return this.#last === undefined ? this.#sought.inside + wantedSize(rest, undefined, true) : undefined;
  }

  /** Takes the wanted items from a page; returns the finished slice once there is nothing more to look for. */
  #takeFrom({ page, cache }: PageLookup): Slice | null {
    const start = this.#start(page) ?? page.items.length;
    for (const [index, item] of page.items.entries()) {
      if (index < start) {
        // The next page may repeat it, if it was cached when this one was not, or was of another size.
        this.#passed.add(item.id);
        continue;
      }
      if (this.#passed.has(item.id) || this.#context.isGone(item)) continue;
      if (this.#full) return this.#slice(this.#cut);
      const { path, unit, objectOf } = this.#params;
      if (this.#tab.take({ path, unit, cache, object: objectOf(item) }) === null) return this.#short(cache);
      if (cache === 'hit') this.#cacheHits += 1;
      this.#items.push(item);
      this.#pass(page, index);
    }
    return null;
  }

  #start(page: CachedPage): number | null {
    if (this.#sought === null) return 0;
    const start = resumeIn(page, this.#sought, isNewestFirst(this.#params.list));
    if (start !== null) this.#sought = null;
    return start;
  }

  #pass(page: CachedPage, index: number): void {
    const item = page.items[index];
    if (!item) return;
    this.#passed.add(item.id);
    const passed = [item.id, ...(this.#cut?.passed ?? [])].slice(0, ANCHORS);
    this.#cut = { place: page.place, before: page.before, inside: index + 1, passed, at: itemTime(item) };
    this.#places.push(this.#cut);
  }

  /** The position just before the next page to visit: no page already searched has to be read again. */
  get #onward(): Position {
    const { passed = [], at = null } = this.#cut ?? {};
    return { place: this.#place, before: this.#before, inside: 0, passed, at };
  }

  #slice(next: Position | null, truncated?: Slice['truncated']): Slice {
    const { cache } = this.#walk;
    const found = { items: this.#items, places: this.#places, next, head: this.#head };
    return { ...found, cache, cacheHits: this.#cacheHits, ...(truncated && { truncated }) };
  }

  #end(page: CachedPage): Slice {
    if (this.#isLost) throw lostPlace();
    return { ...this.#slice(null), ...(page.endReason && { endReason: page.endReason }) };
  }

  /** True if the last item passed was not found, and the list has no order that shows which items follow it. */
  get #isLost(): boolean {
    return !!this.#sought?.inside && !isNewestFirst(this.#params.list);
  }

  /** The money does not cover the next item: returns the items so far with a cursor at the cut, or a refusal. */
  #short(cache: ItemCache): Slice {
    const { meter } = this.#context;
    const { path, unit, count: requested } = this.#params;
    const { length: items } = this.#items;
    if (items > 0) meter.receipt.noteCut({ path, reason: meter.shortage, items, requested });
    else meter.receipt.markNotRepeatable();
    if (items === 0) throw meter.noCredits(unit, cache);
    return this.#slice(this.#cut, meter.shortage);
  }

  /**
   * The call may read no more upstream pages. This is the only short page with a cursor (C14); an empty page has none
   * (U20).
   */
  #sparse(): Slice {
    if (this.#full) return this.#slice(this.#onward);
    if (this.#items.length > 0) return this.#slice(this.#onward, 'sparse');
    if (this.#sought !== null) throw lostPlace();
    return this.#slice(null, 'sparse');
  }
}

const lostPlace = (): ServiceError => expiredCursor('This cursor has expired: its place in the list no longer exists');
