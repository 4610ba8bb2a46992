/** Months of debits as Parquet, through a real DuckDB: every row is restored unchanged. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveBefore } from '../../../adapters/cli/archive/archive.js';
import { archiveParquet, readParquet } from '../../../adapters/cli/archive/parquet.js';
import { copyDebits, debitLines } from '../../../adapters/postgres/ledger/archives.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { readShards } from '../../../adapters/postgres/shards/shards.js';
import { BEFORE, FEBRUARY, JANUARY, type OldLedger, openOldLedger } from '../old-ledger.js';

let home: OldLedger;
beforeEach(async () => {
  home = await openOldLedger();
});
afterEach(() => home.close());

type Row = Record<string, unknown>;

test('archives and restores months exactly, and writes the same file for the same month', async () => {
  const { rowsOf, archive, restore, faults } = home;
  const rows = await rowsOf();
  const archived = await archive('parquet');
  expect(archived.map(({ file, rows: count }) => [file, count])).toEqual([
    [`debits-${JANUARY}.parquet`, 12],
    [`debits-${FEBRUARY}.parquet`, 8],
  ]);
  expect((await readdir(home.folder)).sort()).toEqual([
    `debits-${JANUARY}.json`,
    `debits-${JANUARY}.parquet`,
    `debits-${FEBRUARY}.json`,
    `debits-${FEBRUARY}.parquet`,
  ]);
  expect(await rowsOf()).toHaveLength(1);
  expect(await faults()).toEqual([]);
  for (const month of [FEBRUARY, JANUARY]) await restore(month);
  expect(await rowsOf()).toEqual(rows);
  expect(await faults()).toEqual([]);
  expect(await archive('parquet')).toMatchObject(archived.map(({ sha256 }) => ({ sha256 })));
});

test('writes the same values as the line format, in the order of the index', async () => {
  const [expected, found]: [Row[], Row[]] = [[], []];
  for await (const lines of debitLines(home.sql, JANUARY)) expected.push(...lines.map((line) => JSON.parse(line)));
  await home.archive('parquet');
  await readParquet(join(home.folder, `debits-${JANUARY}.parquet`), async (lines) => {
    found.push(...lines.map((line) => JSON.parse(line)));
  });
  const plain = ({ at, seq, amount_thousandths, balance_after, ...row }: Row) => ({
    ...{ ...row, at: Date.parse(String(at)), seq: Number(seq) },
    ...{ amount_thousandths: Number(amount_thousandths), balance_after: Number(balance_after) },
  });
  expect(found.map(plain)).toEqual(expected.map(plain));
  const about = JSON.parse(await readFile(home.manifest(JANUARY), 'utf8'));
  const ids = expected.map(({ request_id }) => String(request_id)).sort();
  expect(about).toMatchObject({ rows: 12, first_request_id: ids[0], last_request_id: ids.at(-1) });
});

test('answers receipts of an archived month from its file, to the account that paid', async () => {
  const { sql, payer, folder, ids } = home;
  const ledger = createLedger(sql, { archiveFolder: folder, shards: await readShards(sql) });
  const [mine = '', others = ''] = ids;
  const before = await ledger.receipt(payer.accountId, mine);
  expect(before).toMatchObject({ requestId: mine, amount: 7, operation: 'naïve "…"' });
  await home.archive('parquet');
  expect(await home.ledger.receipt(payer.accountId, mine)).toBeUndefined();
  expect(await ledger.receipt(payer.accountId, mine)).toEqual(before);
  expect(await ledger.receipt(payer.accountId, others)).toBeUndefined();
  expect(await ledger.receipt(payer.accountId, v7({ msecs: Date.parse('2025-01-20') }))).toBeUndefined();
  await rm(join(folder, `debits-${JANUARY}.parquet`));
  expect(await ledger.receipt(payer.accountId, mine)).toBeUndefined();
});

test('copies a month of many debits completely, however slowly they are consumed, or until it fails', async () => {
  const { sql, payer } = home;
  await sql`
    insert into debits_2025_01 (request_id, seq, amount_thousandths, balance_after, account_id, key_number, items, cache_hits,
      operation, lines)
    select overlay(gen_random_uuid()::text placing left(first_id_at('2025-01-10')::text, 13) from 1)::uuid, n, 1, 1, ${payer.accountId}, 1, 1, 1,
      'many', ' profile hit 1 1' from generate_series(1, 30000) n`;
  const copied = async (blocksAtOnce?: number): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    const take = async (csv: AsyncIterable<Buffer>) => {
      for await (const chunk of csv) {
        chunks.push(chunk);
        await new Promise(setImmediate);
      }
    };
    await copyDebits(sql, JANUARY, take, blocksAtOnce);
    return Buffer.concat(chunks);
  };
  const whole = await copied();
  expect(whole.length).toBeGreaterThan(3_000_000);
  expect((await copied(100)).equals(whole)).toBe(true);
  const stop = new Error('stop');
  const failing = copyDebits(sql, JANUARY, async (csv) => {
    for await (const _ of csv) throw stop;
  });
  await expect(failing).rejects.toBe(stop);
  expect(await sql`select 1 as one`).toHaveLength(1);
});

test('leaves nothing behind, and the database usable, when it is interrupted or its input is unreadable', async () => {
  const stop = new Error('interrupted');
  const onProgress = () => {
    throw stop;
  };
  await expect(archiveBefore(home.sql, BEFORE, home.folder, { format: 'parquet', onProgress })).rejects.toBe(stop);
  const path = join(home.folder, 'x.parquet');
  const nonsense = async function* () {
    yield Buffer.from('no,debit\n');
  };
  await expect(copyDebits(home.sql, JANUARY, () => archiveParquet(path, nonsense()))).rejects.toThrow(/CSV/);
  expect(await readdir(home.folder)).toEqual([]);
  expect(await home.rowsOf()).toHaveLength(21);
  expect(await home.archive('parquet')).toHaveLength(2);
});

test('refuses to restore a file that differs from the archived one by a byte', async () => {
  await home.archive('parquet');
  const path = join(home.folder, `debits-${JANUARY}.parquet`);
  const bytes = await readFile(path);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  await writeFile(path, bytes);
  await expect(home.restore(JANUARY)).rejects.toThrow('has changed since it was archived');
  expect(await home.rowsOf()).toHaveLength(1);
});
