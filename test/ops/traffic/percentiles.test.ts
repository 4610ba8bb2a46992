/** Percentiles from counts by bucket are close to the exact ones, whatever the times are. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  BUCKETS,
  latencyBucket,
  NO_TRAFFIC,
  percentileOf,
  plusTraffic,
  type TrafficSums,
} from '../../../src/domain/traffic.js';

const sumsOf = (times: readonly number[]): TrafficSums =>
  times
    .map((ms) => ({
      ...{ ...NO_TRAFFIC, requests: 1 },
      buckets: Array.from({ length: BUCKETS }, (_, bucket) => (bucket === latencyBucket(ms) ? 1 : 0)),
    }))
    .reduce<TrafficSums>(plusTraffic, NO_TRAFFIC);

const times = fc.array(fc.double({ min: 0.01, max: 29_999, noNaN: true }), { minLength: 1, maxLength: 200 });

it('is at most two thirds above or below the exact percentile, beyond the first millisecond', () => {
  fc.assert(
    fc.property(times, fc.constantFrom(0.5, 0.9, 0.99), (all, share) => {
      const sorted = [...all].sort((one, other) => one - other);
      const exact = Math.max(1, sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
      const estimated = Math.max(1, percentileOf(sumsOf(all).buckets, share) ?? 0);
      expect(Math.max(estimated / exact, exact / estimated)).toBeLessThanOrEqual(5 / 3 + 1e-9);
    }),
  );
});

it('never has a p50 above p99, and is independent of the order of sums', () => {
  fc.assert(
    fc.property(times, times, (one, other) => {
      const both = plusTraffic(sumsOf(one), sumsOf(other));
      expect(both).toEqual(sumsOf([...other, ...one]));
      expect(both.requests).toBe(one.length + other.length);
      expect(percentileOf(both.buckets, 0.5) ?? 0).toBeLessThanOrEqual(percentileOf(both.buckets, 0.99) ?? 0);
    }),
  );
});

it('returns null without requests, and the last bound for anything slower', () => {
  expect(percentileOf(NO_TRAFFIC.buckets, 0.5)).toBeNull();
  expect(percentileOf(sumsOf([60_000, 90_000]).buckets, 0.5)).toBe(30_000);
});
