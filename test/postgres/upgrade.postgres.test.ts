/** How the migration from 0.3.0 converts entries that the released dump lacks: odd ids, odd paths, many months. */
import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import { migrate } from '../../adapters/postgres/migrate.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import { DAY_MS } from '../../src/lib/durations.js';
import type { Ledger } from '../../src/ports/ledger.js';
import { debitOf, type Payer } from '../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { goBackToReleasedSchema } from '../kit/postgres/released-schema.js';

const ALL = { from: '2000-01-01', to: '2999-01-01', limit: 1_000 };
const DAYS = 100;
/** In thousandths. */
const PRICE = 1_000;
const GRANTED = 1_000_000;

let database: FreshDatabase;
let sql: Sql;
let ledger: Ledger;
let payer: Payer;
/** The ids of one debit a day, oldest first, then a random id, and one from a clock that is a day ahead. */
let ids: string[];

beforeEach(async () => {
  database = await freshDatabase();
  sql = database.sql;
  await goBackToReleasedSchema(sql);
  payer = await openReleasedAccount();
  ids = Array.from({ length: DAYS }, (_, nth) => v7({ msecs: Date.now() - (DAYS - nth) * DAY_MS }));
  ids.push('f0000000-0000-4000-8000-000000000000', v7({ msecs: Date.now() + DAY_MS }));
  await postAsReleased();
  ledger = createLedger(sql);
});
afterEach(() => database.drop());

async function openReleasedAccount(): Promise<Payer> {
  const prefix = 'perch_live_before';
  const [made] = await sql<Omit<Payer, 'prefix' | 'uncapped'>[]>`
    with a as (insert into accounts (name) values ('a') returning account_id),
      w as (
        insert into wallets (account_id, balance_thousandths, last_seq) select account_id, ${GRANTED}, 1 from a
        returning account_id, wallet_id
      )
    insert into keys (account_id, wallet_id, hash, prefix, name)
    select account_id, wallet_id, ${randomBytes(32)}, ${prefix}, 'k' from w
    returning account_id as "accountId", wallet_id as "walletId", key_id as "keyId"`;
  const opened = { accountId: '', walletId: '', keyId: '', uncapped: null, ...made, prefix };
  await sql`
    insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
    values (${opened.accountId}, ${opened.walletId}, 1, ${opened.accountId}, 'grant', ${GRANTED}, ${GRANTED}, 'start')`;
  return opened;
}

/** A debit for each id, as 0.3.0 left it: names of any length, a path with a space. */
async function postAsReleased(): Promise<void> {
  const lines = [
    { path: 'user', unit: 'profile', cache: 'hit', items: 1, unitPrice: PRICE / 2 },
    { path: 'an alias;', unit: 'tweet', cache: 'miss', items: 1, unitPrice: PRICE / 2 },
  ];
  await sql`
    insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
      operation, items, cache_hits, lines, at)
    select ${payer.accountId}, ${payer.walletId}, 1 + n, id, 'debit', ${PRICE}::bigint, ${GRANTED} - n * ${PRICE}::bigint,
      ${payer.keyId}, case when n = 1 then repeat('long', 30) else 'user' end, 2, 1,
      ${JSON.stringify(lines)}::text::jsonb, least(now(), now() - (${DAYS} - n) * interval '1 day')
    from unnest(${ids}::uuid[]) with ordinality as i(id, n)`;
  const spent = ids.length * PRICE;
  await sql`
    update wallets set last_seq = last_seq + ${ids.length}, balance_thousandths = balance_thousandths - ${spent}
    where wallet_id = ${payer.walletId}`;
  await sql`
    update keys set spent_thousandths = ${spent}, counted_thousandths = ${spent} where key_id = ${payer.keyId}`;
  await sql`analyze ledger_entries`;
}

/** The month of an id that contains a time, as `2025_12`. */
const monthOf = (id: string): string =>
  new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString().slice(0, 7).replace('-', '_');

