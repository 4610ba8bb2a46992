/** Sums that usage is answered from: made from an old ledger while debits go on, folded, and the same at any moment. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { v7 } from 'uuid';
import { afterEach, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { sumAccount } from '../../../adapters/postgres/ledger/sums.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import { debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { olderPost } from '../older-node.js';

const FOLDER = new URL('../../../adapters/postgres/migrations/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const BEFORE = ['001.do.ledger.sql', '002.do.corpus.sql', '003.do.installation.sql', '004.do.customers.sql'];
const SUMS = read('005.do.usage.sql');
const DEBITS = `${read('006.do.debits.sql')}; ${read('007.do.archives.sql')}; select open_month(now())`;
/** Everything since, of which today's accounts need some columns. */
const LATER = readdirSync(FOLDER)
  .filter((name) => Number.parseInt(name, 10) > 7)
  .sort()
  .map(read)
  .join(';\n');
const ALL = { from: '2000-01-01', to: '2999-01-01', limit: 1_000 };
const ENTRIES = 50_000;

let database: FreshDatabase | undefined;
afterEach(() => database?.drop());

/** As a version without sums left it, with a name of 30 KB among the others. */
async function olderLedger(): Promise<{ sql: Sql; payer: Payer }> {
  database = await freshDatabase();
  const { sql } = database;
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  for (const name of BEFORE) await sql.unsafe(read(name));
  const payer = await olderPayer(sql);
  await sql.unsafe(`
    insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
      operation, items, cache_hits, lines, at)
    select '${payer.accountId}', '${payer.walletId}', 1 + n, gen_random_uuid(), 'debit', 1000, ${ENTRIES}000000 - n * 1000,
      '${payer.keyId}', case when n % 1000 = 0 then repeat(md5(n::text), 1000) else 'op' || n % 7 end, 1, 0,
      '[{"path": "user", "unit": "profile", "cache": "miss", "items": 1, "unitPrice": 1000}]',
      now() - (${ENTRIES} - n) * interval '1 minute'
    from generate_series(1, ${ENTRIES}) n`);
  await sql`
    update wallets set last_seq = last_seq + ${ENTRIES}, balance_thousandths = balance_thousandths - ${ENTRIES * 1000}
    where wallet_id = ${payer.walletId}`;
  await sql`
    update keys set spent_thousandths = ${ENTRIES * 1000}, counted_thousandths = ${ENTRIES * 1000}
    where key_id = ${payer.keyId}`;
  return { sql, payer };
}

async function olderPayer(sql: Sql): Promise<Payer> {
  const prefix = 'perch_live_before';
  const [made] = await sql<Omit<Payer, 'prefix'>[]>`
    with a as (insert into accounts (name) values ('a') returning account_id),
      w as (
        insert into wallets (account_id, balance_thousandths, last_seq)
        select account_id, ${ENTRIES * 1_000_000}, 1 from a returning account_id, wallet_id
      )
    insert into keys (account_id, wallet_id, hash, prefix, name)
    select account_id, wallet_id, ${randomBytes(32)}, ${prefix}, 'k' from w
    returning account_id as "accountId", wallet_id as "walletId", key_id as "keyId"`;
  const payer = { accountId: '', walletId: '', keyId: '', ...made, prefix };
  await sql`
    insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
    values (${payer.accountId}, ${payer.walletId}, 1, gen_random_uuid(), 'grant', ${ENTRIES * 1_000_000},
      ${ENTRIES * 1_000_000}, 'test')`;
  return payer;
}

test('sums an old ledger in steps beside running debits, with correct usage and checks throughout', async () => {
  const { sql, payer } = await olderLedger();
  const nodes = [createLedger(sql), createLedger(sql)] as const;
  let posted = 0;
  let posting = true;
  const spend = async (post: () => Promise<unknown>): Promise<void> => {
    while (posting) {
      await post();
      posted += 1;
    }
  };
  const spending = [spend(() => olderPost(sql, payer, 1_000))];
  await sql.begin((tx) => tx.unsafe(SUMS).simple());
  await sql.begin((tx) => tx.unsafe(DEBITS).simple());
  spending.push(spend(async () => expect(await nodes[0].post(debitOf(payer, 1_000))).toMatchObject({ ok: true })));
  const total = async () => (await nodes[0].usage(payer.accountId, { ...ALL, group: [] }))[0]?.requests ?? 0;
  const least = ENTRIES + posted;
  const during = total();
  const maintenance = nodes.map((node) => node.runMaintenance());
  for (const seen of [await during, await total(), await total()]) {
    expect(seen).toBeGreaterThanOrEqual(least);
    expect(seen).toBeLessThanOrEqual(ENTRIES + posted + 2);
  }
  await nodes[1].check().then(({ faults }) => expect(faults).toEqual([]));
  await Promise.all(maintenance);
  await nodes[0].runMaintenance();
  posting = false;
  await Promise.all(spending);
  expect(await sql`select from usage_unsummed`).toHaveLength(0);
  expect(await total()).toBe(ENTRIES + posted);
  expect((await nodes[0].check()).faults).toEqual([]);
  const names = await nodes[0].usage(payer.accountId, { ...ALL, group: ['endpoint'] });
  expect(names.every(({ endpoint = '' }) => endpoint.length <= 64)).toBe(true);
}, 60_000);

