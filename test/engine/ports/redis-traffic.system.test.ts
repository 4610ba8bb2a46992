/** What requests send to Redis according to docs/scaling.md, counted on the sockets of the whole service. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NEAR_MS } from '../../../adapters/redis/cache.js';
import { get } from '../../cluster/nodes/client.js';
import { readPage, tableOf } from '../../docs/readme/markdown.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { describeOnBoth } from '../../kit/redis/redis.js';
import { type Traffic, type TrafficWatch, watchRedisTraffic } from '../../kit/redis/redis-traffic.js';
import { until } from '../../kit/time/until.js';

const TABLE = tableOf(readPage('docs/scaling.md'), 'Request');

/** Each of different objects, because what a node does every second may fall into one of them. */
const TIMES = 5;
/** How often a kind is measured at most, each time with objects of its own. */
const MEASUREMENTS = 4;
const OBJECTS = TIMES * MEASUREMENTS;

/** Requests that cost the same, each for different objects. */
const BATCH = (n: number): string => `/v1/users/batch?handles=${range(100, 1 + n * 100).map((id) => `user${id}`)}`;
const PROFILE = (n: number): string => `/v1/users/user${100 * (OBJECTS + 2) + n}`;
const SEARCH = (n: number): string => `/v1/tweets/search?q=word${n}&product=Latest&count=20`;
const KINDS = [BATCH, PROFILE, SEARCH];

type Cost = Pick<Traffic, 'commands' | 'trips'>;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

describeOnBoth('what a request sends to Redis', (redis) => {
  let perch: TestPerch;
  let watch: TrafficWatch;
  let key: string;
  let [isUp, outages] = [false, 0];

  beforeAll(async () => {
    const { network, ...net } = createScriptedNetwork();
    net.users(range(100 * (OBJECTS + 3)));
    for (const n of range(OBJECTS + 1, 0)) {
      const ids = range(50, 1_000_000 + 1000 * n).map(String);
      for (const id of ids) net.tweet({ id, authorId: id, author: net.user({ id }) });
      net.list('search', `word${n}`, ids.reverse());
    }
    watch = watchRedisTraffic(redis().urls);
    const onLine = (line: string): void => {
      if (line.includes('Redis is reachable again')) isUp = true;
      if (!line.includes('Redis is unreachable')) return;
      [isUp, outages] = [false, outages + 1];
    };
    const log = pino({ level: 'info' }, { write: onLine });
    perch = await startPerch({ env: { REDIS_URL: redis().urls.join(',') }, network, log });
    await until('Redis is up', () => isUp);
    ({ key } = await perch.account({ credits: 1e6 }));
    // From here on the servers know every script.
    for (const kind of KINDS) await read(kind(0));
    await sleep(NEAR_MS + 100);
    for (const kind of KINDS) await read(kind(0));
  });
  afterAll(async () => {
    await perch?.close();
    watch?.stop();
  });

  const read = async (path: string): Promise<void> => expect((await get(`${perch.url}${path}`, key)).status).toBe(200);

  /** The costs of one request, made this many times in a row; the objects differ, the cost does not. */
  async function costsOf(kind: (n: number) => string, objects: readonly number[], times: number): Promise<Cost[]> {
    const seen: Traffic[][] = Array.from({ length: times }, () => []);
    for (const n of objects) for (const each of seen) each.push(await watch.during(() => read(kind(n))));
    return seen.map((each) => ({
      commands: median(each.map(({ commands }) => commands)),
      trips: median(each.map(({ trips }) => trips)),
    }));
  }

  /** Measures again if Redis was away meanwhile, for which one late answer on a busy machine is enough. */
  async function withoutOutage(measure: (objects: readonly number[]) => Promise<Cost[]>): Promise<Cost[]> {
    for (const nth of range(MEASUREMENTS, 0)) {
      await until('Redis is up', () => isUp);
      const before = outages;
      const costs = await measure(range(TIMES, 1 + nth * TIMES));
      if (outages === before) return costs;
    }
    throw new Error(`Redis was away during each of ${MEASUREMENTS} measurements`);
  }

  it.each([
    ['Profile', PROFILE, 'Cached profile'],
    ['Batch of 100', BATCH, 'Cached batch of 100'],
    ['Search page of 20', SEARCH, 'Cached page of a list'],
  ])('%s: sends as many commands as the page says, in no more round trips', async (name, kind, cached) => {
    const measure = async (objects: readonly number[]): Promise<Cost[]> => {
      const costs = await costsOf(kind, objects, 2);
      await sleep(NEAR_MS + 100);
      return [...costs, ...(await costsOf(kind, objects, 1))];
    };
    expect(await withoutOutage(measure)).toEqual(
      [
        `${name}, read from the network`,
        "Any cached read, in the process's own memory",
        `${cached}, after 2 seconds`,
      ].map(documentedCost),
    );
  });

  /** What the page says, for one server or for a cluster, whose nodes are asked in parallel. */
  function documentedCost(request: string): Cost {
    const [, onOne, trips, onCluster] = TABLE.find(([first]) => first === request) ?? [];
    const isOne = redis().urls.length === 1;
    return {
      commands: Number(isOne ? onOne : onCluster),
      trips: expect.toSatisfy((most: number) => most <= Number(trips)),
    };
  }
});
