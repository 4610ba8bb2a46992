import { type Costs, type Line, ratioOf, spread } from '../figures.js';
import type { Load } from '../load/load.js';
import type { Generator } from '../processes/fork.js';
import { cpuSeconds, familyCpuSeconds } from '../processes/usage.js';

/** The time and the cost of a round of answers. */
export interface Round {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time per answer in microseconds: of the server's process, and of Postgres. */
  readonly cpu: number;
  readonly postgres: number;
  readonly generatorBusy: number;
}

/** The processes whose CPU time is counted for a round. */
export interface Processes {
  readonly server: number;
  readonly postmaster: number;
}

/** Runs a round and counts its CPU time. */
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

/** First answers of a process, which cost several times as much until its code is compiled and its memory has grown. */
const FIRST_ANSWERS = 50_000;

/** The time in which a server should give that many answers. */
export const AT_MOST_SECONDS = 600;

/** Sends requests until a server, or each of its workers, is past its first answers. */
export async function warmUp(
  generator: Generator,
  load: Omit<Load, 'connections' | 'seconds'>,
  workers = 1,
): Promise<void> {
  await generator.run({ ...load, connections: 32, seconds: AT_MOST_SECONDS, answers: FIRST_ANSWERS * workers });
}

/** Rates by name, ours first. Each other one has our ratio to it. */
export function linesOf(
  figures: ReadonlyMap<string, readonly Round[]>,
  goalOf: (name: string) => string | undefined,
): Line[] {
  const [ours = []] = figures.values();
  const ratio = (rounds: readonly Round[], of: (round: Round) => number) =>
    ratioOf(ours.map(of), rounds.map(of), 'Perch to it');
  return [...figures].map(([name, rounds]): Line => {
    const goal = goalOf(name);
    return {
      name,
      unit: 'answers/s',
      value: spread(rounds.map(({ perSecond }) => perSecond)),
      costs: costsOf(rounds),
      ...(rounds !== ours && {
        ratio: ratio(rounds, ({ perSecond }) => perSecond),
        p99Ratio: ratio(rounds, ({ p99Ms }) => p99Ms),
      }),
      ...(goal !== undefined && { goal }),
    };
  });
}

export const costsOf = (rounds: readonly Round[]): Costs => ({
  cpu: spread(rounds.map(({ cpu }) => cpu)),
  postgres: spread(rounds.map(({ postgres }) => postgres)),
  p50Ms: spread(rounds.map(({ p50Ms }) => p50Ms)),
  p99Ms: spread(rounds.map(({ p99Ms }) => p99Ms)),
  generator: spread(rounds.map(({ generatorBusy }) => generatorBusy)),
});
