/** The sums from which usage is answered: they are folded into days, and give the same answer at any moment. */
import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterEach, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { type RunStep, settledTo, sumAllDebits } from '../../../adapters/postgres/ledger/sums.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import { debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { until } from '../../kit/time/until.js';
import { hold, LOCKS } from './locks.js';

const ALL = { from: '2000-01-01', to: '2999-01-01', limit: 1_000 };

let database: FreshDatabase | undefined;
afterEach(() => database?.drop());

test('folds hours of past days into days on any node without changing a result', async () => {
  database = await freshDatabase();
  const { sql } = database;
  const nodes = [createLedger(sql), createLedger(sql)] as const;
  const payer = await openPayer(createAccounts(sql));
  await grantTo(nodes[0], payer, 1_000_000);
  for (let nth = 0; nth < 30; nth += 1) {
    // A request that began before the sums were made, so its debit is added to the sums at once.
    const requestId = v7({ msecs: Date.now() - HOUR_MS });
    await nodes[0].post(debitOf(payer, 1_000, { operation: `op${nth % 3}`, requestId }));
  }
  await sql.begin(async (tx) => {
    await tx`alter table debits disable trigger append_only`;
    await tx`update debits set at = at - seq * interval '13 hours'`;
    await tx`delete from usage_hours`;
    await tx`
      insert into usage_hours select account_id, date_trunc('hour', at, 'UTC'), operation, key_id, count(*), sum(items),
        sum(cache_hits), sum(amount_thousandths) from ledger_entries where kind = 'debit' group by 1, 2, 3, 4`;
  });
  const readUsage = () =>
    Promise.all(
      [[], ['day'], ['day', 'endpoint', 'key']].map((group) =>
        nodes[1].usage(payer.accountId, { ...ALL, group: group as ('day' | 'endpoint' | 'key')[] }),
      ),
    );
  const before = await readUsage();
  expect((await nodes[0].check()).faults).toEqual([]);
  const [during] = await Promise.all([readUsage(), nodes[0].runMaintenance(), nodes[1].runMaintenance()]);
  expect(during).toEqual(before);
  // Each of two concurrent runs may have left some work to the other; the next run does it.
  await nodes[0].runMaintenance();
  expect(await readUsage()).toEqual(before);
  expect((await nodes[0].check()).faults).toEqual([]);
  const [left] = await sql<{ hours: number; days: number }[]>`
    select (select count(*) from usage_hours where hour < date_trunc('day', now(), 'UTC') - interval '8 days') as hours,
      (select count(*) from usage_days) as days`;
  expect(left?.hours).toBe(0);
  expect(left?.days).toBeGreaterThan(0);
});

test('sums up everything due in one run, for wallets with any number and one with thousands of debits', async () => {
  database = await freshDatabase();
  const { sql } = database;
  const ledger = createLedger(sql);
  const payers: Payer[] = [];
  for (const number of [1, 50_000, 50_001, 2_000_000]) {
    await sql.unsafe(`alter table wallets alter column wallet_number restart with ${number}`);
    payers.push(await openPayer(createAccounts(sql)));
  }
  await sql`update wallets set summed_to = first_id_at(now() - interval '1 hour')`;
  for (const payer of payers) await grantTo(ledger, payer, 1_000_000);
  const [busy, ...others] = payers as [Payer, ...Payer[]];
  const earlier = () => v7({ msecs: Date.now() - HOUR_MS / 2 });
  const post = (payer: Payer) => ledger.post(debitOf(payer, 1, { requestId: earlier() }));
  await Promise.all(others.map(post));
  for (let chunk = 0; chunk < 10; chunk += 1) await Promise.all(Array.from({ length: 250 }, () => post(busy)));
  await ledger.runMaintenance();
  expect(await sql`select from unsummed_debits`).toHaveLength(0);
  expect(await sql`select from wallets where last_seq > summed_seq + 1`).toHaveLength(0);
  const usage = await sql`select sum(requests)::int as requests from usage_hours group by account_id order by 1`;
  expect(usage.map(({ requests }) => requests)).toEqual([1, 1, 1, 2_500]);
  expect((await ledger.check()).faults).toEqual([]);
});

test('waits for the lock of a busy wallet, and leaves one that stays locked to the next run', async () => {
  database = await freshDatabase();
  const { sql, target } = database;
  const ledger = createLedger(sql);
  const accounts = createAccounts(sql);
  const [free, busy] = [await openPayer(accounts), await openPayer(accounts)];
  await sql`update wallets set summed_to = first_id_at(now() - interval '1 hour')`;
  for (const payer of [free, busy]) {
    await grantTo(ledger, payer, 1_000_000);
    await ledger.post(debitOf(payer, 1, { requestId: v7({ msecs: Date.now() - HOUR_MS / 2 }) }));
  }
  const summed = async () => (await sql`select account_id from usage_hours`).map((row) => row.account_id).sort();
  const step: RunStep = (work) => sql.begin(work) as never;
  const settled = await settledTo(sql);
  const locker = connect(target, { max: 1 });
  const release = await hold(locker, LOCKS.wallet, busy);
  await sumAllDebits(step, settled, null, 10);
  expect(await summed()).toEqual([free.accountId]);
  const run = sumAllDebits(step, settled, null, 30_000);
  await until('the run waits for the wallet', async () => {
    const rows = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%sum_debits%'`;
    return rows.length > 0;
  });
  await release();
  await run;
  await locker.end();
  expect(await summed()).toEqual([free.accountId, busy.accountId].sort());
  expect((await ledger.check()).faults).toEqual([]);
});

test('drops names of days before yesterday', async () => {
  database = await freshDatabase();
  const { sql } = database;
  const ledger = createLedger(sql);
  const today = new Date().toISOString().slice(0, 10);
  const accountId = randomUUID();
  for (const day of ['2026-01-01', '2026-01-02', today])
    await ledger.claimNames(accountId, day, [randomBytes(4).toString('hex')]);
  await ledger.runMaintenance();
  expect(await sql`select day from operation_names`).toHaveLength(1);
});
