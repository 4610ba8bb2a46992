/** Medians, and the spread of the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One line of a section: what was measured, and the ratio to what it is compared with, if anything. */
export interface Line {
  readonly name: string;
  readonly unit: string;
  readonly value: Spread;
  readonly costs?: Costs;
  /** `median` is the ratio of the medians. `min` and `max` are ratios of single rounds, which show the noise. */
  readonly ratio?: Spread & { readonly of: string };
  /** The same ratio for p99. */
  readonly p99Ratio?: Spread;
  /** The project's design target. For orientation; it is never a condition for passing. */
  readonly goal?: string;
}

/** CPU time per answer in microseconds, and other costs that the rate does not show. */
export interface Costs {
  /** Of the server's process only. */
  readonly cpu: Spread;
  readonly postgres: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** The share of one core that the load generator used. */
  readonly generator: Spread;
}

export interface Section {
  readonly letter: string;
  readonly title: string;
  readonly lines: readonly Line[];
  readonly notes: readonly string[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export const spread = (values: readonly number[]): Spread => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
});

/** The value below which this share of the sorted values lies. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Our figure over theirs, in total and round by round for the noise. */
export function ratioOf(ours: readonly number[], theirs: readonly number[], of: string): NonNullable<Line['ratio']> {
  const single = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return { ...spread(single), median: median(ours) / median(theirs), of };
}

/** One measurement that is repeated in rounds. */
export interface Contestant<Figure> {
  readonly name: string;
  readonly round: () => Promise<Figure>;
}

/** Runs the rounds in turn, A B C A B C, so that other load affects all of them. Returns figures by name. */
export async function alternate<Figure>(
  contestants: readonly Contestant<Figure>[],
  rounds: number,
  onRound: (text: string) => void = () => {},
): Promise<Map<string, Figure[]>> {
  const figures = new Map(contestants.map(({ name }) => [name, [] as Figure[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, round: run } of contestants) {
      onRound(`round ${round} of ${rounds}: ${name}`);
      figures.get(name)?.push(await run());
    }
  }
  return figures;
}
