/** PgBouncer in transaction mode between three nodes and Postgres: everything works, revocation too, and the books are exact. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { openBooks } from '../faults/books.js';
import { get } from '../nodes/client.js';
import { fillPeople, handleOf, tweetOf } from '../nodes/network.js';
import { type Fleet, openFleet, openOwnDatabase } from '../nodes/nodes.js';
import { describeWithPgbouncer, startPgbouncer } from '../support/pgbouncer.js';
import { describeOnRedis } from '../support/redis.js';

const SLOW_MS = 180_000;
const CREDITS = 100_000;

describeWithPgbouncer('behind PgBouncer', () => {
  describeOnRedis('three nodes', (redis) => {
    let fleet: Fleet;
    let stop: () => Promise<void>;
    beforeAll(async () => {
      fleet = await openFleet({
        redisUrl: redis().urls[0] ?? '',
        prepare: fillPeople,
        async openDatabase() {
          const own = await openOwnDatabase();
          const bouncer = await startPgbouncer(own.database.target);
          stop = bouncer.stop;
          const [row] = await own.database.sql<{ name: string }[]>`select current_database() as name`;
          return { ...own, url: bouncer.url(row?.name ?? '') };
        },
      });
    }, SLOW_MS);
    afterAll(async () => {
      await fleet?.close();
      await stop?.();
    });
    const onNode = (n: number, path: string): string => `${fleet.nodes[n % fleet.nodes.length]?.url}${path}`;

    it('reads, searches, usage and receipts are answered under load, and the books are exact', {
      timeout: SLOW_MS,
    }, async () => {
      const account = await fleet.account({ credits: CREDITS });
      const books = openBooks();
      const paths = (n: number): string[] => [
        `/v1/users/${handleOf(1 + (n % 60))}`,
        `/v1/users/${handleOf(1 + (n % 60))}/tweets`,
        `/v1/tweets/${tweetOf(1 + (n % 60))}?fresh=true`,
        `/v1/tweets/batch?ids=${[1, 2, 3, 4].map((i) => tweetOf(i + (n % 60))).join(',')}`,
        '/v1/usage?group=endpoint',
        '/v1/me',
      ];
      books.load(12, (n) => onNode(n, paths(n)[n % 6] ?? ''), account.key);
      await vi.waitFor(() => expect(books.answers()).toBeGreaterThan(1000), { timeout: 90_000, interval: 50 });
      await books.stop();
      expect(books.statuses()).toEqual({ 200: books.answers() });
      expect(books.broken()).toEqual({});
      await books.compare(fleet.database.sql, { ...account, credits: CREDITS });
      const { body } = await get(onNode(0, `/v1/users/${handleOf(900)}`), account.key);
      expect((await get(onNode(1, `/v1/usage/${body.request_id}`), account.key)).body.data).toMatchObject({
        credits: 1,
      });
      expect((await get(onNode(2, '/v1/tweets/search?q=word77'), account.key)).body.data).toHaveLength(1);
      const ledger = createLedger(fleet.database.sql);
      await ledger.runMaintenance();
      expect(await fleet.ledgerCheck()).toMatchObject({ ok: true });
    });

    it('a key that was revoked by a command is refused everywhere within five seconds (A9)', {
      timeout: SLOW_MS,
    }, async () => {
      const { key } = await fleet.account();
      for (const n of [0, 1, 2]) expect((await get(onNode(n, '/v1/me'), key)).status).toBe(200);
      await fleet.cli('key', 'revoke', key.slice(0, 17));
      const startedAt = performance.now();
      await vi.waitFor(
        async () => {
          for (const n of [0, 1, 2]) expect((await get(onNode(n, '/v1/me'), key)).status).toBe(401);
        },
        { timeout: 30_000, interval: 50 },
      );
      expect(performance.now() - startedAt).toBeLessThan(5000);
    });
  });
});
