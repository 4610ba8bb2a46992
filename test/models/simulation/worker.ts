/** Runs seeds in a process of its own: `worker.mjs FROM COUNT STEP`. Tells its parent of each that fails, and of all. */
import { simulate } from './parts/run.js';

/** One message for so many seeds. */
const AT_ONCE = 50;

/** What a worker tells. */
export interface Told {
  readonly seeds: number;
  readonly events: number;
  readonly calls: number;
  readonly answered: number;
  /** The orders of events that it reached, as hashes. */
  readonly orders: readonly string[];
  readonly failed: readonly { readonly seed: number; readonly violations: readonly string[] }[];
}

const [from = 1, count = 1, step = 1] = process.argv.slice(2).map(Number);

async function runSome(first: number, last: number): Promise<Told> {
  let [seeds, events, calls, answered] = [0, 0, 0, 0];
  const orders: string[] = [];
  const failed: { seed: number; violations: readonly string[] }[] = [];
  for (let seed = first; seed <= last; seed += step) {
    try {
      const run = await simulate(seed);
      events += run.events;
      calls += run.calls;
      answered += run.answered;
      orders.push(run.order);
      if (run.violations.length > 0) failed.push({ seed, violations: run.violations });
    } catch (error) {
      failed.push({ seed, violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)] });
    }
    seeds += 1;
  }
  return { seeds, events, calls, answered, orders, failed };
}

const end = from + count - 1;
for (let first = from; first <= end; first += AT_ONCE * step) {
  process.send?.(await runSome(first, Math.min(end, first + (AT_ONCE - 1) * step)));
}
// Timers of a run that has ended keep nothing alive, but a channel to the parent does.
process.disconnect?.();
