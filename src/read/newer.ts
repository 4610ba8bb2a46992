import type { Thousandths } from '../domain/credits.js';
import { isNewestFirst, type ListRef } from '../domain/lists.js';
import type { Tweet, User } from '../domain/model.js';
import type { Tab } from '../metering/meter.js';
import { ANCHORS, type Anchor, type Instant, isNewer, KNOWN, knownAs } from './cursor.js';
import { type Filled, type FillParams, itemTime, wantedSize } from './fill.js';
import { HEAD } from './page-cache.js';
import { MAX_UPSTREAM_PAGES, type PageLookup, PageWalk, type ReadingPages } from './pages.js';

/** How long the network may take to show an item in a list that is not ordered by time, milliseconds. */
const SHOWN_WITHIN_MS = 2 * 60_000;

/** How far the clock of the network may be ahead of that of the ledger, milliseconds. */
const CLOCKS_MS = 60_000;

export interface NewerParams extends Omit<FillParams, 'position'> {
  /** What the caller has; `now`: everything there is. */
  readonly anchor: Anchor | 'now';
  /** A first page that was read before this time, Unix milliseconds, is read again. */
  readonly notBefore?: number | undefined;
  /** The call of a stream or watch, if it is one. */
  readonly follow?: FollowCall | undefined;
}

/** What is newer than an earlier answer, oldest first. */
export interface Newer extends Filled {
  /** What the caller has after this answer. */
  readonly anchor: Anchor;
  /** The newest of the caller's items that the network still shows. */
  readonly top: Instant | null;
  /** When the newest item that the network shows was made, Unix milliseconds; null if it shows none. */
  readonly newestAt: number | null;
  /** Whether there are more new items than were asked for. */
  readonly hasNewer: boolean;
  /** The oldest of the new items, delivered or not; null if there is none. */
  readonly oldest: string | null;
  /** Items between the earlier answer and these may be missing: the network, or what one call may read, ended first. */
  readonly gap: boolean;
}

/** One call of a stream or watch that follows a list. */
export interface FollowCall {
  /** What the caller has; null: everything there is now. */
  readonly since: string | null;
  /** The list's subject, once it is known: meanwhile a handle may have passed to another user. */
  readonly subject: string | null;
  /** Whether `since` is a cursor that the caller kept. One in a position does not expire: quiet lists keep it. */
  readonly expires: boolean;
  /** A first page that was read before this time, Unix milliseconds, is read again. */
  readonly notBefore: number;
  /** The answer to this request may have been paid for and lost. If so, it is given again free. */
  readonly mayBePaid: boolean;
  /** Whether the service keeps the position, which then comes back once. A client may send its own again and again. */
  readonly isKept: boolean;
  /** The oldest new item, if the charge is named by it; otherwise null. */
  readonly begins: string | null;
  /** Set if the answer was paid for: when, Unix milliseconds, what was charged, and for how many items of the list. */
  paid: { readonly atMs: number; readonly amount: Thousandths; readonly items: number } | null;
  /** Set by the field that reads the list. */
  followed: Followed | null;
}

/** What a call found in the list that it follows. */
export interface Followed {
  readonly list: ListRef;
  /** A cursor for what the caller has from now on. */
  readonly since: string;
  /** The same in fewer characters; with it, items that the network shows late are missed. */
  readonly short: string;
  /** The newest of the caller's items that the network still shows. */
  readonly top: Instant | null;
  readonly items: number;
  readonly hasNewer: boolean;
  /** The oldest item that is newer than what the caller had, delivered or not; null if there is none. */
  readonly oldest: string | null;
  readonly gap: boolean;
  /** When the newest item that the caller has was made, Unix milliseconds; null if there is none. */
  readonly newestAt: number | null;
}

/** An item, and its present place in the list. */
interface Seen {
  readonly item: User | Tweet;
  readonly instant: Instant;
  readonly place: Newer['places'][number];
  readonly cache: PageLookup['cache'];
}

/**
 * Returns up to `count` items that are newer than an earlier answer, the oldest first and each once: items that are
 * neither known nor older than everything known. Reads the list from its start down to what is known, or as far as one
 * call may read.
 */
