/** The statement for simple debits: what it posts, and what it leaves to the statement for all debits. */
import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { type DebitStatements, debitStatements } from '../../../adapters/postgres/ledger/post.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import {
  addPayerKey,
  debitOf,
  grantTo,
  lookedUp,
  openPayer,
  type Payer,
} from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

let database: FreshDatabase;
let sql: Sql;
let accounts: Accounts;
let ledger: Ledger;
let postPlain: DebitStatements['postPlain'];
beforeEach(async () => {
  database = await freshDatabase();
  sql = database.sql;
  accounts = createAccounts(sql);
  ledger = createLedger(sql);
  postPlain = debitStatements(sql).postPlain;
});
afterEach(() => database.drop());

async function openWith(amount: number, cap: number | null = null): Promise<Payer> {
  const payer = await openPayer(accounts, cap);
  await grantTo(ledger, payer, amount);
  return payer;
}

const anHourAgo = (): { requestId: string } => ({ requestId: v7({ msecs: Date.now() - HOUR_MS }) });

const faults = async () => (await ledger.check()).faults;

describe('the plain statement', () => {
  test('posts, in order, for wallets that cover all of their debits, and nothing for any other', async () => {
    const [rich, other, poor, capped] = [
      await openWith(1_000),
      await openWith(1_000),
      await openWith(150),
      await openWith(1_000, 1_000),
    ];
    const batch = [
      debitOf(rich, 100),
      debitOf(poor, 100),
      debitOf(rich, 50),
      debitOf(capped, 1),
      debitOf({ ...other, accountId: randomUUID(), walletId: randomUUID() }, 1),
      debitOf(poor, 51),
      debitOf(other, 1_000),
    ];
    const posted = await postPlain(batch);
    expect(posted.map((entry) => entry && [entry.seq, entry.balance])).toEqual([
      [2, 900],
      undefined,
      [3, 850],
      undefined,
      undefined,
      undefined,
      [2, 0],
    ]);
    for (const payer of [poor, capped]) {
      expect(await ledger.balance(payer)).toMatchObject({ seq: 1 });
    }
    expect(await faults()).toEqual([]);
  });

  test('posts nothing of a wallet if one key has a cap, so that its debits stay in order', async () => {
    const payer = await openWith(1_000);
    const capped = { ...payer, ...(await addPayerKey(accounts, payer.accountId, 500)) };
    expect(await postPlain([debitOf(payer, 1), debitOf(capped, 1)])).toEqual([undefined, undefined]);
    expect(await postPlain([debitOf(capped, 1), debitOf(payer, 1)])).toEqual([undefined, undefined]);
  });

  test('leaves a debit alone whose request began before sums were made up to now', async () => {
    const payer = await openWith(1_000);
    expect(await postPlain([debitOf(payer, 1, anHourAgo()), debitOf(payer, 1)])).toEqual([undefined, undefined]);
    expect(await postPlain([debitOf(payer, 1), debitOf(payer, 1, anHourAgo())])).toEqual([undefined, undefined]);
    expect(await ledger.post(debitOf(payer, 1, anHourAgo()))).toMatchObject({ ok: true });
    expect(await faults()).toEqual([]);
  });

  test('fails as a whole if one request is already posted', async () => {
    const payer = await openWith(1_000);
    const debit = debitOf(payer, 1);
    await postPlain([debit]);
    await expect(postPlain([debitOf(payer, 1), debit])).rejects.toMatchObject({ code: '23505' });
    expect(await ledger.balance(payer)).toMatchObject({ balance: 999, seq: 2 });
  });

  test('posts nothing for a key that got a cap since its look-up, until a look-up without a cap', async () => {
    const payer = await openWith(1_000);
    const other = await openWith(1_000);
    expect(await postPlain([debitOf(payer, 1), debitOf(other, 1)])).not.toContain(undefined);
    await accounts.changeKey(payer, { cap: { amount: 500, period: 'total' } });
    for (let time = 0; time < 2; time += 1) {
      expect(await postPlain([debitOf(payer, 1), debitOf(other, 1)])).toEqual([undefined, expect.anything()]);
    }
    expect(await ledger.balance(payer)).toMatchObject({ balance: 999, keySpent: 1 });
    await accounts.changeKey(payer, { cap: null });
    expect(await postPlain([debitOf(payer, 1)])).toEqual([undefined]);
    expect(await postPlain([debitOf(await lookedUp(accounts, payer), 1)])).toMatchObject([{ balance: 998, seq: 3 }]);
    expect(await faults()).toEqual([]);
  });

  test('posts nothing for a key that got a cap since its look-up even without triggers, as on Citus', async () => {
    await sql`drop trigger if exists change_caps on keys`;
    const payer = await openWith(1_000);
    await accounts.changeKey(payer, { cap: { amount: 500, period: 'total' } });
    expect(await postPlain([debitOf(payer, 1)])).toEqual([undefined]);
    expect(await faults()).toEqual([]);
  });

  test('posts nothing of a wallet if one of its keys may have got a cap since its look-up', async () => {
    const payer = await openWith(1_000);
    const first = { ...payer, ...(await addPayerKey(accounts, payer.accountId, null)) };
    const second = { ...payer, ...(await addPayerKey(accounts, payer.accountId, null)) };
    await postPlain([debitOf(first, 1)]);
    await accounts.changeKey(first, { cap: { amount: 500, period: 'total' } });
    const later = await lookedUp(accounts, second);
    expect(await postPlain([debitOf(later, 1)])).not.toContain(undefined);
    expect(await postPlain([debitOf(second, 1)])).toEqual([undefined]);
    expect(await postPlain([debitOf(later, 1), debitOf(first, 1)])).toEqual([undefined, undefined]);
    expect(await ledger.balance(payer)).toMatchObject({ balance: 998, seq: 3 });
    await accounts.changeKey(first, { cap: null });
    const both = [debitOf(await lookedUp(accounts, second), 1), debitOf(await lookedUp(accounts, first), 1)];
    expect(await postPlain(both)).not.toContain(undefined);
    expect(await faults()).toEqual([]);
  });

  test('posts each of many debits with its own receipt, key, number and balance, however they are mixed', async () => {
    const payers = await Promise.all(Array.from({ length: 7 }, () => openWith(1_000_000)));
    const spares = await Promise.all(payers.map(({ accountId }) => addPayerKey(accounts, accountId, null)));
    const line = (items: number) => ({ path: 'a\\"b,{}', unit: 'tweet', cache: 'hit', items, unitPrice: 500 }) as const;
    const debits = Array.from({ length: 300 }, (_, nth) => {
      const at = (nth * 5) % payers.length;
      const payer = { ...(payers[at] as Payer), ...(nth % 3 === 0 ? spares[at] : {}) };
      const items = 1 + (nth % 11);
      const receipt = { operation: ['user', 'a "b" \\c', '{,}', 'null', ''][nth % 5] ?? '', cacheHits: items, items };
      return debitOf(payer, items * 500, { ...receipt, lines: [line(items)] });
    });
    const entries = await postPlain(debits);
    const left = new Map(payers.map(({ walletId }) => [walletId, { balance: 1_000_000, seq: 1 }]));
    for (const [nth, { walletId, amount }] of debits.entries()) {
      const before = left.get(walletId) as { balance: number; seq: number };
      const after = { balance: before.balance - amount, seq: before.seq + 1 };
      left.set(walletId, after);
      expect(entries[nth]).toEqual(after);
    }
    for (const debit of debits.slice(0, 40)) {
      const { operation, amount, items, cacheHits, lines, requestId, accountId } = debit;
      expect(await ledger.receipt(accountId, requestId)).toMatchObject({ operation, amount, items, cacheHits, lines });
    }
    const rows = await sql<{ requestId: string; keyId: string }[]>`
      select request_id as "requestId", key_id as "keyId" from ledger_entries where kind = 'debit'`;
    const keyOf = new Map(rows.map(({ requestId, keyId }) => [requestId, keyId]));
    expect(debits.map(({ requestId }) => keyOf.get(requestId))).toEqual(debits.map(({ keyId }) => keyId));
    expect(await faults()).toEqual([]);
  });

  test('posts debits that differ in everything but their lines, each with its own receipt', async () => {
    const payer = await openWith(1_000_000);
    const { lines } = debitOf(payer, 1);
    const others = [{}, { operation: 'other' }, {}, { items: 2 }, {}, { cacheHits: 1 }, {}, { amount: 7 }];
    // Each debit twice: the second time, its receipt is already stored.
    const debits = [...others, ...others].map((other) => debitOf(payer, 1, { lines, ...other }));
    await postPlain(debits);
    for (const { operation, amount, items, cacheHits, requestId, accountId } of debits)
      expect(await ledger.receipt(accountId, requestId)).toMatchObject({ operation, amount, items, cacheHits, lines });
  });

  test('starts again if its key gets a cap while it waits for the wallet', async () => {
    const payer = await openWith(1_000);
    await postPlain([debitOf(payer, 1)]);
    for (let round = 0; round < 30; round += 1) {
      const [key] = await Promise.all([
        accounts.changeKey(payer, { cap: { amount: 500, period: 'total' } }),
        ...Array.from({ length: 10 }, () => ledger.post(debitOf(payer, 1))),
      ]);
      expect(key.cap?.amount).toBe(500);
      expect(await faults()).toEqual([]);
      await accounts.changeKey(payer, { cap: null });
    }
  });
});
