/** How a request came in. `test`: with a test key, through any interface. `site`: anything that is not a read. */
export const INTERFACES = ['rest', 'graphql', 'mcp', 'site', 'test'] as const;
export type TrafficInterface = (typeof INTERFACES)[number];

/** As people read them. */
export const INTERFACE_NAMES: Readonly<Record<TrafficInterface, string>> = {
  rest: 'REST',
  graphql: 'GraphQL',
  mcp: 'MCP',
  site: 'pages',
  test: 'test keys',
};

/** Upper bounds in milliseconds, each about half as much again as the last. Longer times go into one more bucket. */
const BOUNDS_MS = [
  ...[1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700],
  ...[1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000],
];

/** Buckets of a histogram of times. */
export const BUCKETS = BOUNDS_MS.length + 1;

export function latencyBucket(ms: number): number {
  const bucket = BOUNDS_MS.findIndex((bound) => ms <= bound);
  return bucket === -1 ? BOUNDS_MS.length : bucket;
}

/**
 * The time in milliseconds within which this share of requests ended, interpolated within its bucket; null without
 * requests. Beyond the last bound, it returns that bound.
 */
export function percentileOf(buckets: readonly number[], share: number): number | null {
  const count = buckets.reduce((sum, each) => sum + each, 0);
  if (count === 0) return null;
  let left = share * count;
  for (const [bucket, within] of buckets.entries()) {
    if (within > 0 && left <= within) {
      const from = BOUNDS_MS[bucket - 1] ?? 0;
      return from + (left / within) * ((BOUNDS_MS[bucket] ?? from) - from);
    }
    left -= within;
  }
  return BOUNDS_MS.at(-1) ?? null;
}

/** The status of a request whose caller left before the answer was sent. */
export const LEFT = 0;

/** Sums over requests of one kind. */
export interface TrafficSums {
  readonly requests: number;
  /** Answered with a status of 400 or more, or refused with an error code. Callers who left are not counted. */
  readonly refused: number;
  readonly items: number;
  readonly cacheHits: number;
  /** How many requests fell into each bucket. */
  readonly buckets: readonly number[];
}

export const NO_TRAFFIC: TrafficSums = {
  requests: 0,
  refused: 0,
  items: 0,
  cacheHits: 0,
  buckets: Array.from({ length: BUCKETS }, () => 0),
};

export const plusTraffic = (one: TrafficSums, other: TrafficSums): TrafficSums => ({
  requests: one.requests + other.requests,
  refused: one.refused + other.refused,
  items: one.items + other.items,
  cacheHits: one.cacheHits + other.cacheHits,
  buckets: one.buckets.map((count, bucket) => count + (other.buckets[bucket] ?? 0)),
});

/** Like `percentileOf`, rounded to a sensible precision: `0.7`, `12`; null without requests. */
export function percentileMs({ buckets }: Pick<TrafficSums, 'buckets'>, share: number): number | null {
  const ms = percentileOf(buckets, share);
  if (ms === null) return null;
  return ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms);
}
