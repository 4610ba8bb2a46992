/** Latency of the answers in one window, milliseconds. */
export interface Latency {
  /** The 10th percentile: leaves out answers that were fast by accident. */
  readonly lowMs: number;
  /** The same for the later half: queueing at the network shows there first. */
  readonly lateLowMs: number;
  readonly medianMs: number;
}

/** `samples`: in order of arrival; at least one. */
export function latencyOf(samples: readonly number[]): Latency {
  const all = sorted(samples);
  const late = sorted(samples.slice(Math.floor(samples.length / 2)));
  return { lowMs: quantile(all, 0.1), lateLowMs: quantile(late, 0.1), medianMs: quantile(all, 0.5) };
}

const sorted = (samples: readonly number[]): number[] => [...samples].sort((one, other) => one - other);

const quantile = (ascending: readonly number[], share: number): number =>
  ascending[Math.floor(ascending.length * share)] ?? 0;
