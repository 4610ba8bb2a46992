/** The primary of Postgres dies under three nodes, and its streaming replica is promoted: what the books contain. */
import { afterEach, expect, it, vi } from 'vitest';
import {
  describeWithReplica,
  type ReplicatedPostgres,
  startReplicated,
} from '../../kit/postgres/replicated-postgres.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { fillPeople } from '../nodes/network.js';
import { openFleet } from '../nodes/nodes.js';
import { expectSound, type Load, SLOW_MS, settle, startLoad, well } from './load.js';

interface UnderLoad extends Load {
  readonly postgres: ReplicatedPostgres;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

await describeWithReplica('a replica that is promoted', (programs) => {
  describeOnRedis('under three nodes', (redis) => {
    async function underLoad(synchronous: boolean): Promise<UnderLoad> {
      const postgres = await startReplicated(programs, { synchronous });
      ends.push(() => postgres.stop());
      const openDatabase = async () => postgres;
      const fleet = await openFleet({ redisUrl: redis().urls[0] ?? '', prepare: fillPeople, openDatabase });
      ends.push(() => fleet.close());
      const load = await startLoad(fleet);
      ends.push(() => load.books.stop());
      return { ...load, postgres };
    }

    it('has every delivered charge if it is synchronous', { timeout: SLOW_MS }, async () => {
      const at = await underLoad(true);
      await at.postgres.failOver();
      await well(at.books, 200);
      await settle(at);
    });

    it('has every delivered charge even if it was unreachable before, because nothing was delivered then', {
      timeout: SLOW_MS,
    }, async () => {
      const at = await underLoad(true);
      at.postgres.replication.hang();
      // Commits that are on the primary alone, which are not reported to any caller.
      const waits = () => at.fleet.database.sql`select from pg_stat_activity where wait_event = 'SyncRep'`;
      await vi.waitFor(async () => expect((await waits()).length).toBeGreaterThan(0), {
        timeout: 60_000,
        interval: 20,
      });
      await at.postgres.failOver();
      at.postgres.replication.resume();
      await well(at.books, 200);
      await settle(at);
    });

    it('lacks only the charges of the last moments if it is asynchronous', {
      timeout: SLOW_MS,
    }, async () => {
      const at = await underLoad(false);
      const safe = at.books.answers();
      await at.postgres.caughtUp();
      at.postgres.replication.hang();
      await well(at.books, 200);
      await at.postgres.failOver();
      await well(at.books, 200);
      await at.books.stop();
      const lost = await at.books.missing(at.fleet.database.sql, at.account.accountId);
      expect(lost.length).toBeGreaterThan(0);
      expect(Math.min(...lost)).toBeGreaterThanOrEqual(safe);
      await expectSound(at);
    });
  });
});
