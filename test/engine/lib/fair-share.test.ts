import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairShare, type HeldSlot } from '../../../src/lib/fair-share.js';

const LONGEST_MS = 30_000;

function shareOf(total: number, reserved?: number) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const share = new FairShare({ total, longestMs: LONGEST_MS, monotonic: clock, ...(reserved && { reserved }) });
  return { clock, share };
}

/** Takes places for the holder, one after the other, until none is left for it. */
function fill(share: FairShare, holder: string): HeldSlot[] {
  const got: HeldSlot[] = [];
  for (let taken = share.take(holder); taken !== null; taken = share.take(holder)) got.push(taken);
  return got;
}

describe('places shared by the dynamic threshold', () => {
  it('give a quarter to a single holder, and one in n + 3 to each of n', () => {
    const { share } = shareOf(1000);
    expect(fill(share, 'alone')).toHaveLength(250);
    for (const n of [2, 5, 10, 47]) {
      const { share } = shareOf(1000);
      const holders = Array.from({ length: n }, (_, index) => `h${index}`);
      for (let round = 0; round < 1000; round += 1) for (const holder of holders) share.take(holder);
      for (const holder of holders) expect(Math.abs(share.countOf(holder) - 1000 / (n + 3))).toBeLessThanOrEqual(1);
      expect(share.take('newcomer')).not.toBeNull();
    }
  });

  const step = fc.record({
    holder: fc.integer({ min: 0, max: 7 }),
    leaves: fc.boolean(),
    which: fc.nat(),
    afterMs: fc.integer({ min: 0, max: 2000 }),
  });

  it("never exceeds the total or a holder's share, and finds a newcomer a slot while any is free", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.array(step, { maxLength: 300 }), (total, steps) => {
        const { share, clock } = shareOf(total);
        const held: { holder: string; taken: HeldSlot }[] = [];
        for (const { holder: index, leaves, which, afterMs } of steps) {
          clock.nowMs += afterMs;
          const holder = `h${index}`;
          if (leaves && held.length > 0) {
            const [{ taken } = { taken: null }] = held.splice(which % held.length, 1);
            taken?.release();
            taken?.release();
          } else {
            const [own, free] = [share.countOf(holder), total - share.taken];
            const taken = share.take(holder);
            expect(taken !== null).toBe(own < free / 3);
            if (own === 0 && free > 0) expect(taken).not.toBeNull();
            if (taken) held.push({ holder, taken });
            else {
              const waitMs = share.waitMs(holder);
              expect(waitMs).toBeGreaterThanOrEqual(0);
              expect(waitMs).toBeLessThanOrEqual(LONGEST_MS);
            }
          }
          expect(share.taken).toBe(held.length);
          expect(share.taken).toBeLessThanOrEqual(total);
          for (let n = 0; n < 8; n += 1) {
            expect(share.countOf(`h${n}`)).toBe(held.filter(({ holder }) => holder === `h${n}`).length);
          }
        }
        for (const { taken } of held) taken.release();
        expect(share.taken).toBe(0);
      }),
    );
  });

  it('serve every holder that waits as long as its refusal says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 60 }),
        fc.array(fc.record({ holder: fc.integer({ min: 0, max: 3 }), afterMs: fc.integer({ min: 0, max: 500 }) }), {
          maxLength: 200,
        }),
        (total, steps) => {
          const { share, clock } = shareOf(total);
          const ends: { atMs: number; taken: HeldSlot }[] = [];
          const pass = (toMs: number): void => {
            clock.nowMs = toMs;
            for (const { atMs, taken } of ends) if (atMs <= toMs) taken.release();
          };
          for (const { holder, afterMs } of steps) {
            pass(clock.nowMs + afterMs);
            let taken = share.take(`h${holder}`);
            if (taken === null) {
              pass(clock.nowMs + Math.ceil(share.waitMs(`h${holder}`)));
              taken = share.take(`h${holder}`);
            }
            expect(taken).not.toBeNull();
            if (taken) ends.push({ atMs: clock.nowMs + LONGEST_MS, taken });
          }
        },
      ),
    );
  });

  it('tell how long a place is usually taken, and the longest time once that turned out wrong', () => {
    const { share, clock } = shareOf(40);
    for (let round = 0; round < 5; round += 1) {
      const taken = fill(share, 'a');
      clock.nowMs += 200;
      for (const { release: leave } of taken.reverse()) leave();
    }
    expect(fill(share, 'a')).toHaveLength(10);
    clock.nowMs += 50;
    expect(share.waitMs('a')).toBe(150);
    clock.nowMs += 450;
    expect(share.waitMs('a')).toBe(LONGEST_MS - 500);
  });
});

describe('slots that a holder may take beyond its share while nobody else needs them (L19)', () => {
  it('are all but the reserved ones for a lone holder, which learns when one of them will be released', () => {
    const { share, clock } = shareOf(500, 100);
    expect(fill(share, 'alone')).toHaveLength(400);
    clock.nowMs += 1000;
    expect(share.waitMs('alone')).toBe(LONGEST_MS - 1000);
  });

  it('stop growing once another holder is at its own share, which then grows as they are released', () => {
    const { share } = shareOf(500, 100);
    const alone = fill(share, 'alone');
    expect(fill(share, 'other')).toHaveLength(25);
    for (const slot of alone.splice(0, 200)) slot.release();
    expect(share.take('alone')).not.toBeNull();
    expect(fill(share, 'other').length + 25).toBe(75);
    expect(share.take('alone')).toBeNull();
    for (const slot of alone) slot.release();
    expect(fill(share, 'other').length + 75).toBeGreaterThanOrEqual(125);
  });

  it('are refused to holders that want equally many: each of n has one in n + 3, as without them', () => {
    for (const n of [2, 5, 10, 47]) {
      const { share } = shareOf(1000, 200);
      const holders = Array.from({ length: n }, (_, index) => `h${index}`);
      for (let round = 0; round < 1000; round += 1) for (const holder of holders) share.take(holder);
      for (const holder of holders) expect(Math.abs(share.countOf(holder) - 1000 / (n + 3))).toBeLessThanOrEqual(1);
    }
  });

  it('never include the last ones, and are never the reason to refuse a holder that has less than a share', () => {
    const step = fc.record({ holder: fc.nat(5), leaves: fc.nat(3), which: fc.nat() });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(59),
        fc.array(step, { maxLength: 300 }),
        (total, most, steps) => {
          const reserved = Math.min(total, most + 1);
          const { share } = shareOf(total, reserved);
          const held: { holder: string; taken: HeldSlot }[] = [];
          for (const { holder: index, leaves, which } of steps) {
            const holder = `h${index}`;
            if (leaves === 0 && held.length > 0) {
              const [gone] = held.splice(which % held.length, 1);
              gone?.taken.release();
              continue;
            }
            const [own, free] = [share.countOf(holder), total - share.taken];
            const taken = share.take(holder);
            if (own < free / 3) expect(taken).not.toBeNull();
            else if (taken) {
              expect(free).toBeGreaterThan(reserved);
              expect(total - free - own).toBeLessThan(free / 3);
            }
            if (taken) held.push({ holder, taken });
          }
        },
      ),
    );
  });
});
