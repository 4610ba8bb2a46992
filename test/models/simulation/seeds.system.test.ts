/** Several nodes on one virtual clock, with all kinds of faults: `docs/invariants.md` says what holds. */
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { bundle } from './parts/bundle.js';
import { runSeeds } from './seeds.js';

const SEEDS = 10_000;
/** When run together with other tests: as many seeds as fit into this time, and at least this many. */
const SECONDS = 110;
const FEWEST = 300;

it('keeps every invariant in every run', { timeout: 600_000 }, async () => {
  const program = await bundle('seeds');
  try {
    const processes = availableParallelism();
    const range = { from: 1, count: SEEDS, processes };
    const sum = await runSeeds(program, { ...range, seconds: SECONDS, fewest: FEWEST, after: true });
    const { seeds, orders, events, calls, answered, failed, seconds } = sum;
    console.log(
      `${seeds} seeds in ${seconds.toFixed(0)} s, ${orders.size} distinct interleavings, ${events} events, ${calls} calls, ${answered} of them answered`,
    );
    expect(failed).toEqual([]);
    expect(seeds).toBeGreaterThanOrEqual(FEWEST);
    expect(orders.size).toBeGreaterThan(0.99 * seeds);
    // Much may fail, but not everything.
    expect(answered).toBeGreaterThan(calls / 4);
    expect(answered).toBeLessThan(calls);
  } finally {
    program.remove();
  }
});
