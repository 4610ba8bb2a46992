/** PgBouncer in transaction mode between three nodes and Postgres: everything works, revocation too, and the books are exact. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { describeWithPgbouncer, startPgbouncer } from '../../kit/postgres/pgbouncer.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { openBooks } from '../faults/books.js';
import { get } from '../nodes/client.js';
import { fillPeople, handleOf, tweetOf } from '../nodes/network.js';
import { type Fleet, openFleet, openOwnDatabase } from '../nodes/nodes.js';
import { expectRevocation, SLOW_MS } from './load.js';

const CREDITS = 100_000;
const LIMITS = [
  ['lock_timeout', '2s'],
  ['statement_timeout', '30s'],
  ['idle_in_transaction_session_timeout', '30s'],
] as const;

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
          const name = row?.name ?? '';
          // What nodes cannot ask for through it (docs/deploying.md).
          for (const [setting, limit] of LIMITS) {
            await own.database.sql.unsafe(`alter database ${name} set ${setting} = '${limit}'`);
          }
          return { ...own, url: bouncer.url(name) };
        },
      });
    }, SLOW_MS);
    afterAll(async () => {
      await fleet?.close();
      await stop?.();
    });
    const onNode = (n: number, path: string): string => `${fleet.nodes[n % fleet.nodes.length]?.url}${path}`;

    it('answer reads, searches, usage and receipts under load, with exact books', {
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

    it('refuse a key that was revoked by a command within five seconds (A9)', { timeout: SLOW_MS }, () =>
      expectRevocation(fleet, [0, 1, 2]),
    );
  });
});
