import { percentile } from '../figures.js';

/** How often callers in this process were answered, and how long the slowest hundredth of them waited at least. */
export interface CallersResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** So many callers for so many seconds, each of which calls again as soon as its call before has ended. */
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
