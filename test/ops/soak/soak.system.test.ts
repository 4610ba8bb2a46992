/**
 * Two nodes, Redis and Postgres under mixed load, with an upstream that fails one call in twenty. One node is killed
 * repeatedly; the other must not grow. `npm run soak` runs it for a given time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { Chance } from '../../../demo/random.js';
import { type Books, openBooks } from '../../cluster/faults/books.js';
import { type Fleet, openFleet } from '../../cluster/nodes/nodes.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { ACCOUNT, type BlueskyStandIn, openStandIn } from '../../networks/bluesky/stand-in.js';
import { fanOf, MANY, noteOf } from '../../networks/contract/world.js';
import { descriptorsOf, Reports, type Sample, trendOf, weighedIn } from './inside.js';

const SECONDS = Number(process.env.SOAK_SECONDS ?? 30);
/** After this time the caches are full, so memory must be flat. Shorter runs do not check it. */
const LONG_SECONDS = 300;
const KILL_EVERY_S = Math.min(60, SECONDS / 3);
const SLOW_MS = (SECONDS + 180) * 1000;
const CREDITS = 10_000_000;
const WIDTH = 16;
/** The node that runs throughout, and the one that is killed. */
const [KEPT, VICTIM] = [0, 1];
const MB = 2 ** 20;

const SETTINGS = {
  PERCH_NETWORK: 'bluesky',
  BLUESKY_IDENTIFIER: ACCOUNT.identifier,
  BLUESKY_APP_PASSWORD: ACCOUNT.appPassword,
  PERCH_PACE_FAST: '400',
  PERCH_PACE_SLOW: '400',
  PERCH_CACHE_MB: '4',
  // Short, so that pages are read, cached, hit and read again during the whole run.
  PERCH_TTL_PROFILE_S: '5',
  PERCH_TTL_TWEET_S: '5',
  PERCH_TTL_FIRST_PAGE_S: '3',
  PERCH_TTL_DEEPER_PAGE_S: '6',
  PERCH_TTL_FOLLOWERS_S: '6',
  PERCH_TTL_ABSENT_S: '2',
};

