import { ServiceError } from '../core/errors.js';
import { familyOfList, holdsUsers, type ListRef, type Tweet, type User } from '../core/model.js';
import type { ItemCache } from '../core/prices.js';
import type { Cache, Clock, Flights, Held, NetworkPage } from '../ports.js';
import { type Absence, absenceOf, absent } from './absence.js';
import type { Entities } from './entities.js';
import type { Gone } from './gone.js';
import { absentKey, listHash, pageKey, tweetKey, userKey } from './keys.js';
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
  /** A page only if it is held, and the network has not said since that the list is gone (M25). */
  peek(list: ListRef, place: string): Promise<GotPage | undefined>;
  /** The page, read from the network if it must be. `before` is the place it is reached from. A 404 is remembered (M24). */
  read(list: ListRef, place: string, before: string | null, fresh: boolean): Promise<GotPage>;
}

export interface PagesOptions {
  readonly cache: Cache;
  readonly flights: Flights;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  readonly gone: Gone;
  readonly users: Pick<Entities<never, User>, 'hold'>;
  readonly tweets: Pick<Entities<never, Tweet>, 'hold'>;
}

/** How many earlier pages of a chain a new one is cleared of repeats against. */
const LOOK_BACK_PAGES = 20;

/** Whether a place is that of a first page, be it the newest or one that a chain started from. */
export const isFirst = (place: string): boolean => place === HEAD || place.startsWith('@');

export function createPages(options: PagesOptions): Pages {
  const { cache, flights, pool, clock, lifetimes, gone } = options;

  async function heldAt(list: ListRef, place: string): Promise<Held<HeldPage> | undefined> {
    const hash = listHash(list);
    // A chain whose own first page is gone looks for its place in the newest one.
    return (
      (await cache.get<HeldPage>(pageKey(hash, place))) ??
      (place.startsWith('@') ? await cache.get<HeldPage>(pageKey(hash, HEAD)) : undefined)
    );
  }

  async function peek(list: ListRef, place: string): Promise<GotPage | undefined> {
    if (namesOf(list).some((name) => gone.has(name))) return undefined;
    const held = await heldAt(list, place);
    if (!held) return undefined;
    pool.held(familyOfList(list.kind));
    return { page: held.value, cache: 'hit', fetchedAt: held.fetchedAt };
  }

  /** What a new page is cleared of, ids, and where it must not lead back to, places: as far as the pages before are held. */
  async function earlier(list: ListRef, before: string | null): Promise<{ ids: Set<string>; places: Set<string> }> {
    const ids = new Set<string>();
    const places = new Set<string>();
    let place = before;
    for (let pages = 0; place !== null && pages < LOOK_BACK_PAGES; pages += 1) {
      places.add(place);
      const held: Held<HeldPage> | undefined = await heldAt(list, place);
      if (!held) break;
      for (const item of held.value.items) ids.add(item.id);
      place = held.value.before;
    }
    return { ids, places };
  }

  async function readNow(list: ListRef, place: string, before: string | null): Promise<GotPage> {
    const first = isFirst(place);
    const answer = await ask(list, first ? null : place);
    const fetchedAt = clock.now();
    const { ids, places } = await earlier(list, first ? null : before);
    // A cursor that stops advancing ends the list (U22).
    const turnsBack = answer.next !== null && (answer.next === place || places.has(answer.next));
    const page: HeldPage = {
      place: first ? `@${fetchedAt.toString(36)}` : place,
      items: distinct<User | Tweet>(holdsUsers(list) ? (answer.users ?? []) : (answer.tweets ?? []), ids),
      next: turnsBack ? null : answer.next,
      nextIsCertain: answer.nextIsCertain ?? false,
      before: first ? null : before,
      ...(answer.endReason && { endReason: answer.endReason }),
    };
    await Promise.all([holdPage(list, page, fetchedAt), holdObjects(answer, fetchedAt)]);
    return { page, cache: 'miss', fetchedAt };
  }

  /** The network's answer; that the list is there, or gone, is noted (M24, M25). */
  async function ask(list: ListRef, token: string | null): Promise<NetworkPage> {
    const names = namesOf(list);
    const [own] = names;
    try {
      const answer = await pool.page(list, token);
      for (const name of names) gone.remove(name);
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') {
        gone.add(own);
        await cache.set(absentKey(own), { value: absenceOf(error), fetchedAt: clock.now() }, lifetimes.absentMs);
      }
      throw error;
    }
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
      const [own] = namesOf(list);
      const absence = gone.has(own) ? await cache.get<Absence>(absentKey(own)) : undefined;
      if (absence) throw absent(absence.value);
      const key = pageKey(listHash(list), isFirst(place) ? HEAD : place);
      const { value, led } = await flights.join(key, () => readNow(list, place, before));
      return led ? value : { ...value, cache: 'hit' };
    },
  };
}

/** Under what names a list may be gone: its own, and that of the object without which there is none (M25). */
function namesOf(list: ListRef): [own: string, ...others: string[]] {
  const own = `list:{${listHash(list)}}`;
  const { kind, subject } = list;
  if (kind === 'timeline' || kind === 'followers' || kind === 'following') return [own, userKey({ id: subject })];
  return kind === 'thread' || kind === 'replies' ? [own, tweetKey(subject)] : [own];
}

function distinct<T extends { id: string }>(items: readonly T[], seen: Set<string>): T[] {
  return items.filter((item) => !seen.has(item.id) && seen.add(item.id));
}
