import { ServiceError } from '../../../src/domain/errors.js';
import { holdsUsers, type ListKind, type ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS, type Product, type Tweet, type User } from '../../../src/domain/model.js';
import type { Network, NetworkPage } from '../../../src/ports/network.js';
import { EVERY_LIST } from './lists.js';

export interface ListShape {
  readonly kind: ListKind;
  readonly product?: Product;
  /** Items at the start. */
  readonly items: number;
  /** Sizes of the natural pages, repeated in turn; 0 is an empty page with a next one. At least one must not be 0. */
  readonly pageSizes: readonly number[];
  /** Whether a token names the last item that was passed, or the number of items passed. */
  readonly tokens: 'keyset' | 'offset';
  /** Whether the network promises that a token leads to more items (C15). */
  readonly nextIsCertain?: boolean;
  /** Each page but the first begins with this many items of the page before. */
  readonly repeated?: number;
  /** What ends the list: no token, a token of an empty page, or the token of an earlier page again. */
  readonly end?: 'none' | 'dangling' | 'loop';
  /** This many neighbours in a list of tweets share a timestamp. */
  readonly tied?: number;
  /** Bills by the item: a page has as many items as are wanted, within these bounds, and `pageSizes` is ignored. */
  readonly billed?: { readonly least: number; readonly most: number };
  /** Every so many items, one is counted and billed but not shown, so pages come short. */
  readonly hiddenEach?: number;
}

export interface ListNetwork {
  readonly network: Network;
  readonly list: ListRef;
  /** The ids of the list as it is now. */
  ids(): string[];
  /** New items arrive on top, the newest first. */
  arrive(count: number): void;
  /** Removes items, both from the list and as objects. */
  remove(ids: readonly string[]): void;
  /** The number of items billed with pages so far. */
  billedItems(): number;
}

interface Slot {
  readonly id: string;
  readonly at: number;
  gone: boolean;
}

const START = Date.UTC(2024, 0, 1);
const PAST_THE_END = 'past the end';

/** A network of one list in memory, whose pages are as awkward as those of real networks. */
export function createListNetwork(shape: ListShape, subject = '77'): ListNetwork {
  const { kind, product, pageSizes, billed, tied = 1 } = shape;
  const list: ListRef = { kind, subject, ...(product && { product }) };
  const moment = (ordinal: number): number => START - Math.floor(ordinal / tied) * 60_000;
  let slots: Slot[] = Array.from({ length: shape.items }, (_, i) => ({ id: idOf(i), at: moment(i), gone: false }));
  let arrived = 0;
  let billedItems = 0;

  const present = (): Slot[] => slots.filter((slot) => !slot.gone);

  const isShown = (slot: Slot): boolean =>
    !slot.gone && !(shape.hiddenEach && Number(slot.id) % shape.hiddenEach === 0);

  function pageAt(token: string | null, want?: number): NetworkPage {
    if (token === PAST_THE_END) return { ...objectsOf([]), next: null };
    const [ordinal, start] = token === null ? [0, 0] : positionOf(token);
    const sized = billed && Math.min(billed.most, Math.max(billed.least, want ?? billed.most));
    const size = sized ?? pageSizes[ordinal % pageSizes.length] ?? 1;
    const from = Math.max(0, start - (ordinal === 0 ? 0 : (shape.repeated ?? 0)));
    const rows = present();
    const end = Math.min(rows.length, start + size);
    billedItems += end - from;
    const shown = rows.slice(from, end).filter(isShown);
    return { ...objectsOf(shown), ...nextOf(ordinal, end, rows), ...(sized && want !== undefined && { size: sized }) };
  }

  function positionOf(token: string): [ordinal: number, start: number] {
    const [, ordinal = '0', style, rest = ''] = /^(\d+)([ko])(.*)$/.exec(token) ?? [];
    if (style === 'o') return [Number(ordinal), Number(rest)];
    // The place of a removed item is still known.
    const index = slots.findIndex((slot) => slot.id === rest);
    return [Number(ordinal), slots.slice(0, index + 1).filter((slot) => !slot.gone).length];
  }

  function nextOf(ordinal: number, end: number, rows: readonly Slot[]): Pick<NetworkPage, 'next' | 'nextIsCertain'> {
    if (end < rows.length) return { next: tokenOf(ordinal + 1, end), nextIsCertain: shape.nextIsCertain ?? false };
    if (shape.end === 'dangling') return { next: PAST_THE_END };
    return { next: shape.end === 'loop' && ordinal > 0 ? tokenOf(1, pageSizes[0] ?? 0) : null };
  }

  const tokenOf = (ordinal: number, passed: number): string =>
    shape.tokens === 'offset' ? `${ordinal}o${passed}` : `${ordinal}k${present()[passed - 1]?.id ?? ''}`;

  const objectsOf = (items: readonly Slot[]): Pick<NetworkPage, 'users' | 'tweets'> =>
    holdsUsers(list) ? { users: items.map(userOf) } : { tweets: items.map(tweetOf) };

  const found = <T>(id: string, make: (slot: Slot) => T) => {
    const slot = present().find((candidate) => candidate.id === id);
    return slot ? { ok: make(slot) } : { fail: new ServiceError('not_found', 'There is none.', { reason: 'deleted' }) };
  };

  return {
    list,
    network: {
      name: 'list',
      sessions: ['only'],
      billing: billed ? { per: 'item', usd: { tweet: 0.005, user: 0.01 } } : null,
      batchSize: { users: 100, tweets: 100 },
      pace: { fast: null, slow: null },
      products: PRODUCTS,
      lists: EVERY_LIST,
      users: async (refs) => refs.map((ref) => found('id' in ref ? ref.id : ref.handle.slice(1), userOf)),
      tweets: async (ids) => ids.map((id) => found(id, tweetOf)),
      page: async (_list, token, _context, want) => pageAt(token, want),
    },
    ids: () =>
      present()
        .filter(isShown)
        .map((slot) => slot.id),
    arrive(count) {
      const fresh = Array.from({ length: count }, () => {
        arrived += 1;
        return { id: String(900_000 + arrived), at: START + arrived * 60_000, gone: false };
      });
      slots = [...fresh.reverse(), ...slots];
    },
    remove(ids) {
      for (const slot of slots) if (ids.includes(slot.id)) slot.gone = true;
    },
    billedItems: () => billedItems,
  };
}

const idOf = (ordinal: number): string => String(100_000 - ordinal);

const userOf = ({ id, at }: Slot): User => ({
  id,
  handle: `u${id}`,
  name: `User ${id}`,
  followersCount: 0,
  followingCount: 0,
  tweetsCount: 0,
  createdAt: new Date(at).toISOString(),
});

const tweetOf = ({ id, at }: Slot): Tweet => ({
  id,
  text: `tweet ${id}`,
  authorId: '77',
  createdAt: new Date(at).toISOString(),
});
