import { askAgain, requestBytes } from './connection.js';
import type { Load, LoadResult } from './load.js';

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Asks for `seconds` and then lets every request that is on its way be answered. */
async function run(load: Load): Promise<LoadResult> {
  const request = requestBytes(load);
  const tookMs: number[] = [];
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const until = begin + load.seconds * 1000;
  const goesOn = (ms: number): boolean => {
    tookMs.push(ms);
    return performance.now() < until;
  };
  await Promise.all(Array.from({ length: load.connections }, () => askAgain(load, request, goesOn)));
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(tookMs).sort();
  return {
    answers: tookMs.length,
    perSecond: tookMs.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    generatorBusy: (user + system) / 1e6 / seconds,
  };
}

/** A process of its own: takes loads from its parent and answers each with its result, or with what went wrong. */
export function generate(): void {
  process.on('message', (load: Load) => {
    run(load).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
