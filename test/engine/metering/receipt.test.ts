/** One operation's receipt: its items, their sum, and where they came from. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ItemCache, itemPrice, UNITS, type Unit } from '../../../src/domain/prices.js';
import { Receipt } from '../../../src/metering/receipt.js';

const UNIT_NAMES = Object.keys(UNITS) as Unit[];
const CACHES: readonly ItemCache[] = ['hit', 'miss', 'bypass'];

interface Taken {
  readonly path: string;
  readonly unit: Unit;
  readonly cache: ItemCache;
  readonly object: string;
}

const items = fc.array(
  fc.record({
    path: fc.constantFrom('user', 'user.tweets', 'tweet.quoted'),
    unit: fc.constantFrom(...UNIT_NAMES),
    cache: fc.constantFrom(...CACHES),
  }),
  { maxLength: 40 },
);

describe('the charge', () => {
  it('is the sum of what was added and not removed, line by line', () => {
    fc.assert(
      fc.property(items, fc.array(fc.nat({ max: 39 }), { maxLength: 20 }), (all, removed) => {
        const receipt = new Receipt();
        const taken = all.map((item, nth): Taken => ({ ...item, object: `object ${nth}` }));
        for (const { path, unit, cache, object } of taken) receipt.add(path, unit, cache, object);
        const gone = new Set(removed.filter((nth) => nth < taken.length));
        // Only the first removal counts, however often it is repeated.
        for (const nth of removed) {
          const item = taken[nth];
          if (item) receipt.remove(item.path, item.unit, item.cache, item.object);
        }
        const left = taken.filter((_, nth) => !gone.has(nth));
        const charge = receipt.fold();
        const amount = left.reduce((sum, { unit, cache }) => sum + itemPrice(unit, cache), 0);
        expect(receipt.amount).toBe(amount);
        expect(charge).toMatchObject({
          amount,
          items: left.length,
          cacheHits: left.filter(({ cache }) => cache === 'hit').length,
        });
        for (const line of charge.lines) {
          const same = left.filter(
            ({ path, unit, cache }) => path === line.path && unit === line.unit && cache === line.cache,
          );
          expect(line).toMatchObject({ items: same.length, unitPrice: itemPrice(line.unit, line.cache) });
          expect(line.items).toBeGreaterThan(0);
        }
        expect(charge.lines.reduce((sum, line) => sum + line.items, 0)).toBe(left.length);
        expect(new Set(charge.lines.map(({ path, unit, cache }) => `${path} ${unit} ${cache}`)).size).toBe(
          charge.lines.length,
        );
        for (const [nth, { object }] of taken.entries()) expect(receipt.has(object)).toBe(!gone.has(nth));
      }),
    );
  });

  it('does not change when something is removed that was never added', () => {
    const receipt = new Receipt();
    receipt.add('user', 'profile', 'miss', 'ada');
    receipt.remove('user', 'profile', 'hit', 'ada');
    receipt.remove('user.tweets', 'profile', 'miss', 'ada');
    receipt.remove('user', 'profile', 'miss', 'nobody');
    expect(receipt.fold()).toMatchObject({ amount: 1000, items: 1 });
    expect(receipt.has('ada')).toBe(true);
  });
});

describe('the cache label', () => {
  /** The noted sources, and the cache labels of the items. */
  const labelOf = (kind: 'page' | 'batch', sources: readonly ItemCache[], delivered: readonly ItemCache[]) => {
    const receipt = new Receipt();
    for (const source of sources) receipt.noteSource(source, 1);
    for (const [nth, cache] of delivered.entries()) receipt.add('tweets', 'tweet', cache, String(nth));
    return receipt.fold(kind).cache;
  };

  it.each([
    // A page is a hit only if nothing was read for it (M6), and an empty one without sources is no hit.
    { kind: 'page', sources: [], delivered: [], says: 'miss' },
    { kind: 'page', sources: ['hit'], delivered: ['hit'], says: 'hit' },
    { kind: 'page', sources: ['hit'], delivered: [], says: 'hit' },
    { kind: 'page', sources: ['hit', 'miss'], delivered: ['hit'], says: 'miss' },
    { kind: 'page', sources: ['miss'], delivered: ['miss'], says: 'miss' },
    { kind: 'page', sources: ['hit', 'bypass'], delivered: ['hit'], says: 'bypass' },
    // A batch goes by its items (B10).
    { kind: 'batch', sources: ['hit'], delivered: ['hit', 'hit'], says: 'hit' },
    { kind: 'batch', sources: ['hit', 'miss'], delivered: ['hit', 'miss'], says: 'mixed' },
    { kind: 'batch', sources: ['miss'], delivered: ['miss', 'miss'], says: 'miss' },
    { kind: 'batch', sources: ['hit'], delivered: [], says: 'miss' },
    { kind: 'batch', sources: ['bypass'], delivered: ['bypass'], says: 'bypass' },
    { kind: 'batch', sources: ['bypass'], delivered: [], says: 'bypass' },
  ] as const)('of a $kind from $sources with $delivered is $says', ({ kind, sources, delivered, says }) => {
    expect(labelOf(kind, sources, delivered)).toBe(says);
  });
});

describe('the origin of an answer', () => {
  it('is as old as its oldest part, and has no age without parts', () => {
    const receipt = new Receipt();
    expect(receipt.fetchedAt).toBeUndefined();
    for (const at of [30, 10, 20]) receipt.noteSource('hit', at);
    expect(receipt.fetchedAt).toBe(10);
  });

  it('is what was noted, unless the same call may get another answer', () => {
    const receipt = new Receipt();
    const [one, other] = [{}, {}];
    receipt.noteDependency('one', one);
    receipt.noteDependency('other', other);
    expect(receipt.dependencies).toEqual([
      { key: 'one', value: one },
      { key: 'other', value: other },
    ]);
    receipt.markNotRepeatable();
    expect(receipt.dependencies).toBeNull();
  });
});
