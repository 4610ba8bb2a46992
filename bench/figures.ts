/** Medians and how far the rounds lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One line of a section: what was measured, and where there is one to compare with, the ratio to it. */
export interface Line {
  readonly name: string;
  readonly unit: string;
  readonly value: Spread;
  readonly costs?: Costs;
  /** `median` is the ratio of the medians; `min` and `max` are those of single rounds: how much noise there was. */
  readonly ratio?: Spread & { readonly of: string };
  /** The same of the slowest hundredth. */
  readonly p99Ratio?: Spread;
  /** From the project's figures to design for; for reading, never for passing. */
  readonly goal?: string;
}

/** Processor time per answer, in microseconds, and what else the rate does not tell. */
export interface Costs {
  /** The server's process alone. */
  readonly cpu: Spread;
  readonly postgres: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** The share of one core that the load generator took. */
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

/** Of values in order, from the smallest: the one below which this share of them lies. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Ours over theirs; round by round for the noise. */
export function ratioOf(ours: readonly number[], theirs: readonly number[], of: string): NonNullable<Line['ratio']> {
  const single = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return { ...spread(single), median: median(ours) / median(theirs), of };
}

/** A thing to measure, round by round. */
export interface Contestant<Figure> {
  readonly name: string;
  readonly round: () => Promise<Figure>;
}

/** Rounds in turn, A B C A B C, so that whatever else the machine does falls on all of them. One figure per round, by name. */
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
