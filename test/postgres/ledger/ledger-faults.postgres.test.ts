import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import { debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

let database: FreshDatabase;
let sql: Sql;
let payer: Payer;

beforeAll(async () => {
  database = await freshDatabase();
  sql = database.sql;
  const ledger = createLedger(sql);
  payer = await openPayer(createAccounts(sql), 9_000);
  await grantTo(ledger, payer, 10_000);
  // Requests that began before the sums were made, so their debits are added to the sums at once.
  const requestId = () => v7({ msecs: Date.now() - HOUR_MS });
  for (const amount of [1_000, 2_000]) await ledger.post(debitOf(payer, amount, { requestId: requestId() }));
});
afterAll(() => database.drop());

test('refuses update, delete and truncate, because the ledger is append only', async () => {
  const tables = await sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_partition_tree('debits')
    union all values ('statement_entries')`;
  expect(tables.length).toBeGreaterThan(6);
  for (const { name } of tables) {
    await expect(sql`update ${sql(name)} set amount_thousandths = 1`).rejects.toThrow(/append only/);
    await expect(sql`delete from ${sql(name)}`).rejects.toThrow(/append only/);
    await expect(sql`truncate ${sql(name)}`).rejects.toThrow(/append only/);
  }
});

test('finds no fault in a sound ledger', async () => {
  expect(await createLedger(sql).check()).toEqual({ wallets: 1, entries: 3, faults: [] });
});

const corruptions = [
  ['a missing entry', 'seq_gapless', (at: Sql) => at`delete from debits where seq = 2`],
  ['a first entry that is not 1', 'seq_gapless', (at: Sql) => at`delete from statement_entries where seq = 1`],
  ['a balance out of the chain', 'balance_chain', (at: Sql) => at`update debits set balance_after = 1 where seq = 2`],
  ['an amount changed', 'balance_chain', (at: Sql) => at`update debits set amount_thousandths = 1 where seq = 3`],
  ['an amount of zero', 'amount_positive', (at: Sql) => at`update debits set amount_thousandths = 0 where seq = 2`],
  ['a negative balance after', 'never_negative', (at: Sql) => at`update debits set balance_after = -1 where seq = 3`],
  ['a negative wallet', 'never_negative', (at: Sql) => at`update wallets set balance_thousandths = -1`],
  ['a wallet that is not its last entry', 'wallet_last', (at: Sql) => at`update wallets set balance_thousandths = 1`],
  ['a wallet with a wrong count', 'wallet_last', (at: Sql) => at`update wallets set last_seq = 9`],
  ['entries without a wallet', 'wallet_last', (at: Sql) => at`update debits set account_id = gen_random_uuid()`],
  ['a wallet that is not its sum', 'wallet_sum', (at: Sql) => at`update wallets set balance_thousandths = 7500`],
  ['a key that spent something else', 'key_spent', (at: Sql) => at`update keys set spent_thousandths = 1`],
  ['a debit of no known key', 'key_spent', (at: Sql) => at`update debits set key_number = 0 where seq = 2`],
  ['a cap that was overrun', 'key_cap', (at: Sql) => at`update spend_caps set cap_thousandths = 1`],
  ['a cap that counted something else', 'cap_spent', (at: Sql) => at`update spend_caps set spent_thousandths = 1`],
  ['lines of another amount', 'lines_amount', (at: Sql) => at`update debits set lines = '' where seq = 2`],
  ['lines of other items', 'lines_items', (at: Sql) => at`update debits set items = 7 where seq = 2`],
  ['a sum of other requests', 'usage_sums', (at: Sql) => at`update usage_hours set requests = 3`],
  ['a sum of other credits', 'usage_sums', (at: Sql) => at`update usage_hours set amount_thousandths = 1`],
  ['a sum that is missing', 'usage_sums', (at: Sql) => at`delete from usage_hours`],
  ['a sum in another hour', 'usage_sums', (at: Sql) => at`update usage_hours set hour = hour - interval '1 hour'`],
  [
    'a sum of a day that nothing was posted on',
    'usage_sums',
    (at: Sql) => at`
      insert into usage_days (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, '2020-01-01', endpoint, key_id, 1, 1, 0, 1000 from usage_hours`,
  ],
  [
    'a paid sale whose credits never came in',
    'sales_sum',
    (at: Sql) => at`
      insert into sales (account_id, pack, usd, credits_thousandths, state)
      select account_id, 'starter', 10, 1000, 'paid' from wallets`,
  ],
  [
    'a sale that took back what no entry says',
    'sales_sum',
    (at: Sql) => at`
      insert into sales (account_id, pack, usd, credits_thousandths, reversed_thousandths)
      select account_id, 'starter', 10, 1000, 1 from wallets`,
  ],
  ['lines of other hits', 'lines_items', (at: Sql) => at`update debits set cache_hits = 1 where seq = 2`],
] as const;

test.each(corruptions)('check finds %s (%s)', async (_, invariant, corrupt) => {
  const undo = new Error('undo');
  await sql
    .begin(async (transaction) => {
      const at = transaction as unknown as Sql;
      await dropGuards(at);
      await corrupt(at);
      const { faults } = await createLedger(nested(at)).check();
      expect(faults.map((fault) => fault.invariant)).toContain(invariant);
      for (const fault of faults)
        expect(fault).toEqual({
          invariant: expect.any(String),
          walletId: expect.any(String),
          detail: expect.any(String),
        });
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
});

/** Drops the triggers and constraints that would prevent such faults from being written. */
async function dropGuards(at: Sql): Promise<void> {
  for (const table of ['debits', 'statement_entries']) await at`drop trigger append_only on ${at(table)}`;
  const checks = await at<{ table: string; name: string }[]>`
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where contype = 'c' and conparentid = 0 and conislocal and conrelid in ('debits'::regclass, 'statement_entries'::regclass, 'wallets'::regclass, 'keys'::regclass,
      'spend_caps'::regclass)`;
  for (const { table, name } of checks) await at`alter table ${at(table)} drop constraint ${at(name)}`;
}

/** The check opens a transaction. Here it runs in this one, to see its faults and be rolled back with them. */
function nested(at: Sql): Sql {
  const begin = (_: string, run: (sql: Sql) => Promise<unknown>) => run(at);
  return Object.assign((...args: Parameters<Sql>) => at(...args), { begin }) as unknown as Sql;
}
