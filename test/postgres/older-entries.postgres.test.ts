/** Entries that nodes of the version before post, before and beside this one: the same answers wherever they are. */
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import { HOUR_MS } from '../../src/lib/durations.js';
import type { Accounts } from '../../src/ports/accounts.js';
import type { Ledger } from '../../src/ports/ledger.js';
import { debitOf, grantTo, openPayer, type Payer, spentBy } from '../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { olderPost } from './older-node.js';

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

async function openWith(amount: number): Promise<Payer> {
  const payer = await openPayer(accounts);
  await grantTo(ledger, payer, amount);
  return payer;
}

const ago = (ms: number): { requestId: string } => ({ requestId: v7({ msecs: Date.now() - ms }) });

const faults = async () => (await ledger.check()).faults;

describe('entries of the version before', () => {
  test('are moved beside running debits, each in one place at any moment, and survive an interruption', async () => {
    const payer = await openWith(1_000_000);
    const ids: string[] = [];
    const made = async (id: string) => void ids.push(await olderPost(sql, payer, 10, id));
    const odd = await openWith(100);
    const random = await olderPost(sql, odd, 10);
    for (let nth = 0; nth < 300; nth += 1) await made(ago(HOUR_MS * (300 - nth)).requestId);
    await sql`
      insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
      select account_id, wallet_id, last_seq + 1, ${payer.accountId}, 'grant', 5, balance_thousandths + 5, 'before' from wallets
      where account_id = ${payer.accountId}`;
    await sql`
      update wallets set last_seq = last_seq + 1, balance_thousandths = balance_thousandths + 5
      where account_id = ${payer.accountId}`;
    expect(await faults()).toEqual([]);
    const receiptsOf = async (some: readonly string[]) => {
      const receipts = [];
      for (const id of some) receipts.push(await ledger.receipt(payer.accountId, id));
      return receipts;
    };
    const told = async () => [
      await ledger.usage(payer.accountId, { ...ALL, group: ['hour', 'endpoint', 'key'] }),
      await receiptsOf(ids.filter((_, nth) => nth % 50 < 2)),
      await ledger.recent(payer.accountId, 7),
      await ledger.statement(payer.accountId, 7),
      await spentBy(accounts, payer),
    ];
    const before = await told();
    await ledger.runMaintenance(AbortSignal.abort());
    expect(await sql`select from older_entries`).toHaveLength(302);
    const said: string[] = [];
    const during = Promise.all([told(), told(), told()]);
    await ledger.runMaintenance(undefined, (text) => said.push(text));
    expect(await during).toEqual([before, before, before]);
    expect(said).toEqual(['The ledger is in its new tables']);
    expect(await sql`select from older_entries`).toHaveLength(0);
    expect(await told()).toEqual(before);
    expect(await ledger.receipt(odd.accountId, random)).toMatchObject({ amount: 10, balanceAfter: 90 });
    expect(await faults()).toEqual([]);
    // A node of that version may still be there.
    await olderPost(sql, odd, 10);
    await made(v7());
    await ledger.runMaintenance();
    // What sums do not go up to yet stays.
    expect(await sql`select from older_entries`).toHaveLength(1);
    await ledger.post(debitOf(payer, 10));
    expect(await faults()).toEqual([]);
  });

  test('a grant that it posted is not posted again', async () => {
    const payer = await openWith(100);
    await sql`
      insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
      select account_id, wallet_id, last_seq + 1, ${payer.accountId}, 'grant', 5, balance_thousandths + 5, 'before' from wallets`;
    await sql`update wallets set last_seq = last_seq + 1, balance_thousandths = balance_thousandths + 5`;
    const again = { requestId: payer.accountId, accountId: payer.accountId, amount: 5, reason: 'again' };
    expect(await ledger.grant(again)).toBe(105);
    await ledger.runMaintenance();
    expect(await ledger.grant(again)).toBe(105);
    expect(await faults()).toEqual([]);
  });

  test('a request is charged once by it, too', async () => {
    const payer = await openWith(100);
    const id = await olderPost(sql, payer, 10);
    await expect(olderPost(sql, payer, 10, id)).rejects.toMatchObject({ code: '23505' });
  });
});
