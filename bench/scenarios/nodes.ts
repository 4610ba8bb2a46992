import { join } from 'node:path';
import { type EmbeddedServer, openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { alternate, type Line, median, ratioOf, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import { type Service, startPerch } from '../processes/perch.js';
import { hasRedis, type RedisServer, startRedis } from '../processes/redis.js';
import type { Furnished, Workbench } from '../workbench.js';
import { ledgerCeiling, limiterCeiling } from './ceilings.js';
import { type CostMeter, type Costs, openCostMeter } from './costs.js';
import { costOfEachRead } from './each-read.js';
import { READS, type Read } from './reads.js';
import { warmUp } from './rounds.js';
import { sendRequest } from './send-request.js';

/** One way to run the service. */
interface Setup {
  readonly name: string;
  readonly workers: number;
  readonly withRedis: boolean;
}

const SETUPS: readonly Setup[] = [
  { name: 'one process, in-process stores', workers: 1, withRedis: false },
  { name: 'one process, Redis', workers: 1, withRedis: true },
  { name: 'WORKERS=2, Redis', workers: 2, withRedis: true },
];

/** Runs before each read is measured. */
const WARM_SECONDS = 2;

interface Running extends Setup {
  readonly perch: Service;
  readonly redis: RedisServer | null;
}

interface Round extends Costs {
  readonly answers: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** I: the same cached reads under each way to run nodes, and what every read leaves in Redis and Postgres. */
export async function manyNodes(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('I')) return [];
  if (!hasRedis()) {
    bench.say('I  left out: there is no redis-server on the PATH');
    return [];
  }
  const home = await bench.small();
  // We start Postgres first, so that it is not a child of a service whose CPU time is measured.
  const server = await openEmbeddedPostgres({ home: home.folder });
  const running: Running[] = [];
  try {
    for (const setup of SETUPS) running.push(await run(bench, home, setup));
    return await measure(bench, home, server, running);
  } finally {
    for (const { perch, redis } of running) {
      await perch.stop();
      await redis?.stop();
    }
    await server.stop();
  }
}

async function run(bench: Workbench, home: Furnished, setup: Setup): Promise<Running> {
  const redis = setup.withRedis ? await startRedis(join(bench.folder, `redis-${setup.workers}`)) : null;
  const env = { ...home.env, WORKERS: String(setup.workers), ...(redis && { REDIS_URL: redis.url }) };
  const firstRead = { path: READS[0]?.path ?? '/', key: home.key };
  return { ...setup, redis, perch: await startPerch({ ...home, env }, firstRead) };
}

async function measure(bench: Workbench, home: Furnished, server: EmbeddedServer, running: readonly Running[]) {
  const meter = await openCostMeter(home, server);
  try {
    for (const { name, workers, perch } of running) {
      bench.say(`I  warming up: ${name}`);
      const load = { url: perch.url + READS[0]?.path, headers: { 'x-api-key': home.key } };
      await warmUp(bench.generator, load, workers);
    }
    const sections: Section[] = [];
    for (const read of READS) sections.push(await compare(bench, home, meter, running, read));
    const shared = running.find(({ workers, withRedis }) => workers === 1 && withRedis);
    if (shared?.redis)
      sections.push(await costOfEachRead(bench, home, meter, { perch: shared.perch, redis: shared.redis }));
    sections.push(await limiterCeiling(bench), await ledgerCeiling(bench, home, server));
    return sections;
  } finally {
    await meter.close();
  }
}

async function compare(
  bench: Workbench,
  home: Furnished,
  meter: CostMeter,
  running: readonly Running[],
  read: Read,
): Promise<Section> {
  const { rounds, seconds, connections } = bench.options;
  const roundOf = async ({ perch, redis }: Running, length: number): Promise<Round> => {
    const load = { url: perch.url + read.path, headers: { 'x-api-key': home.key }, connections, seconds: length };
    const { result, costs } = await meter.of({ pid: perch.pid, redis }, () =>
      bench.generator.run({ ...load, ...(read.body !== undefined && { body: read.body }) }),
    );
    return { ...costs, ...result };
  };
  for (const one of running) await roundOf(one, WARM_SECONDS);
  const body = read.body === undefined ? {} : { body: read.body };
  const { text } = await sendRequest((running[0]?.perch.url ?? '') + read.path, { key: home.key, ...body });
  const figures = await alternate(
    running.map((one) => ({ name: one.name, round: () => roundOf(one, seconds) })),
    rounds,
    (text) => bench.say(`I  ${read.letter}, ${text}`),
  );
  const title = `${SCENARIOS.I.split(' (')[0]}: ${SCENARIOS[read.letter]} (${(text.length / 1024).toFixed(1)} KB)`;
  return { letter: 'I', title, lines: linesOf(figures), notes: [...notesOf(figures), `${connections} connections`] };
}

function linesOf(figures: ReadonlyMap<string, readonly Round[]>): Line[] {
  const rates = [...figures].map(([name, rounds]) => ({ name, values: rounds.map(({ perSecond }) => perSecond) }));
  const [alone] = rates;
  return rates.map(({ name, values }): Line => {
    const ratio = alone && alone.name !== name ? ratioOf(values, alone.values, 'to in-process stores') : undefined;
    return { name, unit: 'answers/s', value: spread(values), ...(ratio && { ratio }) };
  });
}

/** What each answer cost in each process. */
function notesOf(figures: ReadonlyMap<string, readonly Round[]>): string[] {
  const each = (what: string, digits: number, of: (round: Round) => number, only: 'all' | 'redis' = 'all'): string => {
    const selected = [...figures].filter(([, rounds]) => only === 'all' || (rounds[0]?.redisBytesIn ?? 0) > 0);
    return `${what}: ${selected.map(([name, rounds]) => `${name} ${median(rounds.map(of)).toFixed(digits)}`).join('; ')}`;
  };
  const micros = (seconds: keyof Costs) => (round: Round) => (Number(round[seconds]) * 1e6) / round.answers;
  return [
    each('processor time of Perch per answer, µs', 0, micros('perchCpu')),
    each('of Postgres, µs', 0, micros('postgresCpu')),
    each('of Redis, µs', 1, micros('redisCpu'), 'redis'),
    each('bytes to Redis per answer', 0, ({ redisBytesIn, answers }) => redisBytesIn / answers, 'redis'),
    each('bytes from Redis per answer', 0, ({ redisBytesOut, answers }) => redisBytesOut / answers, 'redis'),
    ...callNotes(figures),
    each('bytes of WAL per answer', 0, ({ walBytes, answers }) => walBytes / answers),
    each('ledger rows per answer', 3, ({ entries, answers }) => entries / answers),
    each('debits per commit', 1, ({ entries, commits }) => entries / commits),
    each('ledger commits per second', 0, ({ commits, answers, perSecond }) => (commits * perSecond) / answers),
    each('p99, ms', 1, ({ p99Ms }) => p99Ms),
  ];
}

const callNotes = (figures: ReadonlyMap<string, readonly Round[]>): string[] =>
  [...figures].flatMap(([name, rounds]) => {
    const answers = rounds.reduce((sum, round) => sum + round.answers, 0);
    const names = [...new Set(rounds.flatMap(({ redisCalls }) => Object.keys(redisCalls)))].sort();
    const perAnswer = names.map((call) => {
      const calls = rounds.reduce((sum, { redisCalls }) => sum + (redisCalls[call] ?? 0), 0);
      return `${call} ${(calls / answers).toFixed(3)}`;
    });
    return perAnswer.length === 0
      ? []
      : [`calls of Redis per answer, those inside of scripts included: ${name}: ${perAnswer.join(', ')}`];
  });
