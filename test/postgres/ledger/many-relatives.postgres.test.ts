/** A key that was rotated many times: its ended predecessors are neither locked by a rotation nor forgotten by its cap. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import { debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

let database: FreshDatabase;
let accounts: Accounts;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  accounts = createAccounts(database.sql);
  ledger = createLedger(database.sql);
});
afterAll(() => database.drop());

async function rotated(payer: Payer, endsAt: string | null): Promise<Payer> {
  const successor = { hash: randomBytes(32), prefix: 'perch_live_abcdef', expiresAt: null };
  const { keyId, prefix } = await accounts.rotateKey(payer, successor, endsAt);
  return { ...payer, keyId, prefix };
}

test('rotates a key while one that it replaced before is locked, if that one has ended', async () => {
  const first = await openPayer(accounts);
  const second = await rotated(first, null);
  await database.sql.begin(async (tx) => {
    await tx`select from keys where key_id = ${first.keyId} for update`;
    await rotated(second, new Date(Date.now() + 60_000).toISOString());
  });
  expect(await database.sql`select from keys where account_id = ${first.accountId}`).toHaveLength(3);
});

test('counts what ended predecessors spent against a cap that is set later', async () => {
  const first = await openPayer(accounts);
  await grantTo(ledger, first, 1_000_000);
  await ledger.post(debitOf(first, 2_000));
  const last = await rotated(await rotated(first, null), null);
  for (const period of ['day', 'month', 'total'] as const) {
    const low = accounts.changeKey(last, { cap: { amount: 1_999, period } });
    await expect(low).rejects.toMatchObject({ code: 'bad_request', detail: { param: 'cap' } });
    expect(await accounts.changeKey(last, { cap: { amount: 2_500, period } })).toMatchObject({ cap: { spent: 2_000 } });
  }
  expect(await ledger.post(debitOf(last, 501))).toEqual({ ok: false, reason: 'key_cap' });
  expect(await ledger.post(debitOf(last, 500))).toMatchObject({ ok: true });
  expect((await ledger.check()).faults).toEqual([]);
});

test('changes the cap of a key with thousands of ended predecessors within seconds', async () => {
  const { accountId, keyId } = await openPayer(accounts);
  const { sql } = database;
  const hashes = sql`select sha256((${accountId} || n)::bytea) as hash from generate_series(1, 4000) n`;
  await sql`insert into key_directory (account_id, hash) select ${accountId}, hash from (${hashes}) h`;
  await sql`
    insert into keys (account_id, wallet_id, hash, prefix, name, family_id, revoked_at)
    select ${accountId}, wallet_id, hash, 'perch_live_before', 'k', ${keyId}, now()
    from (${hashes}) h, wallets w where w.account_id = ${accountId}`;
  for (const amount of [1_000, 2_000]) {
    await accounts.changeKey({ accountId, keyId }, { cap: { amount, period: 'total' } });
  }
}, 20_000);
