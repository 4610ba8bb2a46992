/** Three nodes and a Postgres cluster as in deploy/ha: failures, freezes and switch-overs under load, and the books. */
import { setTimeout as sleep } from 'node:timers/promises';
import postgresDriver from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { blocksOf, readPage } from '../../docs/readme/markdown.js';
import { openLine } from '../../kit/postgres/line.js';
import { describeWithPatroni, type PatroniPostgres, startPatroni } from '../../kit/postgres/patroni-postgres.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { fillPeople } from '../nodes/network.js';
import { type Fleet, openFleet } from '../nodes/nodes.js';
import { openFollowers } from './followers.js';
import { type Load, SLOW_MS, settle, startLoad, well } from './load.js';

/** Few concurrent calls, because the load itself does not matter here. */
const WIDTH = 6;
/** Slightly more than Patroni's ttl. */
const LOCK_MS = 22_000;
/** The time of the lock and an election. */
const TAKE_OVER_MS = 45_000;
/** On a busy machine a call may take too long once. A service at fault fails calls every time. */
const TRIES = 3;
/** The timeout of a test, for all that it waits for. */
const TEST_MS = 2 * SLOW_MS;
const LOGIN = 'postgres://perch:secret@';

await describeWithPatroni('Patroni', (programs) => {
  describeOnRedis('under three nodes and load', (redis) => {
    let postgres: PatroniPostgres;
    let fleet: Fleet;
    let load: Load;

    beforeAll(async () => {
      const [haproxy] = blocksOf(readPage('docs/deploying.md')).filter(({ language }) => language === 'haproxy');
      postgres = await startPatroni(programs, haproxy?.text ?? '');
      const url = `${LOGIN}${postgres.hosts.join()}/perch?target_session_attrs=primary`;
      const sql = connect({ url }, { max: 4 });
      await migrate(sql);
      fleet = await openFleet({
        redisUrl: redis().urls[0] ?? '',
        prepare: fillPeople,
        openDatabase: async () => ({
          database: { sql, target: { url }, drop: () => sql.end({ timeout: 1 }) },
          // An unused line, because there is no single server.
          line: await openLine({ path: '/none' }),
          url,
        }),
        // Two nodes find the primary themselves; HAProxy leads the third to it.
        envOf: (index) => (index === 2 ? { DATABASE_URL: `${LOGIN}${postgres.proxy}/perch` } : {}),
      });
    }, SLOW_MS);
    afterAll(async () => {
      await fleet?.close();
      await postgres?.stop();
    }, SLOW_MS);

    beforeEach(async () => {
      await postgres.untilWhole();
      load = await startLoad(fleet, WIDTH);
    }, SLOW_MS);
    afterEach(() => load?.books.stop());

    /** Applies a failure to the primary, and waits until another one has taken over and calls succeed. */
    async function fail(strike: (primary: string) => Promise<void>): Promise<{ primary: string; ms: number }> {
      const primary = await postgres.leader();
      let began = performance.now();
      await strike(primary);
      await postgres.untilLed(primary, TAKE_OVER_MS).catch(async () => {
        // On a busy machine, no standby may answer in time, and Patroni restarts the dead server. Then try again.
        began = performance.now();
        await strike(primary);
        await postgres.untilLed(primary);
      });
      await well(load.books, 30);
      const ms = performance.now() - began;
      // Enough answers for the check of the books.
      await well(load.books, 150);
      return { primary, ms };
    }

    /** Repeats this until no call fails during it. The books must be exact each time. */
    async function withoutFailures(strike: () => Promise<unknown>): Promise<void> {
      for (let round = 1; round <= TRIES; round += 1) {
        if (round > 1) load = await startLoad(fleet, WIDTH);
        await strike();
        await settle(load);
        if (Object.keys(load.books.statuses()).join() === '200' && Object.keys(load.books.broken()).length === 0)
          return;
      }
      expect(load.books.statuses()).toEqual({ 200: load.books.answers() });
      expect(load.books.broken()).toEqual({});
    }

    it('fails no call on a planned switch-over, and followers miss nothing', { timeout: TEST_MS }, async () => {
      const followers = await openFollowers(fleet);
      await withoutFailures(() => fail((primary) => postgres.switchOver(primary)));
      await followers.settle();
    });

    it(
      'fails no call and keeps the primary while etcd is down for longer than the lock',
      {
        timeout: TEST_MS,
      },
      () =>
        withoutFailures(async () => {
          const primary = await postgres.leader();
          postgres.loseEtcd();
          await sleep(LOCK_MS);
          expect(await postgres.leader()).toBe(primary);
          postgres.findEtcd();
          await well(load.books, 30);
          expect(await postgres.leader()).toBe(primary);
        }),
    );

    it('fails over when Postgres dies, loses nothing delivered, misses no item, and takes the server back', {
      timeout: TEST_MS,
    }, async () => {
      const followers = await openFollowers(fleet);
      const { ms } = await fail((name) => postgres.killServer(name));
      expect(ms).toBeLessThan(30_000);
      await settle(load);
      await followers.settle();
      await postgres.untilWhole();
    });

    it('fails over when the machine dies and returns, and loses nothing delivered', {
      timeout: TEST_MS,
    }, async () => {
      const { primary, ms } = await fail((name) => postgres.killMachine(name));
      expect(ms).toBeLessThan(90_000);
      await postgres.startMachine(primary);
      await postgres.untilWhole();
      await settle(load);
    });

    it('takes charges on one server only when the machine of the primary freezes and resumes', {
      timeout: TEST_MS,
    }, async () => {
      const { sql } = fleet.database;
      await sql`create table if not exists confirmed (n integer)`;
      const old = postgresDriver(`${LOGIN}${postgres.hostOf(await postgres.leader())}/perch`, { max: 4 });
      onTestFinished(() => old.end({ timeout: 0 }));
      const on = (n: number) => old`insert into confirmed values (${n})`;
      await Promise.all([old`select 1`, old`select 1`, old`select 1`, old`select 1`]);
      const { primary, ms } = await fail((name) => postgres.freeze(name));
      expect(ms).toBeLessThan(90_000);
      let written: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
      await postgres.thaw(primary, async () => {
        written = Promise.allSettled([1, 2, 3, 4].map(on));
        await sleep(1_000);
        // It still considers itself the primary and writes, but no standby has the commits, so it confirms none.
        expect(await Promise.race([written, 'waiting'])).toBe('waiting');
      });
      await postgres.untilWhole();
      expect((await written).filter(({ status }) => status === 'fulfilled')).toEqual([]);
      expect(await sql`select n from confirmed`).toEqual([]);
      await well(load.books, 30);
      await settle(load);
    });
  });
});
