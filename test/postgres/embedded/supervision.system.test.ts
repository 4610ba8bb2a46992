import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { debitOf, grantTo, openPayer } from '../../engine/ports/suites/ledger.suite.js';
import { until } from '../../kit/time/until.js';
import { openHome, removeHome } from './home.js';
import { openInProcess, serverOf } from './launcher-support.js';

/** Long enough for a busy machine. */
const SLOW = { timeout: 120_000 };
const WAIT_MS = 60_000;

let home: string;
beforeEach(async () => {
  home = await openHome();
});
afterEach(() => removeHome(home));

/** Kills the server, and waits until another one answers the pool at the same address. */
async function killAndAwait(sql: Sql): Promise<void> {
  const killed = await serverOf(home);
  process.kill(killed.pid, 'SIGKILL');
  await until('the killed server is gone', async () => !(await killed.runs()), WAIT_MS);
  const isBack = async (): Promise<boolean> => {
    const back = await serverOf(home).catch(() => undefined);
    return back !== undefined && back.pid !== killed.pid && (await back.runs());
  };
  await until('another server runs', isBack, WAIT_MS);
  const answers = (): Promise<boolean> =>
    sql`select 1`.then(
      () => true,
      () => false,
    );
  await until('it answers', answers, WAIT_MS);
}

test(
  'restarts a server killed under several processes once, at its address, and stops it with the last',
  SLOW,
  async () => {
    const said: string[] = [];
    const first = await openEmbeddedPostgres({ home, onProgress: (text) => said.push(text) });
    const others = await Promise.all([openInProcess(home), openInProcess(home)]);
    const sql = connect(first.connection);
    for (let kill = 1; kill <= 2; kill++) {
      await killAndAwait(sql);
      // Each process has its lease again: the list of locks shows it.
      const areSeated = async (): Promise<boolean> => {
        const [row] = await sql`select count(*) as seats from pg_locks where locktype = 'advisory' and granted`;
        return row?.seats === 3;
      };
      await until('all have a share', areSeated, WAIT_MS);
    }
    // The restart is logged a moment after the lease is taken.
    const times = (what: string): number => said.filter((text) => text.includes(what)).length;
    await until('both are told', async () => times('is running again') === 2, WAIT_MS);
    expect(times('stopped: restarting')).toBe(2);

    const server = await serverOf(home);
    await sql.end({ timeout: 1 });
    await first.stop();
    expect(await server.runs()).toBe(true);
    await Promise.all(others.map((other) => other.leave()));
    expect(await server.runs()).toBe(false);
  },
);

test('restarts the server from a process that only joined it when the one that started it died', SLOW, async () => {
  const starter = await openInProcess(home);
  const joined = await openEmbeddedPostgres({ home });
  expect([starter.report.started, joined.started]).toEqual([true, false]);
  const sql = connect(joined.connection);
  starter.process.kill('SIGKILL');
  await killAndAwait(sql);
  const server = await serverOf(home);
  await sql.end({ timeout: 1 });
  await joined.stop();
  expect(await server.runs()).toBe(false);
});

test('leaves no server behind when a process exits at the moment the server dies', SLOW, async () => {
  const opened = await openEmbeddedPostgres({ home });
  const killed = await serverOf(home);
  process.kill(killed.pid, 'SIGKILL');
  // The loss has been noticed, and the restart may have begun.
  await until('the killed server is gone', async () => !(await killed.runs()), WAIT_MS);
  await opened.stop();
  expect(await (await serverOf(home).catch(() => killed)).runs()).toBe(false);
});

test(
  'keeps debits that succeed once, and those that fail not at all, when the server is killed (M19)',
  SLOW,
  async () => {
    const server = await openEmbeddedPostgres({ home });
    const sql = connect(server.connection);
    await migrate(sql);
    const ledger = createLedger(sql);
    const payer = await openPayer(createAccounts(sql));
    await grantTo(ledger, payer, 100_000_000);
    const outcome = new Map<string, boolean>();
    let ending = false;
    const payers = Array.from({ length: 30 }, async () => {
      while (!ending) {
        const debit = debitOf(payer, 1);
        const posted = await ledger.post(debit).catch(() => undefined);
        outcome.set(debit.requestId, posted?.ok === true);
        if (posted === undefined) await sleep(20);
      }
    });
    for (let kill = 1; kill <= 3; kill++) {
      const before = outcome.size;
      while (outcome.size < before + 300) await sleep(10);
      await killAndAwait(sql);
    }
    ending = true;
    await Promise.all(payers);
    const rows = await sql<{ id: string }[]>`select request_id as id from ledger_entries where kind = 'debit'`;
    const posted = [...outcome].filter(([, ok]) => ok).map(([id]) => id);
    expect(rows.map(({ id }) => id).sort()).toEqual(posted.sort());
    expect((await ledger.check()).faults).toEqual([]);
    await sql.end({ timeout: 1 });
    await server.stop();
  },
);
