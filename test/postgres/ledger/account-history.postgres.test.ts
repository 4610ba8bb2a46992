/** What an account's own pages show of its ledger: the newest debits, and all other entries. */
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import { addPayerKey, debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

/** How many of an account's newest debits are searched for those of one key. */
const SEARCHED = 1_000;

let database: FreshDatabase;
let sql: Sql;
let accounts: Accounts;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  sql = database.sql;
  accounts = createAccounts(sql);
  ledger = createLedger(sql);
});
afterAll(() => database.drop());

/** A payer with each of two keys. */
async function openTwoKeys(): Promise<[Payer, Payer]> {
  const payer = await openPayer(accounts);
  await grantTo(ledger, payer, 1_000_000);
  return [payer, { ...payer, ...(await addPayerKey(accounts, payer.accountId, null)) }];
}

const newest = async ({ accountId }: Payer, limit: number, keyId?: string): Promise<number[]> =>
  (await ledger.recent(accountId, limit, undefined, keyId)).map(({ amount }) => amount);

/** Ids that sort in the order of their debits. */
let lastMs = Date.now();
function nextId(): string {
  lastMs += 1;
  return v7({ msecs: lastMs });
}

const post = (payer: Payer, amount: number) => ledger.post(debitOf(payer, amount, { requestId: nextId() }));

async function postMany(payer: Payer, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => post(payer, 1)));
}

describe('the newest debits', () => {
  test('are listed first, up to the limit, for all keys or one', async () => {
    const [one, two] = await openTwoKeys();
    for (const [nth, payer] of [one, two, two, one, two].entries()) await post(payer, 20 + nth);
    expect(await newest(one, 10)).toEqual([24, 23, 22, 21, 20]);
    expect(await newest(one, 2)).toEqual([24, 23]);
    expect(await newest(one, 2, one.keyId)).toEqual([23, 20]);
    expect(await newest(one, 1, one.keyId)).toEqual([23]);
    expect(await newest(one, 10, two.keyId)).toEqual([24, 22, 21]);
    const [receipt] = await ledger.recent(one.accountId, 1);
    expect(receipt).toMatchObject({ keyPrefix: two.prefix, operation: 'user', at: expect.stringMatching(/Z$/) });
  });

  test("of a key are found among the account's newest 1,000", async () => {
    const [one, two] = await openTwoKeys();
    await post(one, 7);
    await postMany(two, SEARCHED - 1);
    expect(await newest(one, 5, one.keyId)).toEqual([7]);
    await postMany(two, 1);
    expect(await newest(one, 5, one.keyId)).toEqual([]);
    expect(await newest(one, SEARCHED + 5)).toHaveLength(SEARCHED + 1);
  });
});

test('have the day of last use for each key that paid since a given time', async () => {
  const startedOn = new Date().toISOString().slice(0, 10);
  const [one, two] = await openTwoKeys();
  await addPayerKey(accounts, one.accountId, null);
  for (const payer of [one, two, two]) await post(payer, 1);
  const uses = await ledger.lastUses(one.accountId, '2000-01-01T00:00:00Z');
  expect(new Set(uses.map((use) => use.keyId))).toEqual(new Set([one.keyId, two.keyId]));
  // Midnight may have passed since.
  const today = new Date().toISOString().slice(0, 10);
  for (const { day } of uses) expect([startedOn, today]).toContain(day);
  expect(await ledger.lastUses(one.accountId, '2999-01-01T00:00:00Z')).toEqual([]);
});

test('leave every other entry to the statement, newest first, up to the limit', async () => {
  const payer = await openPayer(accounts);
  const { accountId } = payer;
  const grant = (amount: number, reason: string) => ledger.grant({ requestId: v7(), accountId, amount, reason });
  await grant(1_000, 'first');
  await post(payer, 400);
  await grant(2_000, 'second');
  const all = await ledger.statement(accountId, 10);
  expect(all).toMatchObject([
    { kind: 'grant', amount: 2_000, balanceAfter: 2_600, reason: 'second', at: expect.stringMatching(/Z$/) },
    { kind: 'grant', amount: 1_000, balanceAfter: 1_000, reason: 'first' },
  ]);
  expect(await ledger.statement(accountId, 1)).toEqual(all.slice(0, 1));
});

describe('an account or a key that does not exist', () => {
  test('is granted nothing', async () => {
    const accountId = v7();
    const granting = ledger.grant({ requestId: v7(), accountId, amount: 1, reason: 'nobody' });
    await expect(granting).rejects.toThrow(`no account ${accountId} to grant credits to`);
  });

  test.each([0, -1, 0.5, Number.NaN, 2 ** 53])('is not granted %s thousandths, nor is any account', async (amount) => {
    const { accountId } = await openPayer(accounts);
    const granting = ledger.grant({ requestId: v7(), accountId, amount, reason: 'wrong' });
    await expect(granting).rejects.toThrow(`a grant of ${amount} thousandths: whole and above zero expected`);
    expect(await ledger.statement(accountId, 10)).toEqual([]);
  });

  test('has no balance', async () => {
    const [payer, { keyId }] = [await openPayer(accounts), await openPayer(accounts)];
    const balance = ledger.balance({ ...payer, keyId });
    await expect(balance).rejects.toThrow(`no wallet ${payer.walletId} with key ${keyId}`);
  });
});
