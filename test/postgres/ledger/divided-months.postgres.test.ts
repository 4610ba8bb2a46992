/** A month with too much data for one table has a table for each of its weeks or days. */
import { v7 } from 'uuid';
import { afterEach, describe, expect, test } from 'vitest';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { divideNextMonth } from '../../../adapters/postgres/ledger/maintenance.js';
import { readShards } from '../../../adapters/postgres/shards/shards.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { debitOf } from '../../engine/ports/suites/ledger.suite.js';
import { type OldLedger, openOldLedger } from '../old-ledger.js';

const WEEKS = [1, 2, 3, 4].map((week) => `2025-01-w${week}`);
const DAYS = Array.from({ length: 28 }, (_, nth) => `2025-02-${String(nth + 1).padStart(2, '0')}`);

/** The days with debits. */
const TWO_DAYS = ['2025-02-01', '2025-02-11'];

let home: OldLedger;
afterEach(() => home.close());

/** Divides the next month by the most that a table may hold; returns the suffixes of its tables. */
async function divided(sql: Sql, mostBytes: number): Promise<string[]> {
  const shards = await readShards(sql);
  while (await sql.begin((tx) => divideNextMonth(tx, { mostBytes, before: '40 days', until: '0 s', shards })));
  const spans = await sql<{ rest: string }[]>`
    select substr(span, 8) as rest from debit_spans
    where left(span, 7) = to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY-MM') order by span`;
  return spans.map(({ rest }) => rest);
}

describe('the next month', () => {
  test('has as many tables as the current one would need, and one again if that has less', async () => {
    home = await openOldLedger();
    const { sql, payer, ledger } = home;
    const shards = await readShards(sql);
    const size =
      shards === null
        ? sql`pg_total_relation_size(relid)`
        : sql`citus_total_relation_size(relid) / ${shards.count}::int`;
    const [rate] = await sql<[{ bytes: number }]>`
      select (${size} * 86400 / extract(epoch from now() - span_began(span)))::float8 as bytes
      from debit_spans where span = to_char(now() at time zone 'UTC', 'YYYY-MM')`;
    expect(await divided(sql, 32 * rate.bytes)).toEqual(['']);
    expect(await divided(sql, 12 * rate.bytes)).toEqual(['-w1', '-w2', '-w3', '-w4']);
    const days = await divided(sql, 2 * rate.bytes);
    expect([days[0], days[27], days.length > 27]).toEqual(['-01', '-28', true]);
    await ledger.runMaintenance();
    expect(await divided(sql, 2 * rate.bytes)).toEqual(days);
    expect(await divided(sql, 32 * rate.bytes)).toEqual(['']);
    await ledger.post(debitOf(payer, 1));
    expect(await home.faults()).toEqual([]);
  });

  test('stays as it is once it has a debit from a clock that is ahead', async () => {
    home = await openOldLedger();
    const { sql, payer, ledger } = home;
    const [next] = await sql<[{ ms: number }]>`
      select (extract(epoch from date_trunc('month', now(), 'UTC') + interval '32 days') * 1000)::float8 as ms`;
    await ledger.post(debitOf(payer, 1, { requestId: v7({ msecs: next.ms }) }));
    expect(await divided(sql, 1)).toEqual(['']);
  });

  test('is left to the next run while a query reads the ledger', async () => {
    home = await openOldLedger();
    const { sql } = home;
    await sql.begin(async (reader) => {
      await reader`select count(*) from debits`;
      await expect(divided(sql, 1)).rejects.toMatchObject({ code: '55P03' });
    });
    expect((await divided(sql, 1)).length).toBeGreaterThan(27);
  });

  test('is opened by the next run if a query reads the ledger, and old hours are folded during that query', async () => {
    home = await openOldLedger();
    const { sql, ledger, payer } = home;
    await sql`
      insert into usage_hours (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      values (${payer.accountId}, '2025-01-01', 'user', ${payer.keyId}, 1, 1, 0, 1)`;
    const [last] = await sql<[{ span: string; table: string }]>`
      select span, relid::regclass::text as table from debit_spans order by span desc limit 1`;
    await sql`drop table ${sql(last.table)}`;
    const isOpen = async () => (await sql`select from debit_spans where span = ${last.span}`).length === 1;
    const hours = async () => (await sql`select from usage_hours where hour < '2026-01-01'`).length;
    expect(await hours()).toBe(1);
    await sql.begin(async (reader) => {
      await reader`select count(*) from debits`;
      await ledger.runMaintenance();
    });
    expect([await isOpen(), await hours()]).toEqual([false, 0]);
    await ledger.runMaintenance();
    expect(await isOpen()).toBe(true);
  });

  test.each(['2026-02', '2028-02', '2026-04', '2026-12'])(
    '%s is the same whether it is divided or not',
    async (month) => {
      home = await openOldLedger([]);
      const spans = await home.sql<{ began: Date; ended: Date }[]>`
      with part as (
        select ${month} || '-w' || n as span, 7 as width from generate_series(1, 4) n
        union all
        select to_char(day, 'YYYY-MM-DD'), 1
        from generate_series(span_began(${month}), span_ended(${month}) - interval '1 day', interval '1 day') day
      )
      select min(span_began(span)) as began, max(span_ended(span)) as ended,
        sum(span_ended(span) - span_began(span)) = span_ended(${month}) - span_began(${month}) as "isWhole"
      from part group by width`;
      const [whole] = await home.sql<[{ began: Date; ended: Date }]>`
      select span_began(${month}) as began, span_ended(${month}) as ended`;
      expect(spans).toEqual([1, 2].map(() => ({ ...whole, isWhole: true })));
      expect(whole.began.toISOString()).toBe(`${month}-01T00:00:00.000Z`);
    },
  );
});

