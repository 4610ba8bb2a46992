/** A rolling upgrade: a node of the commit before serves, one of this commit comes beside it, and the older one leaves. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { Cli, PERCH, runNode, type Started, startNode } from '../../cli/support/support.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { lineTo } from '../../kit/postgres/line-to.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { type Books, openBooks } from '../faults/books.js';
import { get, untilRefused } from './client.js';
import { handleOf, peopleFile } from './network.js';
import { checkOut, olderCommit } from './older-checkout.js';

const SLOW_MS = 240_000;
const CREDITS = 100_000;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A database with nothing in it, and its address. */
async function emptyDatabase(): Promise<{ database: FreshDatabase; url: string }> {
  const database = await freshDatabase();
  ends.push(() => database.drop());
  await database.sql`drop schema public cascade`;
  await database.sql`create schema public`;
  const { line, url } = await lineTo(database);
  ends.push(() => line.close());
  return { database, url };
}

interface Node {
  readonly url: string;
  readonly started: Started;
}

async function serve(perch: string, env: Readonly<Record<string, string>>): Promise<Node> {
  const started = startNode([perch, 'serve'], { env });
  ends.push(async () => {
    started.process.kill('SIGKILL');
    await started.end;
  });
  await started.says('Ctrl-C stops it.');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
  return { url, started };
}

async function well(books: Books, more = 150): Promise<void> {
  const from = books.answers();
  await vi.waitFor(
    () => {
      expect(books.answers()).toBeGreaterThan(from + more);
      expect(books.isWell()).toBe(true);
    },
    { timeout: 90_000, interval: 50 },
  );
}

const commit = olderCommit();

describe.skipIf(commit === null)(
  `from ${commit?.slice(0, 7) ?? 'a commit [left out: it, a package it needs or one of its migrations is not here]'}`,
  () => {
    describeOnRedis('to this one', (redis) => {
      it('both serve all along, what one revokes the other refuses, and the books are exact', {
        timeout: SLOW_MS,
      }, async () => {
        const { database, url } = await emptyDatabase();
        const older = checkOut(commit ?? '');
        ends.push(older.remove);
        const [home, olderHome] = [await Cli.open(), await Cli.open()];
        ends.push(
          () => home.close(),
          () => olderHome.close(),
        );
        const shared = {
          ...{ DATABASE_URL: url, REDIS_URL: redis().urls[0] ?? '', PERCH_SECRET: randomBytes(32).toString('hex') },
          ...{ PORT: '0', LOG_FORMAT: 'json', LOG_LEVEL: 'warn', PERCH_DRAIN_MS: '0' },
        };
        const olderEnv = { ...shared, PERCH_HOME: olderHome.home };
        const run = async (...args: string[]) => {
          const ran = await runNode([older.perch, ...args, '--json'], { env: olderEnv });
          if (ran.code !== 0) throw new Error(`${args.join(' ')}: ${ran.stderr}`);
          return JSON.parse(ran.stdout);
        };
        const create = (name: string) =>
          run('account', 'create', '--name', name, '--credits', String(CREDITS), '--qps', '100000');

        // The older one made the database, and what is in it.
        const before = await serve(older.perch, olderEnv);
        await run('import', peopleFile(olderHome.home));
        const made = await create('load');
        const revoked = await create('revoked');
        const nodes = [before];
        const books = openBooks();
        ends.push(() => books.stop());
        books.load(
          8,
          (n) => `${nodes[n % nodes.length]?.url}/v1/users/${handleOf(1 + (n % 30) + Math.floor(n / 50))}`,
          made.key,
        );
        await well(books);
        const now = await serve(PERCH, { ...shared, PERCH_HOME: home.home });
        nodes.push(now);
        await well(books, 300);

        for (const node of nodes) expect((await get(`${node.url}/v1/me`, revoked.key)).status).toBe(200);
        const ran = await runNode([PERCH, 'key', 'revoke', revoked.key.slice(0, 17)], {
          env: { ...shared, PERCH_HOME: home.home },
        });
        expect(ran.code, ran.stderr).toBe(0);
        const urls = nodes.map(({ url }) => url);
        expect(await untilRefused(urls, revoked.key)).toBeLessThan(5000);

        nodes.shift();
        before.started.process.kill('SIGTERM');
        expect((await before.started.end).code).toBe(0);
        await well(books);
        await books.stop();
        expect(Object.keys(books.statuses())).toEqual(['200']);
        const account = { accountId: made.account_id, walletId: made.wallet_id, credits: CREDITS };
        await books.compare(database.sql, account);
        const ledger = createLedger(database.sql);
        await ledger.runMaintenance();
        await books.compare(database.sql, account);
        expect((await ledger.check()).faults).toEqual([]);
      });
    });
  },
);
