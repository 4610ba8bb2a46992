import { percentile } from '../figures.js';
import { keepRequesting } from './connection.js';
import type { Load, LoadResult } from './load.js';
import { requestsOf } from './requests.js';

/** Sends requests for `seconds`, or a number of them, then waits for the answers to all that are in progress. */
export async function generate(load: Load): Promise<LoadResult> {
  const nextRequest = requestsOf(load);
  const tookMs: number[] = [];
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const until = begin + load.seconds * 1000;
  const { connections, answers = Number.POSITIVE_INFINITY } = load;
  let sent = connections;
  const goesOn = (ms: number): boolean => {
    tookMs.push(ms);
    if (sent >= answers || performance.now() >= until) return false;
    sent += 1;
    return true;
  };
  await Promise.all(Array.from({ length: connections }, () => keepRequesting(load.url, nextRequest, goesOn)));
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
