import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CappedSums } from '../../../../src/read/pool/fair-queue.js';
import { mayHaveMore, QUEUE_SLOTS } from '../../../../src/read/pool/queue-share.js';

describe('sums of capped numbers', () => {
  it('equal the sum of the capped numbers', () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 40 })), { maxLength: 60 });
    fc.assert(
      fc.property(changes, fc.integer({ min: 1, max: 50 }), (all, cap) => {
        const sums = new CappedSums(32);
        const numbers = [0, 0, 0, 0, 0];
        for (const [which, value] of all) {
          sums.change(numbers[which] ?? 0, value);
          numbers[which] = value;
        }
        expect(sums.sum(cap)).toBe(numbers.reduce((sum, number) => sum + Math.min(number, cap, 32), 0));
      }),
    );
  });
});

describe('shares of the queue', () => {
  it('give a lone account a quarter; more accounts may each add less; the last place is for a newcomer', () => {
    let own = 0;
    while (mayHaveMore(own, own)) own += 1;
    expect(own).toBe(QUEUE_SLOTS / 4);
    let others = QUEUE_SLOTS / 4;
    for (const expected of [375, 282]) {
      let mine = 0;
      while (mayHaveMore(mine, others + mine)) mine += 1;
      expect(mine).toBe(expected);
      others += mine;
    }
    expect([mayHaveMore(0, QUEUE_SLOTS - 1), mayHaveMore(0, QUEUE_SLOTS)]).toEqual([true, false]);
  });
});
