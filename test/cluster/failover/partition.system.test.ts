/** One node of three loses Redis only, or Postgres only: nothing passes on its line, and no connection ends. */
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
  /** Of the second node alone. */
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
      // Of a call, so that the one that is cut off need not be waited for longer.
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

  it('Redis: no read fails, a revoked key is refused in time, it finds back, and the books are exact', {
    timeout: SLOW_MS,
  }, async () => {
    load = await startLoad(fleet);
    const { books } = load;
    toRedis.hang();
    await untilRedisIs(fleet, ['up', 'away', 'up']);
    await well(books, 200);
    await expectRevocation(fleet, [0, 1, 2]);
    toRedis.resume();
    await untilRedisIs(fleet, ['up', 'up', 'up']);
    await well(books, 200);
    await settle(load);
    expect(books.statuses()).toEqual({ 200: books.answers() });
  });

  it('Postgres: it delivers nothing, the others continue, it reconnects by itself, and the books are exact', {
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
