import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProcessorTime, unmeasured } from '../../../src/access/processor-time.js';
import { accountHolder, addressHolder, type Holder } from '../../../src/access/work-slots.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { Memories } from '../../../src/lib/memories.js';
import type { Clock } from '../../../src/ports/clock.js';

const HOG = accountHolder('hog');
const OTHER = accountHolder('other');

function start(used?: Clock) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const memories = new Memories();
  const processor = new ProcessorTime({ monotonic: clock, ...(used && { used }), memories });
  /** Lets the holder work for this long if it may; otherwise returns the refusal. */
  const work = (holder: Holder, ms: number): ServiceError | null => {
    try {
      processor.open(holder).measured(() => {
        clock.nowMs += ms;
      });
      return null;
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  };
  return { clock, memories, processor, work };
}

/** Milliseconds that the holder worked in ten seconds while others asked now and then. */
function workedIn10s(holder: Holder, pieceMs: number): number {
  const { clock, work } = start();
  let worked = 0;
  while (clock.nowMs < 10_000) {
    work(OTHER, 1);
    if (work(holder, pieceMs) === null) worked += pieceMs;
    else clock.nowMs += 5;
  }
  return worked;
}

describe('processor time', () => {
  it('gives an account a quarter while others ask, and an address without a key a tenth', () => {
    expect(workedIn10s(HOG, 20)).toBeGreaterThan(2500);
    expect(workedIn10s(HOG, 20)).toBeLessThan(500 + 2500 + 50);
    expect(workedIn10s(addressHolder('192.0.2.1'), 20)).toBeLessThan(250 + 1000 + 50);
  });

  it('refuses an overdrawn holder with reason, amount and time, and admits it after that time; others continue', () => {
    const { clock, processor, work } = start();
    work(OTHER, 1);
    for (let n = 0; n < 20; n += 1) work(HOG, 50);
    work(OTHER, 1);
    const refusal = work(HOG, 1);
    expect(refusal).toMatchObject({ code: 'upstream_rate_limited', status: 503, detail: { reason: 'processor' } });
    expect(refusal?.message).toContain('250 ms per second');
    expect(work(OTHER, 1)).toBeNull();
    expect(processor.refused).toBeGreaterThan(0);
    clock.nowMs += (refusal?.retryAfter ?? 0) * 1000;
    work(OTHER, 1);
    expect(work(HOG, 1)).toBeNull();
  });

  it('gives all of it to a single holder', () => {
    const { work } = start();
    for (let n = 0; n < 500; n += 1) expect(work(HOG, 50)).toBeNull();
  });

  it('counts failed work like any other', () => {
    const { clock, processor, work } = start();
    for (let n = 0; n < 20; n += 1) {
      work(OTHER, 1);
      try {
        processor.open(HOG).measured(() => {
          clock.nowMs += 100;
          throw new Error('no');
        });
      } catch {}
    }
    expect(processor.refused).toBeGreaterThan(0);
  });

  it('never refuses 200 cached calls a second, or 50 new documents', () => {
    const { clock, work } = start();
    for (let n = 0; n < 6000; n += 1) {
      work(OTHER, 0);
      expect(work(HOG, 0.2)).toBeNull();
      clock.nowMs += 4.8;
    }
    for (let n = 0; n < 1500; n += 1) {
      work(OTHER, 0);
      expect(work(HOG, 4)).toBeNull();
      clock.nowMs += 16;
    }
  });

  it('is recorded for a bounded number of holders', () => {
    const { memories, work } = start();
    for (let n = 0; n < 100_000; n += 1) work(addressHolder(`2001:db8:${(n % 65_536).toString(16)}:${n >> 16}::1`), 0);
    const [kept] = memories.states();
    expect(kept?.bytes).toBeGreaterThan(0);
    expect(kept?.bytes).toBeLessThanOrEqual(kept?.maxBytes ?? 0);
  });

  it('is overdrawn when more was used than there was, work elsewhere in the process included', () => {
    const { processor, work } = start();
    processor.spend(HOG, 500);
    work(OTHER, 0);
    expect(work(HOG, 0)).toBeNull();
    processor.spend(HOG, 1);
    expect(work(HOG, 0)).not.toBeNull();
  });

  it('states in a refusal whose share it is, by how much it was exceeded, and when that is made up for', () => {
    const { processor, work } = start();
    const cases: readonly [Holder, number, string, number][] = [
      [HOG, 500 + 250.5, 'This account is 251 ms over its share of CPU time (250 ms per second ', 2],
      [HOG, 1000, 'This account is 500 ms over its share of CPU time (250 ms per second ', 2],
      [
        addressHolder('192.0.2.1'),
        250 + 201,
        'This IP address is 201 ms over its share of CPU time (100 ms per second ',
        3,
      ],
      [
        addressHolder('192.0.2.2'),
        250 + 1,
        'This IP address is 1 ms over its share of CPU time (100 ms per second ',
        1,
      ],
    ];
    for (const [holder, ms, start, seconds] of cases) {
      processor.spend(holder, ms);
      work(OTHER, 0);
      const message = `${start}while others are waiting). Send smaller or fewer new documents, and try again in ${seconds} s; nothing was charged.`;
      expect(work(holder, 0)).toMatchObject({ message, retryAfter: seconds });
    }
  });

  it('is unlimited again for a holder after a second without any other', () => {
    const { clock, processor, work } = start();
    work(OTHER, 0);
    processor.spend(HOG, 1000);
    expect(work(HOG, 0)).not.toBeNull();
    clock.nowMs = 999;
    expect(work(HOG, 0)).not.toBeNull();
    clock.nowMs = 1000;
    expect(work(HOG, 0)).toBeNull();
  });

  it('counts the time that passed, or the processor time of the process if that was shorter', () => {
    for (const [passedMs, usedMs, overMs] of [
      [160, 100, 100 - 40],
      [100, 160, 100 - 25],
    ] as const) {
      const used = { nowMs: 3000, now: () => used.nowMs };
      const { clock, processor, work } = start(used);
      clock.nowMs = 7000;
      processor.spend(HOG, 500);
      processor.open(HOG).measured(() => {
        clock.nowMs += passedMs;
        used.nowMs += usedMs;
      });
      work(OTHER, 0);
      expect(work(HOG, 0)?.message).toContain(` is ${overMs} ms over `);
    }
  });

  it('counts what unmeasured work is said to have taken', () => {
    const { clock, processor, work } = start();
    processor.spend(HOG, 500);
    const budget = unmeasured(processor.open(HOG));
    const done = budget.measured(() => {
      clock.nowMs += 100;
      return 'done';
    });
    expect(done).toBe('done');
    work(OTHER, 0);
    expect(work(HOG, 0)).toBeNull();
    budget.spend(60);
    expect(work(HOG, 0)?.message).toContain(' is 35 ms over ');
  });
});

