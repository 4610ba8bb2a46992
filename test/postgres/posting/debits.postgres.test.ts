/** The ledger's tables: receipts, deferred sums, and months. */
import fc from 'fast-check';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { Ledger, ReceiptLine } from '../../../src/ports/ledger.js';
import { debitOf, grantTo, openPayer, type Payer, spentBy } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { randomId } from './random-id.js';

const ALL = { from: '2000-01-01', to: '2999-01-01', limit: 1_000 };

let database: FreshDatabase;
let sql: Sql;
let accounts: Accounts;
let ledger: Ledger;
beforeEach(async () => {
  database = await freshDatabase();
  sql = database.sql;
  accounts = createAccounts(sql);
  ledger = createLedger(sql);
});
afterEach(() => database.drop());

async function openWith(amount: number, cap: number | null = null): Promise<Payer> {
  const payer = await openPayer(accounts, cap);
  await grantTo(ledger, payer, amount);
  return payer;
}

/** Moves the time of the last sums that far back, so that later debits are not summed up yet. */
const sumsEndedBefore = (ms: number) =>
  sql`update wallets set summed_to = first_id_at(now() - ${ms} * interval '1 millisecond')`;

const ago = (ms: number): { requestId: string } => ({ requestId: v7({ msecs: Date.now() - ms }) });

const faults = async () => (await ledger.check()).faults;

test('reads a receipt as it was posted, whatever its lines', async () => {
  const payer = await openWith(1_000_000_000);
  const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_.…]{0,63}$/);
  const line = fc.record({
    path: name,
    unit: fc.constantFrom('profile', 'tweet', 'edge_profile', 'follower_id', 'retweeter'),
    cache: fc.constantFrom('miss', 'hit', 'bypass'),
    items: fc.integer({ min: 1, max: 1000 }),
    unitPrice: fc.integer({ min: 1, max: 2000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), name, async (lines, other) => {
      const operation = lines[0]?.items === 1 ? (lines[0]?.path ?? other) : other;
      const debit = debitOf(payer, 1, { lines: lines as ReceiptLine[], operation });
      await ledger.post(debit);
      const receipt = await ledger.receipt(payer.accountId, debit.requestId);
      expect([receipt?.lines, receipt?.operation]).toEqual([lines, operation]);
    }),
    { numRuns: 30 },
  );
  await expect(
    ledger.post(debitOf(payer, 1, { lines: [{ ...debitOf(payer, 1).lines[0], path: 'a b' } as ReceiptLine] })),
  ).rejects.toThrow(RangeError);
});

describe('sums', () => {
  test('are made later, for settled requests only, and change neither usage nor the spending of keys', async () => {
    const payer = await openWith(100_000);
    await sumsEndedBefore(2 * HOUR_MS);
    const ids = [ago(HOUR_MS), ago(HOUR_MS / 2), {}, { requestId: randomId() }, ago(3 * HOUR_MS)];
    for (const [nth, id] of ids.entries()) await ledger.post(debitOf(payer, 100 * 2 ** nth, id));
    const reports = async () => [
      await ledger.usage(payer.accountId, { ...ALL, group: ['day', 'hour', 'endpoint', 'key'] }),
      await spentBy(accounts, payer),
      await faults(),
    ];
    const before = await reports();
    expect(before.slice(1)).toEqual([3_100, []]);
    expect(await sql`select from unsummed_debits`).toHaveLength(3);
    await ledger.runMaintenance();
    expect(await sql`select from unsummed_debits`).toHaveLength(1);
    expect(await reports()).toEqual(before);
    // A request that took longer than the sums wait for.
    await ledger.post(debitOf(payer, 1, ago(HOUR_MS / 2)));
    expect(await sql`select from unsummed_debits`).toHaveLength(1);
    expect(await spentBy(accounts, payer)).toBe(3_101);
    expect(await faults()).toEqual([]);
  });

  test('of a wallet with many debits are made in steps while more are posted', async () => {
    const payer = await openWith(1_000_000);
    await sumsEndedBefore(2 * HOUR_MS);
    const post = () => ledger.post(debitOf(payer, 1, ago(HOUR_MS - Math.random() * 1000)));
    await Promise.all(Array.from({ length: 1_900 }, post));
    let isSumming = true;
    const spending = (async () => {
      let posted = 0;
      for (; isSumming; posted += 1) await ledger.post(debitOf(payer, 1, ago(Math.random() * HOUR_MS)));
      return posted;
    })();
    await Promise.all([ledger.runMaintenance(), createLedger(sql).runMaintenance()]);
    isSumming = false;
    const posted = 1_900 + (await spending);
    expect(await faults()).toEqual([]);
    expect((await ledger.usage(payer.accountId, { ...ALL, group: [] }))[0]?.requests).toBe(posted);
    await ledger.runMaintenance();
    expect(await faults()).toEqual([]);
    expect(await spentBy(accounts, payer)).toBe(posted);
  });

  test('do not keep a cap set by plain SQL from counting what was spent after them', async () => {
    const payer = await openWith(10_000);
    await ledger.post(debitOf(payer, 700));
    for (const period of ['day', 'month', 'total']) {
      await sql.begin(async (tx) => {
        const [cap] = await tx<{ capId: string }[]>`
          insert into spend_caps (account_id, cap_thousandths, period, period_start, spent_thousandths)
          values (${payer.accountId}, 1000, ${period}, period_began(${period}, now()), 0) returning cap_id as "capId"`;
        await tx`update keys set cap_id = ${cap?.capId ?? ''} where key_id = ${payer.keyId}`;
      });
      expect(await ledger.post(debitOf(payer, 301))).toEqual({ ok: false, reason: 'key_cap' });
      expect(await faults()).toEqual([]);
      await accounts.changeKey(payer, { cap: null });
    }
  });
});

