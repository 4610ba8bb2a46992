import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import type { Debit } from '../../../src/ports/ledger.js';
import { debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

let database: FreshDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await freshDatabase();
  sql = database.sql;
});
afterAll(() => database.drop());

async function openFunded(amount: number): Promise<Payer> {
  const payer = await openPayer(createAccounts(sql));
  await grantTo(createLedger(sql), payer, amount);
  return payer;
}

test('posts a thousand waiting debits of one wallet in a few statements', async () => {
  const payer = await openFunded(1_000_000);
  const ledger = createLedger(sql);
  const posted = await Promise.all(Array.from({ length: 1_000 }, () => ledger.post(debitOf(payer, 1))));
  expect(posted.every((one) => one.ok)).toBe(true);
  const [row] = await sql<{ commits: number }[]>`
    select count(distinct xmin::text) as commits from debits where account_id = ${payer.accountId}`;
  expect(row?.commits).toBe(2);
});

test('fails only the debit that Postgres cannot store', async () => {
  const payer = await openFunded(1_000);
  const ledger = createLedger(sql);
  const debits = [debitOf(payer, 1), debitOf(payer, 1, { operation: 'nul \u0000' }), debitOf(payer, 1)];
  const settled = await Promise.allSettled(debits.map((debit) => ledger.post(debit)));
  expect(settled.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await ledger.check()).faults).toEqual([]);
});

test('keeps acknowledged debits once, and charges nothing else, when connections break under load (M19)', {
  timeout: 90_000,
}, async () => {
  const payer = await openFunded(1_000_000);
  const own = connect(database.target, { name: 'breaking' });
  const ledger = createLedger(own);
  const acknowledged: Debit[] = [];
  let breaking = true;
  const breaker = (async () => {
    // Breaks connections less and less often, so that on a busy machine, too, some live long enough to commit.
    for (let pauseMs = 60; breaking; pauseMs = Math.min(pauseMs * 1.1, 2_000)) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'breaking'`;
      await sleep(pauseMs);
    }
  })();
  try {
    for (let round = 0; round < 8; round++) {
      const debits = Array.from({ length: 20 }, () => debitOf(payer, 10));
      const settled = await Promise.allSettled(debits.map((debit) => ledger.post(debit)));
      for (const [index, debit] of debits.entries()) {
        const one = settled[index];
        if (one?.status === 'fulfilled' && one.value.ok) acknowledged.push(debit);
      }
    }
  } finally {
    breaking = false;
    await breaker;
    await own.end({ timeout: 1 });
  }
  const rows = await sql<{ id: string }[]>`
    select request_id as id from ledger_entries where kind = 'debit' and wallet_id = ${payer.walletId}`;
  const ids = new Set(rows.map((row) => row.id));
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.filter((debit) => !ids.has(debit.requestId))).toEqual([]);
  expect(rows).toHaveLength(ids.size);
  expect((await createLedger(sql).check()).faults).toEqual([]);
});

test('fails within the time limit when the database cannot be reached', async () => {
  const payer = await openFunded(1_000);
  const nowhere = connect({ host: '/nonexistent', port: 5432, database: 'perch', username: 'perch' });
  try {
    await expect(createLedger(nowhere).post(debitOf(payer, 1))).rejects.toMatchObject({ code: 'ENOENT' });
  } finally {
    await nowhere.end();
  }
});
