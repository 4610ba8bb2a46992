import { percentile } from '../figures.js';

/** The rate at which callers in this process were answered, and the p99 of their waiting time. */
export interface CallersResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs callers for that many seconds. Each calls again as soon as its previous call has ended. */
export async function keepCalling(
  callers: number,
  seconds: number,
  call: (turn: number) => Promise<unknown>,
): Promise<CallersResult> {
  const tookMs: number[] = [];
  const begin = performance.now();
  const until = begin + seconds * 1000;
  let turn = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let sentAt = begin; sentAt < until; sentAt = performance.now()) {
        await call(turn++);
        tookMs.push(performance.now() - sentAt);
      }
    }),
  );
  const perSecond = tookMs.length / ((performance.now() - begin) / 1000);
  const sorted = Float64Array.from(tookMs).sort();
  return { answers: sorted.length, perSecond, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}