export async function newer(context: ReadingPages, params: NewerParams): Promise<Newer> {
  const tab = context.meter.open();
  try {
    const { anchor } = params;
    const slice =
      anchor === 'now'
        ? await begin(context, params)
        : take(context, params, anchor, await look(context, params, anchor), tab);
    return { ...slice, charged: await tab.close() };
  } catch (error) {
    tab.giveBack();
    throw error;
  }
}

/** What a caller who got a list's first page has. */
export function anchorOf(list: ListRef, { page, fetchedAt }: PageLookup): Anchor {
  const items = page.items.map(instantOf).sort(newestFirst);
  if (page.next === null) return newestOf(items, null);
  // The following pages may contain anything, so only its time tells whether an item is new.
  const whenRead: Instant = [fetchedAt - SHOWN_WITHIN_MS, '0'];
  return newestOf(items, isNewestFirst(list) ? (items.at(-1) ?? whenRead) : whenRead);
}

/** An anchor of the newest of these known items, with the floor that other items have to be newer than. */
function newestOf(items: readonly Instant[], floor: Instant | null): Anchor {
  const newest = items.filter((item) => floor === null || isNewer(item, floor));
  return { known: newest.slice(0, KNOWN).map(([, id]) => knownAs(id)), floor: newest[KNOWN] ?? floor };
}

const newestAt = (items: readonly (User | Tweet)[]): number | null =>
  items.reduce<number | null>((newest, item) => Math.max(newest ?? 0, itemTime(item) ?? 0), null);

const instantOf = (item: User | Tweet): Instant => [itemTime(item) ?? 0, item.id];

const newestFirst = (a: Instant, b: Instant): number => (isNewer(a, b) ? -1 : 1);

/** Returns no items yet: from now on, the caller has what is there now. */
async function begin(context: ReadingPages, params: NewerParams): Promise<Omit<Newer, 'charged'>> {
  const walk = new PageWalk(context, params);
  let [place, before]: [string, string | null] = [HEAD, null];
  for (let pages = 0; pages < MAX_UPSTREAM_PAGES; pages += 1) {
    const got = await walk.page(place, before, () => KNOWN);
    if (typeof got === 'string') throw context.meter.noCredits(params.unit, 'miss');
    const { page } = got;
    if (page.items.length > 0 || page.next === null)
      return {
        ...NOTHING,
        cache: walk.cache,
        anchor: anchorOf(params.list, got),
        newestAt: newestAt(page.items),
        top: page.items.map(instantOf).sort(newestFirst)[0] ?? null,
      };
    [place, before] = [page.next, page.place];
  }
  return { ...NOTHING, cache: walk.cache, anchor: { known: [], floor: null }, newestAt: null, top: null };
}

const NOTHING = { items: [], places: [], next: null, cacheHits: 0, hasNewer: false, oldest: null, gap: false };

interface Found {
  readonly walk: PageWalk;
  /** In the order of the list. */
  readonly fresh: Seen[];
  /** Items of the anchor that the list still shows. */
  readonly known: Seen[];
  /** Everything newer than this was seen. */
  readonly floor: Instant | null;
  readonly gap: boolean;
  /** The network shows nothing that is known or new, so known items are not searched for again. */
  readonly isLost?: boolean;
}

