import { ServiceError } from '../domain/errors.js';
import { familyOfList, holdsUsers, LISTS, type ListRef } from '../domain/lists.js';
import type { Tweet, User, UserRef } from '../domain/model.js';
import type { ItemCache, Unit } from '../domain/prices.js';
import type { Meter } from '../metering/meter.js';
import type { Cache } from '../ports/cache.js';
import type { Clock } from '../ports/clock.js';
import type { CachedObjects, NetworkPage } from '../ports/network.js';
import { type Absence, notFoundFrom, toAbsence } from './absence.js';
import type { CallContext } from './call-context.js';
import type { Entities, Origin } from './entities.js';
import { absentKey, listHash, namesOfItem, pageKey, postsKey, tweetKey, userKey } from './keys.js';
import type { Lifetimes } from './lifetimes.js';
import { type CachedPage, HEAD, isFirst, PageCache } from './page-cache.js';
import type { Pool } from './pool/pool.js';
import type { SharedReads } from './shared-reads.js';
import type { Tombstones } from './tombstones.js';
import type { Waiters } from './waiters.js';

export interface PageLookup {
  readonly page: CachedPage;
  readonly cache: ItemCache;
  readonly fetchedAt: number;
}

/** The key of a page in its list, and of the page before it. */
export interface PageLocation {
  readonly place: string;
  readonly before: string | null;
}

export interface PageRequest extends PageLocation {
  /** How many of its items are needed, if the network bills by item; undefined: a natural page. */
  readonly want?: number | undefined;
  /** A page that was read before this time, Unix milliseconds, is read again. */
  readonly notBefore?: number | undefined;
  readonly cached: CachedObjects;
  /** What is bought of the page. */
  readonly unit?: Unit;
}

export interface Pages {
  /** The cached page, unless the network has since said that the list does not exist. */
  peek(list: ListRef, place: string, notBefore?: number): Promise<PageLookup | undefined>;
  /** A page that is still cached, as a chain of cursors saw it: to know what the chain passed, not to serve it. */
  seen(list: ListRef, place: string): Promise<CachedPage | undefined>;
  /** The page, read from the network if necessary. A 404 is remembered (M24). */
  read(list: ListRef, at: PageRequest, fresh: boolean, callContext: CallContext): Promise<PageLookup>;
}

export interface PagesOptions {
  readonly cache: Cache;
  /** For remembered 404s, separate from pages that were paid for. */
  readonly unpaid: Cache;
  readonly shared: SharedReads;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  readonly tombstones: Tombstones;
  readonly users: Pick<Entities<UserRef, User>, 'store' | 'withdraw'>;
  readonly tweets: Pick<Entities<string, Tweet>, 'store'>;
}

export function createPages(options: PagesOptions): Pages {
  const { cache, unpaid, shared, pool, clock, tombstones } = options;
  const pageCache = new PageCache(cache, options.lifetimes);

  async function peek(list: ListRef, place: string, notBefore = 0): Promise<PageLookup | undefined> {
    if (tombstoneNames(list).some((name) => tombstones.has(name))) return undefined;
    const cached = await pageCache.at(list, place);
    if (!cached || cached.fetchedAt < notBefore || lacksSubject(cached.value, list, tombstones)) return undefined;
    pool.countCacheHit(familyOfList(list.kind));
    return { page: cached.value, cache: 'hit', fetchedAt: cached.fetchedAt };
  }

  async function readNow(list: ListRef, at: PageRequest, waiters: Waiters, isLast = false): Promise<PageLookup> {
    const { place, before } = at;
    const first = isFirst(place);
    const { noted } = tombstones;
    const beganAt = clock.now();
    const answer = await fetchPage(options, list, at, waiters, isLast);
    if (answer === undefined) return readNow(list, at, waiters, true);
    const fetchedAt = clock.now();
    const origin = { fetchedAt, beganAt, noted, accountId: waiters.accountId };
    const { ids, places } = await pageCache.earlier(list, first ? null : before, place, answer.size);
    // A cursor that stops advancing ends the list (U22).
    const turnsBack = answer.next !== null && (answer.next === place || places.has(answer.next));
    const page: CachedPage = {
      place: first ? `@${fetchedAt.toString(36)}` : place,
      items: distinct<User | Tweet>(holdsUsers(list) ? (answer.users ?? []) : (answer.tweets ?? []), ids),
      next: turnsBack ? null : answer.next,
      nextIsCertain: answer.nextIsCertain ?? false,
      before: first ? null : before,
      ...(answer.endReason && { endReason: answer.endReason }),
      ...(answer.size !== undefined && { size: answer.size }),
    };
    const [shown] = await Promise.all([
      pageCache.store(list, page, origin, tombstoneNames(list)),
      storeObjects(options, answer, origin),
    ]);
    return { page: shown, cache: 'miss', fetchedAt };
  }

  /** The cached page; throws if a 404 is remembered for the list. */
  async function lookUp(list: ListRef, { place, notBefore }: PageRequest): Promise<PageLookup | undefined> {
    const cached = await peek(list, place, notBefore);
    if (cached) return cached;
    const absence = await unpaid.get<Absence>(absentKey(tombstoneNames(list)[0]));
    if (absence) throw notFoundFrom(absence.value);
    return undefined;
  }

  return {
    peek,
    async seen(list, place) {
      const page = (await pageCache.at(list, place))?.value;
      // In place of a first page that was dropped, the newest one is found, which the chain has not seen.
      return page?.place === place ? page : undefined;
    },
    async read(list, at, fresh, callContext) {
      if (fresh)
        return { ...(await shared.alone(callContext, (waiters) => readNow(list, at, waiters))), cache: 'bypass' };
      const key = pageKey(listHash(list), isFirst(at.place) ? HEAD : at.place);
      // Checks the cache again: an earlier flight may have ended meanwhile, for instance on another node.
      const lead = async (waiters: Waiters) => (await lookUp(list, at)) ?? readNow(list, at, waiters);
      const { value, led } = await shared.join(key, callContext, lead, at.unit);
      return led ? value : { ...value, cache: 'hit' };
    },
  };
}

