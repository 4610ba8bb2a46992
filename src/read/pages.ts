import { familyOfList, holdsUsers, type ListRef, type Tweet, type User } from '../core/model.js';
import type { ItemCache } from '../core/prices.js';
import type { Cache, Clock, Flights, NetworkPage } from '../ports.js';
import type { Entities } from './entities.js';
import { listHash, pageKey } from './keys.js';
import { type Lifetimes, pageLifetime } from './lifetimes.js';
import type { Pool } from './pool.js';

/** The newest first page, as opposed to one that a chain started from and a network's token. */
export const HEAD = '';

/** One upstream page as it is held. Followers and follower ids share it (M15). Never changed after it was made. */
export interface HeldPage {
  /** Where it lies: a network's token, or `@…` for a first page. What a cursor names. */
  readonly place: string;
  readonly items: readonly (User | Tweet)[];
  readonly next: string | null;
  readonly nextIsCertain: boolean;
  readonly endReason?: 'network_limit';
  /** The place it was reached from: how far back repeats are looked for (C11). */
  readonly before: string | null;
}

export interface GotPage {
  readonly page: HeldPage;
  readonly cache: ItemCache;
  readonly fetchedAt: number;
}

export interface Pages {
  /** A page only if it is held. */
  peek(list: ListRef, place: string): Promise<GotPage | undefined>;
  /** The page, read from the network if it must be. `before` is the place it is reached from. */
  read(list: ListRef, place: string, before: string | null, fresh: boolean): Promise<GotPage>;
}

export interface PagesOptions {
  readonly cache: Cache;
  readonly flights: Flights;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  readonly users: Pick<Entities<never, User>, 'hold'>;
  readonly tweets: Pick<Entities<never, Tweet>, 'hold'>;
}

/** How many earlier pages of a chain a new one is cleared of repeats against. */
const LOOK_BACK_PAGES = 20;

const isFirst = (place: string): boolean => place === HEAD || place.startsWith('@');

export function createPages(options: PagesOptions): Pages {
  const { cache, flights, pool, clock, lifetimes } = options;

  async function peek(list: ListRef, place: string): Promise<GotPage | undefined> {
    const hash = listHash(list);
    // A chain whose own first page is gone looks for its place in the newest one.
    const held =
      (await cache.get<HeldPage>(pageKey(hash, place))) ??
      (place.startsWith('@') ? await cache.get<HeldPage>(pageKey(hash, HEAD)) : undefined);
    if (!held) return undefined;
    pool.held(familyOfList(list.kind));
    return { page: held.value, cache: 'hit', fetchedAt: held.fetchedAt };
  }

  /** Ids of the pages before, as far back as they are held. */
  async function earlierIds(list: ListRef, before: string | null): Promise<Set<string>> {
    const ids = new Set<string>();
    let place = before;
    for (let pages = 0; place !== null && pages < LOOK_BACK_PAGES; pages += 1) {
      const held: GotPage | undefined = await peek(list, place);
      if (!held) break;
      for (const item of held.page.items) ids.add(item.id);
      place = held.page.before;
    }
    return ids;
  }

  async function readNow(list: ListRef, place: string, before: string | null): Promise<GotPage> {
    const first = isFirst(place);
    const answer = await pool.page(list, first ? null : place);
    const fetchedAt = clock.now();
    const seen = await earlierIds(list, first ? null : before);
    const page: HeldPage = {
      place: first ? `@${fetchedAt.toString(36)}` : place,
      items: distinct<User | Tweet>(holdsUsers(list) ? (answer.users ?? []) : (answer.tweets ?? []), seen),
      next: answer.next === place ? null : answer.next,
      nextIsCertain: answer.nextIsCertain ?? false,
      before: first ? null : before,
      ...(answer.endReason && { endReason: answer.endReason }),
    };
    await Promise.all([holdPage(list, page, fetchedAt), holdObjects(answer, fetchedAt)]);
    return { page, cache: 'miss', fetchedAt };
  }

  /** A first page is held twice: for callers without a cursor, briefly, and for those in the middle of it, longer (C7). */
  async function holdPage(list: ListRef, page: HeldPage, fetchedAt: number): Promise<void> {
    const hash = listHash(list);
    const held = { value: page, fetchedAt };
    await cache.set(pageKey(hash, page.place), held, pageLifetime(lifetimes, list, false));
    if (isFirst(page.place)) await cache.set(pageKey(hash, HEAD), held, pageLifetime(lifetimes, list, true));
  }

  async function holdObjects(answer: NetworkPage, fetchedAt: number): Promise<void> {
    const authors = new Map<string, User>();
    for (const tweet of answer.tweets ?? []) if (tweet.author) authors.set(tweet.author.id, tweet.author);
    await Promise.all([
      options.users.hold([...(answer.users ?? []), ...authors.values()], fetchedAt),
      options.tweets.hold(answer.tweets ?? [], fetchedAt),
    ]);
  }

  return {
    peek,
    async read(list, place, before, fresh) {
      if (fresh) return { ...(await readNow(list, place, before)), cache: 'bypass' };
      const held = await peek(list, place);
      if (held) return held;
      const key = pageKey(listHash(list), isFirst(place) ? HEAD : place);
      const { value, led } = await flights.join(key, () => readNow(list, place, before));
      return led ? value : { ...value, cache: 'hit' };
    },
  };
}

function distinct<T extends { id: string }>(items: readonly T[], seen: Set<string>): T[] {
  return items.filter((item) => !seen.has(item.id) && seen.add(item.id));
}