const requests = async (group: ('hour' | 'day' | 'endpoint')[]): Promise<number> =>
  (await ledger.usage(payer.accountId, { ...ALL, group })).reduce((sum, row) => sum + row.requests, 0);

test('converts every entry, says how many there are, and leaves a ledger without faults', async () => {
  const progress: string[] = [];
  await migrate(sql, (text) => progress.push(text));
  expect(progress).toEqual([
    'Converting the ledger of 0.3.0, about 103 entries: allow half a minute per million',
    'Migrating the database: version-0-4-0',
  ]);
  expect((await ledger.check()).faults).toEqual([]);
  expect(await requests(['day'])).toBe(ids.length);
  await ledger.runMaintenance();
  await ledger.post(debitOf(payer, PRICE));
  expect((await ledger.check()).faults).toEqual([]);
  expect(await requests([])).toBe(ids.length + 1);
  const names = await ledger.usage(payer.accountId, { ...ALL, group: ['endpoint'] });
  expect(names.map(({ endpoint = '' }) => endpoint.length)).toEqual([64, 4]);
});

test('puts debits into the month of their request, and those whose id has no time into none', async () => {
  await migrate(sql);
  const rows = await sql<{ id: string; table: string }[]>`
    select request_id as id, tableoid::regclass::text as table from debits order by seq`;
  expect(rows.map(({ id }) => id)).toEqual(ids);
  for (const { id, table } of rows.slice(0, DAYS)) expect(table).toBe(`debits_${monthOf(id)}`);
  expect(rows[DAYS]?.table).toBe('debits_of_no_month');
});

test('answers receipts and statements as 0.3.0 did, and posts neither a debit nor a grant again', async () => {
  await migrate(sql);
  const accounts = createAccounts(sql);
  for (const [nth, id] of ids.entries()) {
    const receipt = await ledger.receipt(payer.accountId, id);
    expect(receipt).toMatchObject({
      amount: PRICE,
      balanceAfter: GRANTED - (nth + 1) * PRICE,
      keyPrefix: payer.prefix,
      lines: [{ path: 'user' }, { path: 'an_alias_', unit: 'tweet', cache: 'miss', items: 1, unitPrice: PRICE / 2 }],
    });
  }
  const left = GRANTED - ids.length * PRICE;
  expect(await ledger.post(debitOf(payer, PRICE, { requestId: ids[0] ?? '' }))).toMatchObject({ ok: true });
  expect((await accounts.get(payer.accountId))?.balance).toBe(left);
  const start = { requestId: payer.accountId, accountId: payer.accountId, amount: GRANTED, reason: 'start' };
  expect(await ledger.grant(start)).toBe(GRANTED);
  expect(await ledger.statement(payer.accountId, 10)).toMatchObject([{ kind: 'grant', amount: GRANTED }]);
  expect((await accounts.get(payer.accountId))?.balance).toBe(left);
});

test('counts what 0.3.0 posted in a cap that is set afterwards', async () => {
  await migrate(sql);
  const accounts = createAccounts(sql);
  const spent = ids.length * PRICE;
  const low = accounts.changeKey(payer, { cap: { amount: spent - 1, period: 'total' } });
  await expect(low).rejects.toMatchObject({ code: 'bad_request' });
  expect((await accounts.changeKey(payer, { cap: { amount: GRANTED, period: 'total' } })).cap?.spent).toBe(spent);
  expect((await ledger.check()).faults).toEqual([]);
});

test('fails and changes nothing if an entry names a key that does not exist', async () => {
  await sql`alter table ledger_entries disable trigger append_only`;
  await sql`update ledger_entries set key_id = ${randomUUID()} where seq = 2`;
  await expect(migrate(sql)).rejects.toMatchObject({ code: '23502' });
  expect(await sql`select from ledger_entries`).toHaveLength(ids.length + 1);
  expect(await sql`select max(version)::int as version from schema_version`).toMatchObject([{ version: 4 }]);
});