test('checks, archives and restores weeks and days like months, and finds their receipts', async () => {
  home = await openOldLedger([...WEEKS, ...TWO_DAYS]);
  const { sql, payer, ids, faults } = home;
  await home.ledger.runMaintenance();
  const rows = await home.rowsOf();
  expect(await faults()).toEqual([]);
  const checked = await sql<
    { month: string; rows: number }[]
  >`select month, rows from checked_months where rows > 0 order by 1`;
  expect([...checked]).toEqual([
    { month: '2025-01-w1', rows: 4 },
    { month: '2025-01-w4', rows: 8 },
    { month: '2025-02-01', rows: 4 },
    { month: '2025-02-11', rows: 4 },
  ]);
  const archived = await home.archive('parquet');
  expect(archived.map(({ month }) => month)).toEqual([...WEEKS, ...TWO_DAYS]);
  expect(await sql`select from debit_spans where span like '2025%'`).toHaveLength(0);
  const ledger = createLedger(sql, { archiveFolder: home.folder, shards: await readShards(sql) });
  const [id = ''] = ids;
  expect(await ledger.receipt(payer.accountId, id)).toMatchObject({ requestId: id, amount: 7 });
  expect(await ledger.archivedMonth(payer.accountId, id)).toBe('2025-01-w1');
  for (const span of [...WEEKS, ...TWO_DAYS]) await home.restore(span);
  expect(await home.rowsOf()).toEqual(rows);
  expect(await ledger.receipt(payer.accountId, id)).toMatchObject({ requestId: id, amount: 7 });
  expect(await faults()).toEqual([]);
});

test('archives the days before a given day, but an undivided month only once it is over', async () => {
  home = await openOldLedger(['2025-01', ...DAYS]);
  const { sql, folder } = home;
  await home.ledger.runMaintenance();
  const { archiveBefore } = await import('../../../adapters/cli/archive/archive.js');
  expect(await archiveBefore(sql, '2025-01-20', folder)).toEqual([]);
  expect((await archiveBefore(sql, '2025-02-03', folder)).map(({ month }) => month)).toEqual([
    '2025-01',
    '2025-02-01',
    '2025-02-02',
  ]);
});
