import { askAgain } from './connection.js';
import type { Load, LoadResult } from './load.js';
import { requestsOf } from './requests.js';

const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Asks for `seconds` and then lets every request that is on its way be answered. */
export async function generate(load: Load): Promise<LoadResult> {
  const nextRequest = requestsOf(load);
  const tookMs: number[] = [];
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const until = begin + load.seconds * 1000;
  const goesOn = (ms: number): boolean => {
    tookMs.push(ms);
    return performance.now() < until;
  };
  await Promise.all(Array.from({ length: load.connections }, () => askAgain(load.url, nextRequest, goesOn)));
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
