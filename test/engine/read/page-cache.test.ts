/** Where pages are cached, for how long, and what a later page of the chain learns from earlier ones. */
import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import type { ListRef } from '../../../src/domain/lists.js';
import { DEFAULT_LIFETIMES } from '../../../src/read/lifetimes.js';
import { type CachedPage, HEAD, isFirst, PageCache } from '../../../src/read/page-cache.js';
import { range } from '../../kit/networks/scripted-network.js';

const LIST: ListRef = { kind: 'timeline', subject: '1' };
const { firstPageMs, deeperPageMs } = DEFAULT_LIFETIMES;

function setUp() {
  const clock = { nowMs: Date.UTC(2026, 0, 1), now: () => clock.nowMs };
  const pages = new PageCache(createMemoryCache({ clock }), DEFAULT_LIFETIMES);
  const store = (page: Partial<CachedPage> & { place: string }, ids: readonly string[] = []) => {
    const items = ids.map((id) => ({ id, text: id, authorId: '1', createdAt: '2026-01-01T00:00:00.000Z' }));
    const times = { fetchedAt: clock.nowMs, beganAt: clock.nowMs };
    return pages.store(LIST, { next: null, nextIsCertain: false, before: null, items, ...page }, times, []);
  };
  const placeAt = async (place: string) => (await pages.at(LIST, place))?.value.place;
  return { clock, pages, store, placeAt };
}

describe('a cached page', () => {
  it('that is the first is found by calls without a cursor for a short time, and by its own chain for longer (C7)', async () => {
    const { clock, store, placeAt } = setUp();
    await store({ place: '@a' });
    expect([await placeAt(HEAD), await placeAt('@a')]).toEqual(['@a', '@a']);
    clock.nowMs += firstPageMs + 1;
    expect([await placeAt(HEAD), await placeAt('@a')]).toEqual([undefined, '@a']);
    clock.nowMs += deeperPageMs - firstPageMs;
    expect(await placeAt('@a')).toBeUndefined();
  });

  it('that is deeper is found by its token alone, for just as long', async () => {
    const { clock, store, placeAt } = setUp();
    await store({ place: 'token' });
    expect([await placeAt(HEAD), await placeAt('token')]).toEqual([undefined, 'token']);
    clock.nowMs += deeperPageMs - 1;
    expect(await placeAt('token')).toBe('token');
    clock.nowMs += 1;
    expect(await placeAt('token')).toBeUndefined();
  });

  it('that was evicted leaves the newest first page to its own chain, and to no other', async () => {
    const { store, placeAt } = setUp();
    await store({ place: '@new' });
    expect([await placeAt('@old'), await placeAt('old@'), await placeAt('old')]).toEqual([
      '@new',
      undefined,
      undefined,
    ]);
  });

  it('is a first page if it is the newest, or one kept for a chain', () => {
    expect([HEAD, '@a', 'a', 'a@'].map(isFirst)).toEqual([true, true, false, false]);
  });
});

describe('of the pages before it, a page', () => {
  it('knows the ids and keys of twenty, and of none further back', async () => {
    const { pages, store } = setUp();
    for (const nth of range(25)) {
      await store({ place: `p${nth}`, before: nth === 1 ? null : `p${nth - 1}`, next: `p${nth + 1}` }, [String(nth)]);
    }
    const { ids, places } = await pages.earlier(LIST, 'p25', 'p26');
    expect([...ids].map(Number).sort((a, b) => a - b)).toEqual(range(20, 6));
    expect(places.size).toBe(20);
  });

  it.each([
    ['of its natural size', undefined, undefined, ['5']],
    ['cut to another size', 3, undefined, []],
    ['of its natural size, before a page cut to one', undefined, 3, []],
  ])('counts one that leads elsewhere by now, %s', async (_, size, sizeAfter, expected) => {
    const { pages, store } = setUp();
    await store({ place: '@a', next: 'elsewhere', ...(size !== undefined && { size }) }, ['5']);
    const { ids } = await pages.earlier(LIST, '@a', 'here', sizeAfter);
    expect([...ids]).toEqual(expected);
  });

  it('counts none further back that leads elsewhere by now, before a page cut to a size', async () => {
    const { pages, store } = setUp();
    await store({ place: '@a', next: 'elsewhere' }, ['5']);
    await store({ place: 'b', before: '@a', next: 'here', size: 3 }, ['6']);
    expect([...(await pages.earlier(LIST, 'b', 'here')).ids]).toEqual(['6']);
  });

  it('counts one that was cut to a size and still leads here', async () => {
    const { pages, store } = setUp();
    await store({ place: '@a', next: 'here', size: 3 }, ['5']);
    expect([...(await pages.earlier(LIST, '@a', 'here')).ids]).toEqual(['5']);
  });
});
