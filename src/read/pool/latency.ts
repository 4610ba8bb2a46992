/** What answers of one window took, milliseconds. */
export interface Latency {
  /** The fastest but for a tenth: an answer that was fast by accident says nothing. */
  readonly lowMs: number;
  /** The same of the later half: what waits at the network shows there first. */
  readonly lateLowMs: number;
  readonly medianMs: number;
}

/** In the order they came; at least one. */
export function latencyOf(samples: readonly number[]): Latency {
  const all = sorted(samples);
  const late = sorted(samples.slice(Math.floor(samples.length / 2)));
  return { lowMs: quantile(all, 0.1), lateLowMs: quantile(late, 0.1), medianMs: quantile(all, 0.5) };
}

const sorted = (samples: readonly number[]): number[] => [...samples].sort((one, other) => one - other);

const quantile = (ascending: readonly number[], share: number): number =>
  ascending[Math.floor(ascending.length * share)] ?? 0;
