/** One node of three loses only Redis or only Postgres: nothing passes on its line, but no connection ends. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Line, openLine } from '../../kit/postgres/line.js';
import { lineTo } from '../../kit/postgres/line-to.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { get } from '../nodes/client.js';
import { fillPeople } from '../nodes/network.js';
import { type Fleet, type FleetDatabase, openFleet, openOwnDatabase } from '../nodes/nodes.js';
import { expectRevocation, type Load, SLOW_MS, settle, startLoad, untilRedisIs, well } from './load.js';

describeOnRedis('a partition between one node of three and', (redis) => {
  let fleet: Fleet;
  let own: FleetDatabase;
  let load: Load | undefined;
  /** The line of the second node only. */
  let toRedis: Line;
  let toPostgres: { line: Line; url: string };
  beforeAll(async () => {
    own = await openOwnDatabase();
    const redisUrl = new URL(redis().urls[0] ?? '');
    toRedis = await openLine({ host: redisUrl.hostname, port: Number(redisUrl.port) });
    toPostgres = await lineTo(own.database);
    const apart = { REDIS_URL: `redis://127.0.0.1:${toRedis.port}`, DATABASE_URL: toPostgres.url };
    fleet = await openFleet({
      redisUrl: redisUrl.href,
      // The deadline of a call, so that calls to the cut-off node end sooner.
      env: { PERCH_DEADLINE_MS: '10000' },
      openDatabase: async () => own,
      envOf: (index) => (index === 1 ? apart : {}),
      prepare: fillPeople,
    });
  }, SLOW_MS);
  afterEach(async () => {
    toRedis.resume();
    toPostgres.line.resume();
    await load?.books.stop();
  });
  afterAll(async () => {
    await fleet?.close();
    await toRedis?.close();
    await toPostgres?.line.close();
  });

  it('Redis fails no read, refuses a revoked key in time, reconnects, and keeps exact books', {
    timeout: SLOW_MS,
  }, async () => {
    load = await startLoad(fleet);
    const { books } = load;
    toRedis.hang();
    await untilRedisIs(fleet, ['up', 'away', 'up']);
    await well(books, 200);
    await expectRevocation(fleet, [0, 1, 2]);
    toRedis.resume();
    await untilRedisIs(fleet, 'up');
    await well(books, 200);
    await settle(load);
    expect(books.statuses()).toEqual({ 200: books.answers() });
  });

  it('Postgres stops deliveries on that node only, reconnects, and keeps exact books', {
    timeout: SLOW_MS,
  }, async () => {
    load = await startLoad(fleet);
    const { books } = load;
    const { key } = await fleet.account();
    const path = '/v1/users/person_1';
    for (const { url } of fleet.nodes) expect((await get(`${url}${path}`, key)).status).toBe(200);
    toPostgres.line.hang();
    const cutOff = get(`${fleet.nodes[1]?.url}${path}`, key);
    for (const n of [0, 2]) expect((await get(`${fleet.nodes[n]?.url}${path}`, key)).status).toBe(200);
    expect([500, 503]).toContain((await cutOff).status);
    toPostgres.line.resume();
    toPostgres.line.cut();
    await well(books, 200);
    await settle(load);
  });
});
