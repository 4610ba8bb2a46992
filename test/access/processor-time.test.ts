import { describe, expect, it } from 'vitest';
import { ProcessorTime } from '../../src/access/processor-time.js';
import { accountHolder, addressHolder, type Holder } from '../../src/access/work-slots.js';
import { ServiceError } from '../../src/core/errors.js';
import { Memories } from '../../src/core/memories.js';

const HOG = accountHolder('hog');
const OTHER = accountHolder('other');

function start() {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const memories = new Memories();
  const processor = new ProcessorTime({ monotonic: clock, memories });
  /** Lets the holder work so long, if it may; what it is refused with. */
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

/** Milliseconds that it worked in ten seconds, with others that ask now and then. */
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
  it('an account has a quarter of it while others ask, an address without a key a tenth', () => {
    expect(workedIn10s(HOG, 20)).toBeGreaterThan(2500);
    expect(workedIn10s(HOG, 20)).toBeLessThan(500 + 2500 + 50);
    expect(workedIn10s(addressHolder('192.0.2.1'), 20)).toBeLessThan(250 + 1000 + 50);
  });

  it('who has overdrawn it is told why, by how much and until when, and is let in then; others go on', () => {
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

  it('whoever is alone has all of it', () => {
    const { work } = start();
    for (let n = 0; n < 500; n += 1) expect(work(HOG, 50)).toBeNull();
  });

  it('what fails is counted like anything else', () => {
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

  it('200 calls a second that are answered from what is cached, or 50 new documents, are never refused', () => {
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

  it('is kept of a bounded number of holders', () => {
    const { memories, work } = start();
    for (let n = 0; n < 100_000; n += 1) work(addressHolder(`2001:db8:${(n % 65_536).toString(16)}:${n >> 16}::1`), 0);
    const [kept] = memories.states();
    expect(kept?.bytes).toBeGreaterThan(0);
    expect(kept?.bytes).toBeLessThanOrEqual(kept?.maxBytes ?? 0);
  });

  it('much work in one turn of the event loop is followed by the turn of others', async () => {
    const { processor, clock } = start();
    const order: string[] = [];
    const { signal } = new AbortController();
    const heavy = Array.from({ length: 8 }, async (_, n) => {
      await processor.turn(signal);
      processor.open(HOG).measured(() => {
        clock.nowMs += 15;
      });
      order.push(`heavy ${n}`);
    });
    setImmediate(() => order.push('other'));
    await Promise.all(heavy);
    expect(order.indexOf('other')).toBeLessThanOrEqual(3);
    expect(order.filter((name) => name.startsWith('heavy'))).toHaveLength(8);
  });
});