test('a cap set while an old ledger is not summed up yet counts all of it', async () => {
  const { sql, payer } = await olderLedger();
  await sql.begin((tx) => tx.unsafe([SUMS, DEBITS, LATER].join(';\n')).simple());
  const accounts = createAccounts(sql);
  const low = accounts.changeKey(payer, { cap: { amount: ENTRIES * 1000 - 1, period: 'total' } });
  await expect(low).rejects.toMatchObject({ code: 'bad_request' });
  const [month] = await sql<{ spent: number }[]>`
    select sum(amount_thousandths)::bigint as spent from ledger_entries
    where kind = 'debit' and at >= date_trunc('month', now(), 'UTC')`;
  const cap = { amount: ENTRIES * 1_000_000, period: 'month' } as const;
  expect((await accounts.changeKey(payer, { cap })).cap?.spent).toBe(month?.spent);
  expect((await createLedger(sql).check()).faults).toEqual([]);
}, 60_000);

test('folds hours of past days into days on any node without changing a result', async () => {
  database = await freshDatabase();
  const { sql } = database;
  const nodes = [createLedger(sql), createLedger(sql)] as const;
  const payer = await openPayer(createAccounts(sql));
  await grantTo(nodes[0], payer, 1_000_000);
  for (let nth = 0; nth < 30; nth += 1) {
    // Of a request that began before the sums: it is in them at once.
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
  const ask = () =>
    Promise.all(
      [[], ['day'], ['day', 'endpoint', 'key']].map((group) =>
        nodes[1].usage(payer.accountId, { ...ALL, group: group as ('day' | 'endpoint' | 'key')[] }),
      ),
    );
  const before = await ask();
  expect((await nodes[0].check()).faults).toEqual([]);
  const [during] = await Promise.all([ask(), nodes[0].runMaintenance(), nodes[1].runMaintenance()]);
  expect(during).toEqual(before);
  // What one of two leaves to the other, and the other to the one, is done by the next run.
  await nodes[0].runMaintenance();
  expect(await ask()).toEqual(before);
  expect((await nodes[0].check()).faults).toEqual([]);
  const [left] = await sql<{ hours: number; days: number }[]>`
    select (select count(*) from usage_hours where hour < date_trunc('day', now(), 'UTC') - interval '8 days') as hours,
      (select count(*) from usage_days) as days`;
  expect(left?.hours).toBe(0);
  expect(left?.days).toBeGreaterThan(0);
});

test('names of days before yesterday are dropped', async () => {
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

const SETTLING = { code: 'upstream_rate_limited', status: 503, detail: { reason: 'settling' } };

test('waits briefly for missing sums and resumes from where the last request stopped', async () => {
  database = await freshDatabase();
  const { sql } = database;
  const payer = await openPayer(createAccounts(sql));
  await sql`
    insert into usage_unsummed (account_id, wallet_id, summed_seq, until_seq)
    values (${payer.accountId}, ${payer.walletId}, 0, 50000)`;
  const limited = connect(database.target, { max: 2, limits: { lockMs: 100, statementMs: 5_000, idleMs: 5_000 } });
  const locker = await sql.reserve();
  try {
    await locker`begin`;
    await locker`select 1 from usage_unsummed for update`;
    const change = { cap: { amount: 1_000, period: 'total' } } as const;
    await expect(createAccounts(limited).changeKey(payer, change)).rejects.toMatchObject(SETTLING);
    await locker`rollback`;
    await expect(sumAccount(limited, payer.accountId, 0)).rejects.toMatchObject(SETTLING);
    expect(await sql`select summed_seq from usage_unsummed`).toMatchObject([{ summed_seq: 20_000 }]);
    await createAccounts(limited).changeKey(payer, change);
    expect(await sql`select from usage_unsummed`).toHaveLength(0);
  } finally {
    locker.release();
    await limited.end({ timeout: 1 });
  }
});