describeOnRedis(`${SECONDS} seconds of mixed load`, (redis) => {
  const reports = new Reports();
  const chance = new Chance(Number(process.env.SOAK_SEED ?? 1));
  let upstream: BlueskyStandIn;
  let fleet: Fleet;
  let books: Books;
  let metricsPort: number;

  beforeAll(async () => {
    upstream = await openStandIn();
    upstream.load.fails = () => chance.happens(0.05);
    const { baseUrl } = upstream;
    metricsPort = await freePort('127.0.0.1');
    fleet = await openFleet({
      nodes: 2,
      redisUrl: redis().urls[0] ?? '',
      env: { ...SETTINGS, BLUESKY_BASE_URL: baseUrl, BLUESKY_SERVICE_URL: baseUrl, BLUESKY_DIRECTORY_URL: baseUrl },
      envOf: (index) => (index === KEPT ? { ...reports.envOf(index), PERCH_METRICS_PORT: String(metricsPort) } : {}),
    });
  }, 180_000);
  afterAll(async () => {
    await books?.stop();
    await fleet?.close();
    await upstream?.close();
    reports.close();
  });

  /** A random read, one in ten of them fresh. */
  function address(n: number): string {
    const person = upstream.handle(chance.happens(0.3) ? 'harbor' : fanOf(chance.int(MANY)));
    const path = chance.pick([
      `/v1/users/${person}`,
      `/v1/users/${person}/tweets?count=${1 + chance.int(60)}`,
      `/v1/users/${person}/followers?count=${1 + chance.int(120)}`,
      `/v1/tweets/${upstream.tweetId(noteOf(chance.int(MANY)))}`,
      `/v1/users/batch?handles=${Array.from({ length: 3 }, () => upstream.handle(fanOf(chance.int(MANY)))).join()}`,
      `/v1/users/${upstream.nobody.handle}`,
      '/v1/me',
    ]);
    const fresh = chance.happens(0.1) && path.startsWith('/v1/') ? `${path.includes('?') ? '&' : '?'}fresh=true` : '';
    return `${fleet.nodes[n % fleet.nodes.length]?.url}${path}${path === '/v1/me' ? '' : fresh}`;
  }

  const keptPid = (): number => fleet.nodes[KEPT]?.started.process.pid ?? 0;

  async function killAgainAndAgain(untilMs: number): Promise<number> {
    let kills = 0;
    while (performance.now() + KILL_EVERY_S * 1000 < untilMs) {
      await sleep(KILL_EVERY_S * 1000);
      fleet.nodes[VICTIM]?.started.process.kill('SIGKILL');
      kills += 1;
      await sleep(500);
      await fleet.restart(VICTIM);
      say(`${Math.round((untilMs - performance.now()) / 1000)} s to go: ${books.answers()} answers, ${kills} kills`);
    }
    return kills;
  }

  /** Megabytes of the surviving node beyond its bounded memories, by minutes. */
  const unaccounted = (samples: readonly Sample[], weighed: readonly { atMs: number; bytes: number }[]) =>
    samples.flatMap(({ atMs, bytes }) => {
      const last = weighed.findLast((one) => one.atMs <= atMs);
      return last ? [[atMs / 60_000, (bytes - last.bytes) / MB] as const] : [];
    });

  it('keeps exact books, flat memory and its speed, and leaks no descriptor or timer', {
    timeout: SLOW_MS,
  }, async () => {
    const account = await fleet.account({ credits: CREDITS, qps: 100_000 });
    books = openBooks();
    books.load(WIDTH, address, account.key);
    const endsAt = performance.now() + SECONDS * 1000;
    await sleep((SECONDS * 1000) / 5);
    const descriptors = descriptorsOf(keptPid());
    const weighed: { atMs: number; bytes: number }[] = [];
    const weigh = async (): Promise<void> => void weighed.push(await weighedIn(metricsPort));
    // A connection that is closed just when it is reused costs one sample.
    const weighing = setInterval(() => void weigh().catch(() => {}), 2000);
    const kills = await killAgainAndAgain(endsAt);
    await sleep(Math.max(0, endsAt - performance.now()));
    const descriptorsAtEnd = descriptorsOf(keptPid());
    clearInterval(weighing);
    expect(weighed.length).toBeGreaterThan(SECONDS / 10);
    await books.stop();

    const statuses = books.statuses();
    const samples = reports.samplesOf(KEPT).slice(2);
    const [early, late] = [books.slowest(0.2, 0.6), books.slowest(0.6, 1)];
    const settled = unaccounted(samples.slice(Math.floor(samples.length / 3)), weighed);
    const trend = trendOf(settled);
    const summary = {
      answers: books.answers(),
      statuses,
      kills,
      descriptors,
      descriptorsAtEnd,
      p99: [early, late],
      trend,
    };
    onTestFailed(() => say(JSON.stringify({ ...summary, settled, broken: books.broken() })));
    say(JSON.stringify(summary));

    expect(kills).toBeGreaterThan(0);
    expect(Object.keys(statuses).filter((status) => !['200', '404', '502', '503', '504'].includes(status))).toEqual([]);
    expect(statuses[200]).toBeGreaterThan(0.9 * (books.answers() - (statuses[404] ?? 0)));
    await books.compare(fleet.database.sql, { ...account, credits: CREDITS });
    expect((await createLedger(fleet.database.sql).check()).faults).toEqual([]);

    expect(descriptorsAtEnd).toBeLessThanOrEqual(descriptors + WIDTH);
    const timers = samples.map((sample) => sample.timers);
    expect(timers.at(-1)).toBeLessThanOrEqual(Math.max(...timers.slice(0, Math.ceil(timers.length / 2))) + WIDTH);
    expect(late).toBeLessThan(3 * early + 100);
    // At most three standard errors, and at most a megabyte a minute.
    if (SECONDS >= LONG_SECONDS) expect(trend.slope).toBeLessThan(Math.max(3 * trend.error, 0.2));
    else expect(samples.at(-1)?.bytes).toBeLessThan(200 * MB);
  });
});

/** Prints at once, so that the soak can be watched. */
function say(text: string): void {
  if (process.env.SOAK_SECONDS !== undefined) process.stderr.write(`${text}\n`);
}