/** Whether the page shows the tweet that its conversation is of, and that was withdrawn: the page goes with it (T3). */
const lacksSubject = ({ items }: CachedPage, { kind, subject }: ListRef, tombstones: Tombstones): boolean =>
  !tombstones.isEmpty &&
  LISTS[kind].subject === 'tweet' &&
  items.some((item) => item.id === subject && namesOfItem(item).some(tombstones.has));

/**
 * Reads from the network, and notes whether the list exists. Undefined if the answer is that it does not, though another
 * read found it after this one began: unless this is the last attempt, the network must be asked once more.
 */
async function fetchPage(
  options: PagesOptions,
  list: ListRef,
  { place, want, cached }: PageRequest,
  waiters: Waiters,
  isLast: boolean,
): Promise<NetworkPage | undefined> {
  const { unpaid, pool, clock, lifetimes, tombstones } = options;
  const names = tombstoneNames(list);
  const [own] = names;
  const { noted } = tombstones;
  const beganAt = clock.now();
  try {
    const answer = await pool.page(list, isFirst(place) ? null : place, waiters, { want, cached });
    for (const name of names) tombstones.remove(name, noted);
    await unpaid.delete([absentKey(own)]);
    return answer;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') {
      if (!isLast && (await wasFoundAfter(options, beganAt, list, error))) return undefined;
      const absence = { value: toAbsence(error), fetchedAt: clock.now() };
      await Promise.all([
        tombstones.addIfCached(own, waiters.accountId),
        LISTS[list.kind].subject === 'user' && withdrawAccount(options, list.subject, error, waiters.accountId),
        unpaid.set(absentKey(own), absence, lifetimes.absentMs),
      ]);
    }
    throw error;
  }
}

/** Whether something that this failure withdraws was found after this time: the list, or its account. */
async function wasFoundAfter(
  { cache }: PagesOptions,
  timeMs: number,
  list: ListRef,
  { detail }: ServiceError,
): Promise<boolean> {
  const keys = [pageKey(listHash(list), HEAD)];
  if (LISTS[list.kind].subject === 'user' && detail.reason !== 'private') keys.push(userKey({ id: list.subject }));
  const known = await cache.getMany<unknown>(keys);
  return known.some((cached) => cached !== undefined && cached.fetchedAt > timeMs);
}

/** A list is gone if its account is gone or protected. That only the list is private says nothing of the account. */
async function withdrawAccount(
  { users, tombstones }: PagesOptions,
  id: string,
  failure: ServiceError,
  accountId: string,
): Promise<void> {
  const { reason, isOfAccount } = failure.detail;
  if (reason !== 'private') await users.withdraw({ id }, failure, accountId);
  else if (isOfAccount) await tombstones.addIfCached(postsKey(id), accountId);
}

/** Also caches the objects of a page as single objects. */
async function storeObjects({ users, tweets }: PagesOptions, answer: NetworkPage, origin: Origin): Promise<void> {
  const { beside = {} } = answer;
  const authors = new Map<string, User>();
  for (const tweet of answer.tweets ?? []) if (tweet.author) authors.set(tweet.author.id, tweet.author);
  const writers = new Set(answer.tweets?.map(({ authorId }) => authorId));
  await Promise.all([
    users.store([...(beside.users ?? []), ...(answer.users ?? []), ...authors.values()], { ...origin, writers }),
    tweets.store([...(beside.tweets ?? []), ...(answer.tweets ?? [])], origin),
  ]);
}

/** The names under which a tombstone may exist for a list: its own, and that of its subject. */
function tombstoneNames(list: ListRef): [own: string, ...others: string[]] {
  const own = `list:{${listHash(list)}}`;
  const { subject, withoutSubject } = LISTS[list.kind];
  if (withoutSubject === 'empty') return [own];
  return subject === 'user'
    ? [own, userKey({ id: list.subject }), postsKey(list.subject)]
    : [own, tweetKey(list.subject)];
}

function distinct<T extends { id: string }>(items: readonly T[], seen: Set<string>): T[] {
  return items.filter((item) => !seen.has(item.id) && seen.add(item.id));
}

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

  /** The label of the whole walk: `hit` only if nothing was read upstream. */
  get cache(): ItemCache {
    return this.#walked.fresh ? 'bypass' : this.#upstreamPages > 0 ? 'miss' : 'hit';
  }

  /**
   * The page with this key; `enough` if the call may read no more pages, `unpaid` if it could not pay for a single
   * item. `want`: how many items are needed, if the network bills by item. `isSpare`: the answer can do without it.
   */
  async page(
    place: string,
    before: string | null,
    want: (cache: ItemCache) => number | undefined,
    isSpare = false,
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
    const at = { place, before, want: want(cache), notBefore, cached: objects, unit };
    const got = await pages.read(list, at, fresh, isSpare ? callContext.spare() : callContext);
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
