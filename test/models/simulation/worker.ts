/**
 * Runs seeds in a process of its own: `worker.mjs FROM COUNT STEP`. Reports each failing seed, and all seeds at the
 * end.
 */
import { simulate } from './parts/run.js';

/** Sends one message for this many seeds, or as soon as one has failed. */
const AT_ONCE = 50;

/** What a worker reports. */
export interface Report {
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

async function runOne(seed: number, report: ReturnType<typeof nothingYet>): Promise<void> {
  report.seeds += 1;
  try {
    const run = await simulate(seed);
    report.events += run.events;
    report.calls += run.calls;
    report.answered += run.answered;
    report.orders.push(run.order);
    if (run.violations.length > 0) report.failed.push({ seed, violations: run.violations });
  } catch (error) {
    report.failed.push({ seed, violations: [error instanceof Error ? (error.stack ?? error.message) : String(error)] });
  }
}

let report = nothingYet();
for (let seed = from; seed < from + count; seed += step) {
  await runOne(seed, report);
  if (report.seeds < AT_ONCE && report.failed.length === 0 && seed + step < from + count) continue;
  process.send?.(report satisfies Report);
  report = nothingYet();
}
// Timers of a finished run keep nothing alive, but a channel to the parent does.
process.disconnect?.();