describe('a turn of the event loop', () => {
  const realImmediate = setImmediate;
  const next: (() => void)[] = [];
  const settled = () => new Promise((resolve) => realImmediate(resolve));
  /** Runs what is due in the next turn, each with everything that follows from it at once. */
  const nextTurn = async () => {
    for (const run of next.splice(0)) {
      run();
      await settled();
    }
  };
  const going = { aborted: false, reason: undefined };
  /** A processor, and the order in which pieces of work of 20 ms got it. */
  const open = () => {
    const { processor } = start();
    const order: string[] = [];
    const work = async (name: string) => {
      await processor.turn(going);
      processor.spend(HOG, 20);
      order.push(name);
    };
    return { processor, order, work };
  };
  beforeEach(() => {
    next.length = 0;
    vi.stubGlobal('setImmediate', (run: () => void) => next.push(run));
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('has room for 20 ms of work; later calls wait for the following turns, each of which has room for one', async () => {
    const { order, work } = open();
    for (const name of ['a', 'b', 'c']) {
      void work(name);
      await settled();
    }
    setImmediate(() => order.push('other'));
    expect(order).toEqual(['a']);
    await nextTurn();
    expect(order).toEqual(['a', 'b', 'other']);
    await nextTurn();
    expect(order).toEqual(['a', 'b', 'other', 'c']);
  });

  it('has room for 20 ms of work even if many ask in the same tick', async () => {
    const { order, work } = open();
    for (const name of ['a', 'b', 'c']) void work(name);
    await settled();
    expect(order).toEqual(['a']);
    await nextTurn();
    expect(order).toEqual(['a', 'b']);
    await nextTurn();
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('admits all that ask in the same tick, in order, while their work is short', async () => {
    const { processor } = open();
    const order: number[] = [];
    const calls = Array.from({ length: 100 }, async (_, n) => {
      await processor.turn(going);
      await Promise.resolve();
      processor.spend(HOG, 0.1);
      order.push(n);
    });
    await settled();
    await Promise.all(calls);
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n));
  });

  it('passes over calls that were aborted while they waited', async () => {
    const { processor, order, work } = open();
    processor.spend(HOG, 20);
    const leaving = { aborted: false, reason: undefined };
    const left = processor.turn(leaving);
    void work('b');
    leaving.aborted = true;
    await nextTurn();
    await left;
    expect(order).toEqual(['b']);
  });

  it('has room for more work after less than 20 ms', async () => {
    const { processor, order, work } = open();
    processor.spend(HOG, 19.9);
    void work('a');
    await settled();
    expect(order).toEqual(['a']);
  });

  it('has no extra room for others when the turn before did more', async () => {
    const { processor, order, work } = open();
    processor.spend(HOG, 20);
    void work('a');
    processor.spend(HOG, 1);
    void work('b');
    await nextTurn();
    expect(order).toEqual(['a']);
    await nextTurn();
    expect(order).toEqual(['a', 'b']);
  });

  it('has no extra room for others when the turn before did work of no time', async () => {
    const { processor, order, work } = open();
    setImmediate(() => processor.spend(HOG, 20));
    processor.spend(HOG, 0);
    setImmediate(() => void work('a'));
    await nextTurn();
    expect(order).toEqual([]);
    await nextTurn();
    expect(order).toEqual(['a']);
  });

  it('is not waited for by an aborted call', async () => {
    const { processor } = open();
    processor.spend(HOG, 20);
    const ended: string[] = [];
    void Promise.resolve(processor.turn(going)).then(() => ended.push('going'));
    void Promise.resolve(processor.turn(AbortSignal.abort())).then(() => ended.push('aborted'));
    await settled();
    expect(ended).toEqual(['aborted']);
  });
});
