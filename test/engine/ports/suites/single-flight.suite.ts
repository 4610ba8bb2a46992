import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SingleFlight } from '../../../../src/ports/cache.js';

export interface FlightsHarness {
  readonly flights: SingleFlight;
  close(): Promise<void>;
}

/** A read that ends when the test says so. */
function gate<T>() {
  let open: (value: T) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const read = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  // It may fail before anything waits for it.
  read.catch(() => undefined);
  return { read: () => read, open, fail };
}

/** What every `Flights` must do. */
export function flightsSuite(create: () => Promise<FlightsHarness>): void {
  let at: FlightsHarness;
  beforeEach(async () => {
    at = await create();
  });
  afterEach(() => at.close());

  it('runs one read for all concurrent callers and identifies the leader (M7)', async () => {
    const { read, open } = gate<string>();
    let reads = 0;
    const joins = Array.from({ length: 10 }, () =>
      at.flights.join('k', () => {
        reads += 1;
        return read();
      }),
    );
    open('value');
    const results = await Promise.all(joins);
    expect(reads).toBe(1);
    expect(results.filter(({ led }) => led)).toHaveLength(1);
    expect(results.every(({ value }) => value === 'value')).toBe(true);
  });

  it('reads again after the flight has ended', async () => {
    expect(await at.flights.join('k', async () => 1)).toEqual({ value: 1, led: true });
    expect(await at.flights.join('k', async () => 2)).toEqual({ value: 2, led: true });
  });

  it('keeps keys apart', async () => {
    const slow = gate<string>();
    const first = at.flights.join('a', slow.read);
    expect(await at.flights.join('b', async () => 'B')).toEqual({ value: 'B', led: true });
    slow.open('A');
    expect(await first).toEqual({ value: 'A', led: true });
  });

  it('passes a failure on to all that joined, and does not remember it (M7)', async () => {
    const { read, fail } = gate<string>();
    const joins = [1, 2, 3].map(() => at.flights.join('k', read));
    fail(new Error('the network hung up'));
    const results = await Promise.allSettled(joins);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    for (const result of results) expect(result).toMatchObject({ reason: { message: 'the network hung up' } });
    expect(await at.flights.join('k', async () => 'again')).toEqual({ value: 'again', led: true });
  });

  it('treats a read that throws at once like one that fails', async () => {
    const thrower = () => {
      throw new Error('at once');
    };
    await expect(at.flights.join('k', thrower)).rejects.toThrow('at once');
    expect((await at.flights.join('k', async () => 1)).led).toBe(true);
  });

  it('has exactly one leader per flight, whatever happens in whatever order (M7)', async () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b'), what: fc.constantFrom('join', 'join', 'open', 'fail') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const own = await create();
        const flying = new Map<string, { flight: ReturnType<typeof gate<string>>; joins: Promise<unknown>[] }>();
        const land = async (key: string, ok: boolean) => {
          const current = flying.get(key);
          if (current === undefined) return;
          flying.delete(key);
          if (ok) current.flight.open(key);
          else current.flight.fail(new Error(key));
          const results = await Promise.allSettled(current.joins);
          if (!ok) return expect(results.every(({ status }) => status === 'rejected')).toBe(true);
          const values = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
          expect(values.filter((value) => (value as { led: boolean }).led)).toHaveLength(1);
          for (const value of values) expect(value).toMatchObject({ value: key });
        };
        for (const { key, what } of steps) {
          if (what !== 'join') await land(key, what === 'open');
          else {
            const current = flying.get(key) ?? { flight: gate<string>(), joins: [] };
            flying.set(key, current);
            current.joins.push(own.flights.join(key, current.flight.read));
          }
        }
        for (const key of ['a', 'b']) await land(key, true);
        await own.close();
      }),
      { numRuns: 60 },
    );
  });
}
