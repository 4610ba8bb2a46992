/** Finished months are checked once. Later checks continue from the state in which they ended. */
import { v7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { readShards } from '../../../adapters/postgres/shards/shards.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { debitOf } from '../../engine/ports/suites/ledger.suite.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';
import { JANUARY, type OldLedger, openOldLedger, unprotect } from '../old-ledger.js';

let home: OldLedger;
beforeEach(async () => {
  home = await openOldLedger();
});
afterEach(() => home.close());

const recorded = () => home.sql<{ month: string; rows: number }[]>`
  select month, rows from checked_months order by 1`;

async function tamper(): Promise<void> {
  await unprotect(home.sql, ['debits_2025_01']);
  await home.sql`update debits_2025_01 set lines = '' where seq = 2`;
}

test('counts the entries of checked months, and reads them again only with --all', async () => {
  const { sql, ledger } = home;
  const [all] = await sql<[{ entries: number }]>`select count(*) as entries from ledger_entries`;
  for (let times = 0; times < 2; times += 1)
    expect(await ledger.check()).toEqual({ wallets: 2, entries: all.entries, faults: [] });
  expect((await recorded()).slice(0, 2)).toEqual([
    { month: JANUARY, rows: 12 },
    { month: '2025-02', rows: 8 },
  ]);
  await tamper();
  expect((await ledger.check()).faults).toEqual([]);
  expect(new Set((await ledger.check({ all: true })).faults.map(({ invariant }) => invariant))).toEqual(
    new Set(['lines_amount', 'lines_items']),
  );
});

test('records no month with a fault, and names the fault each time', async () => {
  await tamper();
  for (let times = 0; times < 2; times += 1)
    expect((await home.faults()).map(({ invariant }) => invariant)).toContain('lines_amount');
  expect((await recorded()).map(({ month }) => month)).not.toContain(JANUARY);
});

test('records no month with debits that are not summed up yet', async () => {
  await home.sql`update wallets set summed_to = first_id_at('2025-02-05') where account_id = ${home.payer.accountId}`;
  await home.ledger.check();
  expect((await recorded()).map(({ month }) => month)).not.toContain('2025-02');
});

test('accepts a debit that is posted late to a checked month, and records that month alone again', async () => {
  const { sql, ledger, payer } = home;
  const records = () => sql<{ month: string; rows: number; version: string }[]>`
    select month, rows, xmin::text as version from checked_months order by 1`;
  expect(await home.faults()).toEqual([]);
  const [, february] = await records();
  await ledger.post(debitOf(payer, 1, { requestId: v7({ msecs: Date.parse(`${JANUARY}-20`) }) }));
  expect(await home.faults()).toEqual([]);
  const [january, ...others] = await records();
  expect(january).toMatchObject({ month: JANUARY, rows: 13 });
  expect(others[0]).toEqual(february);
});

test('finds a wallet that differs from what its checked months left', async () => {
  expect(await home.faults()).toEqual([]);
  await home.sql`update wallets set balance_thousandths = 1 where account_id = ${home.payer.accountId}`;
  expect((await home.faults()).map(({ invariant }) => invariant)).toEqual(
    expect.arrayContaining(['wallet_last', 'wallet_sum']),
  );
});

test('reads past months again though that takes longer than a statement may', async () => {
  const { sql, database } = home;
  const [statementMs, takenS] = [2_000, 2.2];
  expect(await home.faults()).toEqual([]);
  await sql`
    create function take_long() returns trigger language plpgsql as $$
    begin
      if old.month = '2025-01' then perform pg_sleep(${sql.unsafe(String(takenS))}); end if;
      return old;
    end $$`;
  await sql`create trigger takes_long before delete on checked_months for each row execute function take_long()`;
  const limited = connect(database.target, { limits: { lockMs: 2_000, statementMs, idleMs: 2_000 } });
  try {
    const shards = await readShards(limited);
    expect((await createLedger(limited, { shards }).check({ all: true })).faults).toEqual([]);
  } finally {
    await limited.end();
  }
});

test('finds no fault, and records each month once, if two checks run at the same time', async () => {
  const { sql, ledger } = home;
  const release = await holdLocks(sql, (tx) => tx`lock table checked_months in exclusive mode`);
  const checks = [ledger.check(), ledger.check()];
  const waiting = () =>
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting()).length).toBe(2);
  await release();
  expect((await Promise.all(checks)).map(({ faults }) => faults)).toEqual([[], []]);
  expect((await recorded()).slice(0, 2).map(({ rows }) => rows)).toEqual([12, 8]);
});
