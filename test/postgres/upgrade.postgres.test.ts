/** A running service of the version before 004 beside one of this version, on one database (docs/scaling.md, upgrades). */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import type { Accounts } from '../../src/ports/accounts.js';
import type { Ledger } from '../../src/ports/ledger.js';
import { debitOf, type Payer } from '../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';

const FOLDER = new URL('../../adapters/postgres/migrations/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

let database: FreshDatabase;
let accounts: Accounts;
let ledger: Ledger;
let payer: Payer;

beforeAll(async () => {
  database = await freshDatabase();
  const { sql } = database;
  accounts = createAccounts(sql);
  ledger = createLedger(sql);
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  for (const name of ['001.do.ledger.sql', '002.do.corpus.sql', '003.do.installation.sql'])
    await sql.unsafe(read(name));
  payer = await olderAccount();
  await olderDebit(payer, 1_000);
  await sql.unsafe(read('004.do.customers.sql'));
  await sql.unsafe(read('005.do.usage.sql'));
  await sql.unsafe(read('006.do.debits.sql'));
  await sql.unsafe(read('007.do.archives.sql'));
  await sql.unsafe(read('013.do.operators.sql'));
});
afterAll(() => database.drop());

/** As the version before wrote: a key has its cap itself. */
async function olderKey(accountId: string, cap: number | null): Promise<string> {
  const [row] = await database.sql<{ keyId: string }[]>`
    insert into keys (account_id, wallet_id, hash, prefix, name, cap_thousandths)
    select account_id, wallet_id, ${randomBytes(32)}, 'perch_live_before', 'k', ${cap} from wallets where account_id = ${accountId}
    returning key_id as "keyId"`;
  return row?.keyId ?? '';
}

async function olderAccount(): Promise<Payer> {
  const { sql } = database;
  const [account] = await sql<{ accountId: string; walletId: string }[]>`
    with a as (insert into accounts (name) values ('before') returning account_id)
    insert into wallets (account_id, balance_thousandths, last_seq) select account_id, 1000000, 1 from a
    returning account_id as "accountId", wallet_id as "walletId"`;
  const { accountId = '', walletId = '' } = account ?? {};
  await sql`
    insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
    values (${accountId}, ${walletId}, 1, ${randomUUID()}, 'grant', 1000000, 1000000, 'test')`;
  return { accountId, walletId, keyId: await olderKey(accountId, 5_000), prefix: 'perch_live_before' };
}

/** As that version posts, and refuses by what it knows; what it does not know, the cap's own row refuses. */
async function olderDebit(of: Payer, amount: number): Promise<boolean> {
  try {
    return await tryOlderDebit(of, amount);
  } catch (error) {
    if ((error as { code?: string }).code === '23514') return false;
    throw error;
  }
}

async function tryOlderDebit({ accountId, keyId }: Payer, amount: number): Promise<boolean> {
  const lines = JSON.stringify(debitOf(payer ?? { accountId, keyId }, amount).lines);
  const rows = await database.sql`
    with key as (
      update keys set spent_thousandths = spent_thousandths + ${amount}
      where key_id = ${keyId} and (cap_thousandths is null or spent_thousandths + ${amount} <= cap_thousandths)
      returning wallet_id
    ),
    paid as (
      update wallets w set balance_thousandths = balance_thousandths - ${amount}, last_seq = last_seq + 1
      from key where w.wallet_id = key.wallet_id returning w.wallet_id, last_seq, balance_thousandths
    )
    insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
      operation, items, cache_hits, lines)
    select ${accountId}, wallet_id, last_seq, ${randomUUID()}, 'debit', ${amount}, balance_thousandths, ${keyId}, 'user', 1, 0,
      ${lines}::text::jsonb
    from paid returning seq`;
  return rows.length === 1;
}

const post = async (keyId: string, amount: number): Promise<boolean> =>
  (await ledger.post(debitOf({ ...payer, keyId }, amount))).ok;

test('continues an existing cap from what it had counted, whichever node spends', async () => {
  expect(await olderDebit(payer, 1_000)).toBe(true);
  expect(await post(payer.keyId, 1_000)).toBe(true);
  expect(await post(payer.keyId, 2_001)).toBe(false);
  expect(await olderDebit(payer, 2_001)).toBe(false);
  expect(await olderDebit(payer, 2_000)).toBe(true);
  expect(await post(payer.keyId, 1)).toBe(false);
  expect((await ledger.check()).faults).toEqual([]);
});

test('a key that the version before makes has its cap here, too', async () => {
  const keyId = await olderKey(payer.accountId, 3_000);
  expect(await post(keyId, 3_001)).toBe(false);
  expect(await post(keyId, 2_000)).toBe(true);
  expect(await olderDebit({ ...payer, keyId }, 1_001)).toBe(false);
  expect((await ledger.check()).faults).toEqual([]);
});

test('a cap of this version bounds what the version before spends, and counts it', async () => {
  const key = { accountId: payer.accountId, hash: randomBytes(32), prefix: 'perch_live_after0', name: 'k' };
  const { keyId } = await accounts.addKey({ ...key, cap: { amount: 4_000, period: 'day' } });
  expect(await olderDebit({ ...payer, keyId }, 1_500)).toBe(true);
  expect(await post(keyId, 2_501)).toBe(false);
  await accounts.changeKey({ accountId: payer.accountId, keyId }, { cap: { amount: 2_000, period: 'month' } });
  expect(await olderDebit({ ...payer, keyId }, 501)).toBe(false);
  expect(await post(keyId, 500)).toBe(true);
  expect((await ledger.check()).faults).toEqual([]);
});
