/** What an answer contains that was paid for before: no more than then. */
import { expect, it } from 'vitest';
import type { ItemCache, Unit } from '../../../src/domain/prices.js';
import { Meter } from '../../../src/metering/meter.js';
import { itemsOfList, PaidItems } from '../../../src/metering/paid-items.js';
import { unlimited } from '../../../src/metering/spending-limit.js';

const line = (path: string, unit: Unit, items: number) => ({
  ...{ path, unit, items, cache: 'miss' as ItemCache, unitPrice: 1000 },
});

it('counts the items of the list without those below it, folded or not', () => {
  const below = [line('search.replies', 'tweet', 40), line('other', 'tweet', 9), line('other', 'retweeter', 9)];
  expect(itemsOfList([line('search', 'tweet', 3), ...below])).toBe(3);
  expect(itemsOfList([line('other', 'tweet', 3)])).toBe(3);
});

it('delivers as many items at each price as were paid for, and those of a failed field to others', () => {
  const paid = new PaidItems([line('search', 'tweet', 1), line('search.author', 'profile', 1)]);
  const meter = new Meter(unlimited(), 0, new Map(), undefined, paid);
  const item = (unit: Unit, object: string) => ({ path: 'search', unit, cache: 'hit' as ItemCache, object });
  const [failed, kept] = [meter.open(), meter.open()];
  expect(failed.take(item('tweet', '1'))).not.toBeNull();
  expect(kept.take(item('tweet', '2'))).not.toBeNull();
  expect([meter.covers('tweet', 'hit'), kept.take(item('tweet', '3'))]).toEqual([false, null]);
  expect(kept.take(item('retweeter', '4'))).toBeNull();
  // An object that is there already is no further item.
  expect(kept.take(item('tweet', '2'))).not.toBeNull();
  failed.giveBack();
  expect(kept.take(item('tweet', '3'))).not.toBeNull();
  expect(meter.noCredits('tweet', 'hit').message).toMatch(/paid for before/);
});
