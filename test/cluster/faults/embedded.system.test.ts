/** The embedded server fails under the service: it is killed, or its disk is full. The books agree with the clients. */
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { Cli, type Started } from '../../cli/support/support.js';
import { describeOnSmallDisk } from '../../kit/postgres/small-disk.js';
import { handleOf, peopleFile } from '../nodes/network.js';
import { type Books, openBooks } from './books.js';

const SLOW_MS = 180_000;
const CREDITS = 100_000;

interface Service {
  readonly cli: Cli;
  readonly started: Started;
  readonly books: Books;
  readonly account: { accountId: string; walletId: string; credits: number };
}

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of close.reverse()) await end();
  close = [];
});

/** A service with its own embedded server, asked for hits and misses; resolves once all goes well. */
async function underLoad(cli: Cli): Promise<Service> {
  const env = { PERCH_DEMO: 'off', LOG_FORMAT: 'json', LOG_LEVEL: 'warn' };
  const started = cli.start(['serve'], { env: { ...env, PORT: '0' } });
  close.push(async () => {
    started.process.kill('SIGTERM');
    await Promise.race([started.end, new Promise((resolve) => setTimeout(resolve, 15_000))]);
    started.process.kill('SIGKILL');
  });
  await started.says('Ctrl-C stops it.');
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said.stdout) ?? [];
  await cli.run('import', peopleFile(cli.home));
  const words = ['account', 'create', '--name', 'load', '--credits', String(CREDITS), '--qps', '100000'];
  const made = await cli.json<{ account_id: string; wallet_id: string; key: string }>(...words);
  const books = openBooks();
  close.push(() => books.stop());
  books.load(12, (n) => `${url}/v1/users/${handleOf(1 + (n % 30) + Math.floor(n / 100))}`, made.key);
  await well(books);
  return { cli, started, books, account: { accountId: made.account_id, walletId: made.wallet_id, credits: CREDITS } };
}

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

/** The ledger against the books, in the service's own database. */
async function settle({ cli, books, account }: Service): Promise<void> {
  await books.stop();
  expect(await cli.json('ledger', 'check')).toMatchObject({ ok: true });
  const server = await openEmbeddedPostgres({ home: cli.home });
  const sql = connect(server.connection, { max: 1 });
  try {
    await books.compare(sql, account);
  } finally {
    await sql.end();
    await server.stop();
  }
  const { 200: delivered, ...others } = books.statuses();
  expect(delivered).toBeGreaterThan(100);
  expect(Object.keys(others).filter((status) => !['500', '503'].includes(status))).toEqual([]);
}

it('charges nothing for failures, charges what was delivered, and recovers when Postgres is killed twice', {
  timeout: SLOW_MS,
}, async () => {
  const cli = await Cli.open();
  close.push(() => cli.close());
  const service = await underLoad(cli);
  for (let kill = 0; kill < 2; kill += 1) {
    const pid = Number((await readFile(join(cli.home, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await well(service.books);
  }
  await settle(service);
});

describeOnSmallDisk('a full disk', 400, (folder) => {
  it('charges nothing for failures, charges what was delivered, and recovers when there is room again', {
    timeout: SLOW_MS,
  }, async () => {
    const cli = await Cli.open(0o711, folder());
    const service = await underLoad(cli);
    const ballast = join(folder(), 'ballast');
    const fill = (): void => {
      const { bavail, bsize } = statfsSync(folder());
      if (bavail > 0) writeFileSync(ballast, randomBytes(bavail * bsize), { flag: 'a' });
    };
    // Continues until the database can no longer write, because it reuses files for a while.
    await vi.waitFor(
      () => {
        fill();
        expect(service.books.isWell(5)).toBe(false);
      },
      { timeout: 90_000, interval: 100 },
    );
    rmSync(ballast);
    await well(service.books);
    await settle(service);
  });
});
