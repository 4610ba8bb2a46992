import { type Costs, type Line, ratioOf, spread } from '../figures.js';
import type { Load } from '../load/load.js';
import type { Generator } from '../processes/fork.js';
import { cpuSeconds, familyCpuSeconds } from '../processes/usage.js';

/** What a round of answers took, and what it cost. */
export interface Round {
  readonly answers: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time per answer in microseconds: of the server's process, and of Postgres. */
  readonly cpu: number;
  readonly postgres: number;
  readonly generatorBusy: number;
}

/** The processes that a round is counted against. */
export interface Processes {
  readonly server: number;
  readonly postmaster: number;
}

/** Runs a round and counts the processor time that it took. */
export async function counted(
  { server, postmaster }: Processes,
  run: () => Promise<Omit<Round, 'cpu' | 'postgres'>>,
): Promise<Round> {
  const look = () => Promise.all([cpuSeconds(server), familyCpuSeconds(postmaster)]);
  const [cpu, postgres] = await look();
  const result = await run();
  const [cpuAfter, postgresAfter] = await look();
  const perAnswer = (seconds: number): number => (seconds * 1e6) / result.answers;
  return { ...result, cpu: perAnswer(cpuAfter - cpu), postgres: perAnswer(postgresAfter - postgres) };
}

/** A process uses three times as much for its first answers, until its code is compiled. */
const FIRST_ANSWERS = 15_000;

/** Asks the service for a cached read until it is past its first answers. */
export async function warmUp(generator: Generator, load: Omit<Load, 'connections' | 'seconds'>): Promise<void> {
  for (let answers = 0; answers < FIRST_ANSWERS; )
    answers += (await generator.run({ ...load, connections: 32, seconds: 1 })).answers;
}

/** Rates by name, ours first; each of the others with our ratio to it. */
export function linesOf(
  figures: ReadonlyMap<string, readonly Round[]>,
  goalOf: (name: string) => string | undefined,
): Line[] {
  const [ours = []] = figures.values();
  const rates = (rounds: readonly Round[]): number[] => rounds.map(({ perSecond }) => perSecond);
  return [...figures].map(([name, rounds]): Line => {
    const ratio = rounds === ours ? undefined : ratioOf(rates(ours), rates(rounds), 'Perch to it');
    const goal = goalOf(name);
    return {
      name,
      unit: 'answers/s',
      value: spread(rates(rounds)),
      costs: costsOf(rounds),
      ...(ratio && { ratio }),
      ...(goal !== undefined && { goal }),
    };
  });
}

export const costsOf = (rounds: readonly Round[]): Costs => ({
  cpu: spread(rounds.map(({ cpu }) => cpu)),
  postgres: spread(rounds.map(({ postgres }) => postgres)),
  p99Ms: spread(rounds.map(({ p99Ms }) => p99Ms)),
  generator: spread(rounds.map(({ generatorBusy }) => generatorBusy)),
});