describe('months', () => {
  const months = () => sql<{ name: string }[]>`
    select relid::regclass::text as name from pg_partition_tree('debits') where isleaf order by 1`;

  test('are open up to the third one ahead, and maintenance opens a month that was missed', async () => {
    // The database is a copy of one that may have been made last month.
    await ledger.runMaintenance();
    const all = (await months()).map(({ name }) => name);
    const wanted = await sql<{ name: string }[]>`
      select to_char(now() at time zone 'UTC' + n * interval '1 month', '"debits_"YYYY_MM') as name
      from generate_series(0, 3) n`;
    expect(all.filter((name) => /^debits_\d{4}_\d{2}$/.test(name)).slice(-4)).toEqual(wanted.map(({ name }) => name));
    expect(all).toContain('debits_of_no_month');
    await sql.unsafe(`drop table ${wanted[3]?.name}`);
    await ledger.runMaintenance();
    expect((await months()).map(({ name }) => name)).toEqual(all);
  });

  test('without a partition have their debits in the default one', async () => {
    const payer = await openWith(10_000);
    const [month] = await sql<{ name: string }[]>`select to_char(now() at time zone 'UTC', '"debits_"YYYY_MM') as name`;
    await sql.unsafe(`drop table ${month?.name}`);
    const debits = [debitOf(payer, 100), debitOf(payer, 200, { requestId: randomId() })];
    for (const debit of debits) await ledger.post(debit);
    expect(await sql`select from debits_of_no_month`).toHaveLength(2);
    await ledger.runMaintenance();
    expect((await months()).map(({ name }) => name)).not.toContain(month?.name);
    for (const { requestId, amount } of debits) {
      expect(await ledger.receipt(payer.accountId, requestId)).toMatchObject({ amount });
      expect(await ledger.post(debitOf(payer, amount, { requestId }))).toMatchObject({ ok: true });
    }
    expect((await ledger.recent(payer.accountId, 5)).map(({ amount }) => amount)).toEqual([200, 100]);
    expect(await spentBy(accounts, payer)).toBe(300);
    expect(await faults()).toEqual([]);
  });
});

test('stores a charge in fewer than 230 bytes of table and index', async () => {
  const payers = await Promise.all(Array.from({ length: 40 }, () => openWith(1_000_000)));
  // Counts rows as in a full page, aligned and with a pointer: concurrent connections leave pages half full.
  const size = async () => {
    const [row] = await sql<{ bytes: number }[]>`
      select (select sum(pg_indexes_size(relid)) from pg_partition_tree('debits') where isleaf)
        + coalesce(sum((pg_column_size(debits.*) + 7) / 8 * 8 + 4), 0) as bytes from debits`;
    return Number(row?.bytes);
  };
  const before = await size();
  const line = { path: 'timeline', unit: 'tweet', cache: 'hit', items: 20, unitPrice: 500 } as const;
  const receipt = { operation: 'timeline', items: 20, cacheHits: 20, lines: [line] };
  const groups = 1_250;
  for (let group = 0; group < groups; group += 1) {
    const some = Array.from({ length: 16 }, (_, nth) => payers[(group * 16 + nth) % payers.length] as Payer);
    await Promise.all(some.map((payer) => ledger.post(debitOf(payer, 1, receipt))));
  }
  expect(((await size()) - before) / (groups * 16)).toBeLessThan(230);
});
