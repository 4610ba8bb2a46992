/** The primary of Postgres dies under three nodes, and its streaming replica is promoted: what is in the books then. */
import { afterEach, expect, it, vi } from 'vitest';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { type Books, openBooks } from '../faults/books.js';
import { fillPeople, handleOf } from '../nodes/network.js';
import { type Fleet, openFleet } from '../nodes/nodes.js';
import type { OpenAccount } from '../support/open-account.js';
import { describeOnRedis } from '../support/redis.js';
import { describeWithReplica, type ReplicatedPostgres, startReplicated } from '../support/replicated-postgres.js';

const SLOW_MS = 240_000;
const CREDITS = 100_000;

interface UnderLoad {
  readonly postgres: ReplicatedPostgres;
  readonly fleet: Fleet;
  readonly account: OpenAccount;
  readonly books: Books;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function well(books: Books, more = 100): Promise<void> {
  const from = books.answers();
  await vi.waitFor(
    () => {
      expect(books.answers()).toBeGreaterThan(from + more);
      expect(books.isWell()).toBe(true);
    },
    { timeout: 90_000, interval: 50 },
  );
}

await describeWithReplica('a replica that is promoted', (programs) => {
  describeOnRedis('under three nodes', (redis) => {
    async function underLoad(synchronous: boolean): Promise<UnderLoad> {
      const postgres = await startReplicated(programs, { synchronous });
      ends.push(() => postgres.stop());
      const openDatabase = async () => postgres;
      const fleet = await openFleet({ redisUrl: redis().urls[0] ?? '', prepare: fillPeople, openDatabase });
      ends.push(() => fleet.close());
      const account = await fleet.account({ credits: CREDITS });
      const books = openBooks();
      ends.push(() => books.stop());
      const address = (n: number): string =>
        `${fleet.nodes[n % fleet.nodes.length]?.url}/v1/users/${handleOf(1 + (n % 40) + Math.floor(n / 200))}`;
      books.load(12, address, account.key);
      await well(books);
      return { postgres, fleet, account, books };
    }

    async function expectSound({ books, fleet }: UnderLoad): Promise<void> {
      const { 200: delivered, ...others } = books.statuses();
      expect(delivered).toBeGreaterThan(200);
      expect(Object.keys(others).filter((status) => !['500', '503'].includes(status))).toEqual([]);
      expect((await createLedger(fleet.database.sql).check()).faults).toEqual([]);
      expect(await fleet.ledgerCheck()).toMatchObject({ ok: true });
    }

    it('a synchronous one has every charge that was delivered', { timeout: SLOW_MS }, async () => {
      const at = await underLoad(true);
      await at.postgres.failOver();
      await well(at.books, 200);
      await at.books.stop();
      await at.books.compare(at.fleet.database.sql, { ...at.account, credits: CREDITS });
      await expectSound(at);
    });

    it('also if it could not be reached before: what could not be written to both was not delivered', {
      timeout: SLOW_MS,
    }, async () => {
      const at = await underLoad(true);
      at.postgres.replication.hang();
      // Commits that are on the primary alone: nobody is told of them.
      const waits = () => at.fleet.database.sql`select from pg_stat_activity where wait_event = 'SyncRep'`;
      await vi.waitFor(async () => expect((await waits()).length).toBeGreaterThan(0), {
        timeout: 60_000,
        interval: 20,
      });
      await at.postgres.failOver();
      at.postgres.replication.resume();
      await well(at.books, 200);
      await at.books.stop();
      await at.books.compare(at.fleet.database.sql, { ...at.account, credits: CREDITS });
      await expectSound(at);
    });

    it('an asynchronous one lacks the charges of the last moments, which is all that is lost', {
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
