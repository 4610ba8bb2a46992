/**
 * Runs seeds in a process of its own: `worker.mjs FROM COUNT STEP`. Reports each failing seed, and all seeds at the
 * end.
 */
import { simulate } from './parts/run.js';

/** Sends one message for this many seeds, or as soon as one has failed. */
const AT_ONCE = 50;

/** What a worker reports. */
export interface Told {
  readonly seeds: number;
  readonly events: number;
  readonly calls: number;
  readonly answered: number;
  /** Hashes of the orders of events that it reached. */
  readonly orders: readonly string[];
  readonly failed: readonly { readonly seed: number; readonly violations: readonly string[] }[];
}

const [from = 1, count = 1, step = 1] = process.argv.slice(2).map(Number);

const nothingYet = () => ({
  ...{ seeds: 0, events: 0, calls: 0, answered: 0 },
  orders: [] as string[],
  failed: [] as { seed: number; violations: readonly string[] }[],
});

async function runOne(seed: number, told: ReturnType<typeof nothingYet>): Promise<void> {
  told.seeds += 1;
  try {
    const run = await simulate(seed);
    told.events += run.events;
    told.calls += run.calls;
    told.answered += run.answered;
    told.orders.push(run.order);
    if (run.violations.length > 0) told.failed.push({ seed, violations: run.violations });
  } catch (error) {
    told.failed.push({ seed, violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)] });
  }
}

let told = nothingYet();
for (let seed = from; seed < from + count; seed += step) {
  await runOne(seed, told);
  if (told.seeds < AT_ONCE && told.failed.length === 0 && seed + step < from + count) continue;
  process.send?.(told satisfies Told);
  told = nothingYet();
}
// Timers of a finished run keep nothing alive, but a channel to the parent does.
process.disconnect?.();
