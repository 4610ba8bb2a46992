/** The collections for short-lived things behave like `Map` and `Set`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BriefMap, type Link, LinkedSet } from '../../../src/lib/brief-collections.js';

/** Keys of which many share a bucket, because only the last characters decide. */
const keys = fc.constantFrom(
  '',
  'a',
  'b',
  'ab',
  ...['1', '2', '3'].map((first) => `${first} and the same end of all of them`),
);

describe('a map of short-lived things', () => {
  it('has what a Map has after the same changes', () => {
    const change = fc.record({ key: keys, value: fc.option(fc.nat(9), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const [brief, map] = [new BriefMap<number>(), new Map<string, number>()];
        for (const { key, value } of changes) {
          if (value === undefined) expect(brief.delete(key)).toBe(map.delete(key));
          else {
            brief.set(key, value);
            map.set(key, value);
          }
          expect(brief.size).toBe(map.size);
          expect(brief.get(key)).toBe(map.get(key));
        }
        expect(brief.values().sort()).toEqual([...map.values()].sort());
        for (const [key, value] of map) expect(brief.get(key)).toBe(value);
      }),
    );
  });

  it('has room for more than it has buckets', () => {
    const brief = new BriefMap<number>();
    for (let nth = 0; nth < 5_000; nth += 1) brief.set(`key ${nth}`, nth);
    expect([brief.size, brief.get('key 0'), brief.get('key 4999'), brief.get('key 5000')]).toEqual([
      5_000,
      0,
      4_999,
      undefined,
    ]);
  });
});

describe('a set of short-lived things', () => {
  it('has what a Set has after the same changes, in the same order', () => {
    const change = fc.record({ isAdded: fc.boolean(), which: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const [linked, set] = [new LinkedSet<number>(), new Set<number>()];
        const links: Link<number>[] = [];
        for (const { isAdded, which } of changes) {
          const link = links[which % Math.max(1, links.length)];
          if (isAdded) {
            set.add(links.length);
            links.push(linked.add(links.length));
          } else if (link !== undefined) expect(linked.remove(link)).toBe(set.delete(link.value));
          expect(linked.size).toBe(set.size);
          expect([...linked]).toEqual([...set]);
        }
      }),
    );
  });

  it('may lose the value that an iteration is at', () => {
    const linked = new LinkedSet<number>();
    const links = [1, 2, 3].map((value) => linked.add(value));
    const seen: number[] = [];
    for (const value of linked) {
      seen.push(value);
      linked.remove(links[value - 1] as Link<number>);
    }
    expect([seen, linked.size, [...linked]]).toEqual([[1, 2, 3], 0, []]);
  });

  it('releases all its values, none of which can then be removed again', () => {
    const linked = new LinkedSet<number>();
    const links = [1, 2, 3].map((value) => linked.add(value));
    linked.clear();
    expect([linked.size, [...linked], links.map((link) => linked.remove(link))]).toEqual([
      0,
      [],
      [false, false, false],
    ]);
    linked.add(4);
    expect([...linked]).toEqual([4]);
  });

  it('releases a removed value: neither refers to the other', () => {
    const linked = new LinkedSet<number>();
    const [first, second, third] = [1, 2, 3].map((value) => linked.add(value)) as [
      Link<number>,
      Link<number>,
      Link<number>,
    ];
    linked.remove(second);
    expect([second.previous, second.next, first.next, third.previous]).toEqual([null, null, third, first]);
  });
});