async function look(context: ReadingPages, params: NewerParams, anchor: Anchor): Promise<Found> {
  const { list, unit } = params;
  const walk = new PageWalk(context, params);
  const known = new Set(anchor.known);
  const found: Found = { walk, fresh: [], known: [], floor: anchor.floor, gap: false };
  const passed = new Set<string>();
  let [place, before]: [string, string | null] = [HEAD, null];
  let last: PageLookup['page'] | undefined;
  let { floor } = anchor;
  let readAt = Number.POSITIVE_INFINITY;
  for (let pages = 0; pages < MAX_UPSTREAM_PAGES; pages += 1) {
    const got = await walk.page(place, before, () => wantedSize(params.count, last, false));
    // The oldest new items are farther down, so they cannot be delivered.
    if (got === 'unpaid') throw context.meter.noCredits(unit, params.fresh ? 'bypass' : 'miss');
    if (got === 'enough') break;
    const { page } = got;
    readAt = Math.min(readAt, got.fetchedAt);
    let hasOld = false;
    for (const [index, item] of page.items.entries()) {
      const instant = instantOf(item);
      const isOld = anchor.floor !== null && !isNewer(instant, anchor.floor);
      hasOld ||= isOld;
      if (isOld || passed.has(item.id) || context.isGone(item)) continue;
      passed.add(item.id);
      const position = { place: page.place, before: page.before, inside: index + 1, at: instant[0] };
      const ids = page.items.slice(Math.max(0, index + 1 - ANCHORS), index + 1).map(({ id }) => id);
      const seen = { item, instant, cache: got.cache, place: { ...position, passed: ids.reverse() } };
      (known.has(knownAs(item.id)) ? found.known : found.fresh).push(seen);
    }
    if (hasOld && isNewestFirst(list)) return found;
    if (page.next === null) {
      const isCut = page.endReason === 'network_limit' && found.known.length === 0 && anchor.known.length > 0;
      if (!isCut || found.fresh.length > 0) return { ...found, gap: isCut };
      // The gap is reported once: from here on only later items are new, as in a list without an order.
      const whenRead: Instant = [readAt - SHOWN_WITHIN_MS, '0'];
      const isAhead = floor !== null && isNewer(floor, whenRead);
      return { ...found, floor: isAhead ? floor : whenRead, gap: true, isLost: true };
    }
    [place, before, last] = [page.next, page.place, page];
    if (isNewestFirst(list)) floor = lowest(page, floor);
    // No new items are expected among known ones, so no further page is read to look for them.
    if (isNewestFirst(list) && found.known.length > 0) return { ...found, floor };
  }
  return { ...found, floor, gap: true };
}

const lowest = ({ items }: PageLookup['page'], floor: Instant | null): Instant | null => {
  const last = items.at(-1);
  return last === undefined ? floor : instantOf(last);
};

/**
 * Which of the new items were paid for, if the answer is sent again. Items that were made later were not. If some may
 * be missing before them, it cannot be told which: unless the charge is named by the first one, none of them counts.
 */
function paidOf(seen: readonly Seen[], gap: boolean, follow: FollowCall | undefined): readonly Seen[] {
  if (!follow?.paid || follow.isKept) return seen;
  if (gap && seen[0]?.item.id !== follow.begins) return [];
  const { atMs } = follow.paid;
  return seen.filter(({ instant: [madeAt] }) => madeAt <= atMs + CLOCKS_MS);
}

function take(
  { meter }: ReadingPages,
  { count, unit, path, objectOf, follow }: NewerParams,
  anchor: Anchor,
  { walk, fresh, known, floor, gap, isLost = false }: Found,
  tab: Tab,
): Omit<Newer, 'charged'> {
  const oldestFirst = fresh.sort((a, b) => newestFirst(b.instant, a.instant));
  const taken: Seen[] = [];
  const due = paidOf(oldestFirst, gap, follow);
  for (const seen of due.slice(0, count)) {
    if (tab.take({ path, unit, cache: seen.cache, object: objectOf(seen.item) }) === null) {
      meter.receipt.noteCut({ path, reason: meter.shortage, items: taken.length, requested: count });
      if (taken.length === 0) throw meter.noCredits(unit, seen.cache);
      break;
    }
    taken.push(seen);
  }
  const has = [...taken, ...known].map(({ instant }) => instant).sort(newestFirst);
  const newest = newestOf(has, floor);
  const unseen = isLost ? [] : anchor.known.filter((name) => !known.some(({ item }) => knownAs(item.id) === name));
  const isShort = taken.length < Math.min(count, due.length);
  return {
    items: taken.map(({ item }) => item),
    places: taken.map((seen) => seen.place),
    next: null,
    cache: walk.cache,
    cacheHits: taken.filter(({ cache }) => cache === 'hit').length,
    ...(isShort && { truncated: meter.shortage }),
    anchor: { ...newest, known: [...newest.known, ...unseen].slice(0, KNOWN) },
    top: has[0] ?? null,
    newestAt: newestAt([...known, ...oldestFirst].map(({ item }) => item)),
    hasNewer: taken.length < oldestFirst.length,
    oldest: oldestFirst[0]?.item.id ?? null,
    gap,
  };
}
