import { beforeEach, expect, it } from 'vitest';
import { QuotaSet } from '../../../src/lib/quota-set.js';

/** A set with room for ten entries, all of which one owner may fill. */
let keys: QuotaSet;
beforeEach(() => {
  keys = new QuotaSet({
    maxBytes: 2_200,
    share: 1,
    ttlMs: 60_000,
    clock: { now: () => 0 },
    goesFirst: (owner) => owner.startsWith('?'),
  });
});

/** Adds entries of another owner until some are dropped. */
function overfill(): void {
  for (let nth = 0; keys.evictions === 0; nth += 1) keys.add('other', `key ${nth}`);
}

it('drops less important entries first', () => {
  keys.add('a', 'sure');
  keys.add('?a', 'unsure');
  overfill();
  expect([keys.has('sure'), keys.has('unsure')]).toEqual([true, false]);
});

it('makes a less important entry as important as others once one of those adds it', () => {
  expect(keys.add('?a', 'key')).toBe(true);
  expect(keys.add('b', 'key')).toBe(true);
  expect(keys.size).toBe(1);
  keys.add('?a', 'unsure');
  overfill();
  expect([keys.has('key'), keys.has('unsure')]).toEqual([true, false]);
});

it('keeps an entry with its first owner when others add it', () => {
  expect(keys.add('a', 'key')).toBe(true);
  for (const owner of ['b', '?a', 'a']) expect(keys.add(owner, 'key')).toBe(false);
  overfill();
  expect(keys.has('key')).toBe(true);
});
