import { setTimeout as sleep } from 'node:timers/promises';
import { type Line, median, percentile, ratioOf, type Section, spread } from '../figures.js';
import { type Lines, openLines, sendAllAtOnce, sendAtRate, sendSteadily } from '../load/paced.js';
import { requestsOf } from '../load/requests.js';
import { SCENARIOS } from '../options.js';
import { startPerch } from '../processes/perch.js';
import { watchMemory } from '../processes/usage.js';
import { CUSTOMERS, type Workbench } from '../workbench.js';
import { READS } from './reads.js';

/** Longer than a node remembers anything about an account. */
const PAUSE_MS = 4_000;
const WARM_SECONDS = 2;
/** How many rounds long the load at half of the highest rate is: enough answers for a meaningful p99. */
const PACED_ROUNDS_OF = 3;

interface Percentiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Round {
  /** Answer times of all customers at once, while the service knows them, and after a pause. */
  readonly known: Percentiles;
  readonly paused: Percentiles;
  readonly perSecond: number;
  readonly half: Percentiles;
}

/** J: many customers with a key and a wallet each: the tail latency, and the wait of customers after a pause. */
export async function steadyService(bench: Workbench): Promise<Section[]> {
  const { options, say } = bench;
  if (!options.letters.includes('J')) return [];
  const home = await bench.small();
  const path = READS[0]?.path ?? '/';
  const perch = await startPerch(home, { path, key: home.key });
  const memory = watchMemory(perch.pid);
  try {
    const keys = await home.customers();
    const next = requestsOf({ url: perch.url + path, keys });
    const [crowd, busy] = await Promise.all([
      openLines(perch.url, CUSTOMERS),
      openLines(perch.url, options.connections),
    ]);
    try {
      await sendSteadily(busy, WARM_SECONDS, next);
      const rounds: Round[] = [];
      for (let round = 1; round <= options.rounds; round += 1) {
        say(`J  round ${round} of ${options.rounds}`);
        rounds.push(await roundOf({ next, crowd, busy }, options.seconds));
      }
      return [sectionOf(rounds, memory.stop(), options.connections)];
    } finally {
      crowd.close();
      busy.close();
    }
  } finally {
    memory.stop();
    await perch.stop();
  }
}

interface Arena {
  /** The request of each customer in turn. */
  readonly next: () => string;
  /** One connection per customer, and those of the load. */
  readonly crowd: Lines;
  readonly busy: Lines;
}

async function roundOf({ next, crowd, busy }: Arena, seconds: number): Promise<Round> {
  const all = () => sendAllAtOnce(crowd, next);
  const { perSecond } = await sendSteadily(busy, seconds, next);
  const half = await sendAtRate(crowd, { perSecond: perSecond / 2, seconds: seconds * PACED_ROUNDS_OF }, next);
  await all();
  const known = await all();
  await sleep(PAUSE_MS);
  const paused = await all();
  return { perSecond, half: percentilesOf(half), known: percentilesOf(known), paused: percentilesOf(paused) };
}

function percentilesOf(tookMs: readonly number[]): Percentiles {
  const sorted = tookMs.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: percentile(sorted, 1) };
}

function sectionOf(rounds: readonly Round[], memoryMb: readonly number[], connections: number): Section {
  const each = (of: (round: Round) => number): number[] => rounds.map(of);
  const line = (name: string, of: (round: Round) => number): Line => ({ name, unit: 'ms', value: spread(each(of)) });
  const ratio = (to: string, ours: (round: Round) => number, theirs: (round: Round) => number) => {
    const found = ratioOf(each(ours), each(theirs), to);
    return found && { ratio: found };
  };
  const tail = ratio(
    'p99 to p50',
    ({ half }) => half.p99,
    ({ half }) => half.p50,
  );
  const herd = ratio(
    'to those known',
    ({ paused }) => paused.p99,
    ({ known }) => known.p99,
  );
  return {
    letter: 'J',
    title: `${SCENARIOS.J}: ${CUSTOMERS} customers, a cached profile each`,
    lines: [
      { name: `highest rate, ${connections} connections`, unit: 'answers/s', value: spread(each((r) => r.perSecond)) },
      line('at half of it, arriving at random: p50', ({ half }) => half.p50),
      { ...line('p99', ({ half }) => half.p99), ...tail, goal: '< 5' },
      line('longest', ({ half }) => half.max),
      line('all customers at once, known: p50', ({ known }) => known.p50),
      line('p99', ({ known }) => known.p99),
      line(`all at once after ${PAUSE_MS / 1000} s of silence: p50`, ({ paused }) => paused.p50),
      { ...line('p99', ({ paused }) => paused.p99), ...herd, goal: '≤ 1.5' },
      line('longest', ({ paused }) => paused.max),
      { name: 'peak of resident memory', unit: 'MB', value: spread([Math.max(...memoryMb)]), goal: '< 300' },
    ],
    notes: [
      `resident memory in the middle of the time: ${median(memoryMb).toFixed(0)} MB, without Postgres`,
      'waits for a free connection count; the pace is that of the same round',
    ],
  };
}
