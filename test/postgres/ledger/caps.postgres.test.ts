import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import type { Accounts, Cap, CapPeriod } from '../../../src/ports/accounts.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import { addPayerKey, debitOf, grantTo, openPayer, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

const OVER = { ok: false, reason: 'key_cap' };
const LATER = '2999-01-01T00:00:00Z';

let database: FreshDatabase;
let accounts: Accounts;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  accounts = createAccounts(database.sql);
  ledger = createLedger(database.sql);
});
afterAll(() => database.drop());

const successor = () => ({
  hash: randomBytes(32),
  prefix: `perch_live_${randomBytes(3).toString('hex')}`,
  expiresAt: null,
});

async function funded(cap: Cap | null): Promise<Payer> {
  const payer = await openPayer(accounts);
  await grantTo(ledger, payer, 1_000_000);
  if (cap !== null) await accounts.changeKey(payer, { cap });
  return payer;
}

/** The key that replaces this one, which ends at that time; null: now. */
async function rotated(payer: Payer, endsAt: string | null = LATER): Promise<Payer> {
  const { keyId, prefix } = await accounts.rotateKey(payer, successor(), endsAt);
  return { ...payer, keyId, prefix };
}

const capOf = async ({ accountId, keyId }: Payer) =>
  (await accounts.get(accountId))?.keys.find((key) => key.keyId === keyId)?.cap;

/** Moves everything one period into the past. */
async function aPeriodPasses(payer: Payer, period: 'day' | 'month'): Promise<void> {
  const { sql } = database;
  const step = `1 ${period}`;
  await sql`update spend_caps set period_start = period_start - ${step}::interval where account_id = ${payer.accountId}`;
  await sql.begin(async (tx) => {
    await tx`alter table debits disable trigger append_only`;
    await tx`
      update debits set at = at - ${step}::interval where account_id = ${payer.accountId}`;
    await tx`alter table debits enable trigger append_only`;
    await tx`update usage_hours set hour = hour - ${step}::interval where account_id = ${payer.accountId}`;
  });
}

describe('spend caps (U6)', () => {
  test.each(['day', 'month', 'total'] as const)('for a %s are filled exactly and not exceeded', async (period) => {
    const payer = await funded({ amount: 3_000, period });
    expect(await ledger.post(debitOf(payer, 3_001))).toEqual(OVER);
    expect(await ledger.post(debitOf(payer, 2_000))).toMatchObject({ ok: true });
    expect(await ledger.post(debitOf(payer, 1_001))).toEqual(OVER);
    expect(await ledger.post(debitOf(payer, 1_000))).toMatchObject({ ok: true });
    expect(await ledger.post(debitOf(payer, 1))).toEqual(OVER);
    expect(await capOf(payer)).toEqual({ amount: 3_000, period, spent: 3_000 });
  });

  test.each(['day', 'month'] as const)('begin the next %s with nothing spent', async (period) => {
    const payer = await funded({ amount: 3_000, period });
    await ledger.post(debitOf(payer, 3_000));
    await aPeriodPasses(payer, period);
    expect(await capOf(payer)).toMatchObject({ spent: 0 });
    expect(await ledger.balance(payer)).toMatchObject({ keySpent: 0 });
    expect(await ledger.post(debitOf(payer, 2_500))).toMatchObject({ ok: true });
    expect(await ledger.post(debitOf(payer, 501))).toEqual(OVER);
    expect(await capOf(payer)).toMatchObject({ spent: 2_500 });
    expect((await ledger.check()).faults).toEqual([]);
  });

  test('are shared by keys that replace each other, overlap included (A10)', async () => {
    const old = await funded({ amount: 3_000, period: 'day' });
    await ledger.post(debitOf(old, 1_000));
    const next = await rotated(old);
    const posted = await Promise.all([...Array(6)].map((_, n) => ledger.post(debitOf(n % 2 ? old : next, 500))));
    expect(posted.filter(({ ok }) => ok)).toHaveLength(4);
    expect(await capOf(next)).toMatchObject({ spent: 3_000 });
    expect(await capOf(old)).toMatchObject({ spent: 3_000 });
  });

  test('count what was spent in the period before they were set, and cannot be lower than that', async () => {
    const payer = await funded(null);
    await ledger.post(debitOf(payer, 2_000));
    for (const [period, since] of [
      ['day', 'today'],
      ['month', 'this month'],
      ['total', 'so far'],
    ] as const) {
      const low = accounts.changeKey(payer, { cap: { amount: 1_999, period } });
      await expect(low).rejects.toMatchObject({
        code: 'bad_request',
        message: `This key has already spent 2 credits ${since}: its cap can't be lower. To stop it, revoke it.`,
        detail: { param: 'cap' },
      });
    }
    await accounts.changeKey(payer, { cap: { amount: 2_500, period: 'day' } });
    expect(await ledger.post(debitOf(payer, 501))).toEqual(OVER);
    expect(await ledger.post(debitOf(payer, 500))).toMatchObject({ ok: true });
  });

  test('set on a rotated key apply to the old one, too (A10)', async () => {
    const old = await funded(null);
    const next = await rotated(old);
    await accounts.changeKey(next, { cap: { amount: 1_000, period: 'day' } });
    expect(await ledger.post(debitOf(old, 1_001))).toEqual(OVER);
    expect(await ledger.post(debitOf(old, 600))).toMatchObject({ ok: true });
    expect(await ledger.post(debitOf(next, 401))).toEqual(OVER);
    await accounts.changeKey(old, { cap: null });
    expect(await ledger.post(debitOf(next, 5_000))).toMatchObject({ ok: true });
  });

  test('cannot be set on a key that the account does not have', async () => {
    const [payer, other] = [await funded(null), await funded(null)];
    for (const { keyId } of [other, { keyId: randomUUID() }])
      await expect(accounts.changeKey({ ...payer, keyId }, { cap: { amount: 1, period: 'total' } })).rejects.toThrow(
        'No such key',
      );
  });

  test('count a debit from before midnight to the new day if it waited for one from after midnight', async () => {
    const payer = await funded({ amount: 3_000, period: 'day' });
    await database.sql`update spend_caps set period_start = now() + interval '1 minute' where account_id = ${payer.accountId}`;
    expect(await ledger.post(debitOf(payer, 1_000))).toMatchObject({ ok: true });
    expect((await ledger.check()).faults).toEqual([]);
  });

  test('shared by rotated keys can be changed without a deadlock with their debits', async () => {
    const keys = [await funded({ amount: 1_000_000, period: 'day' })];
    for (let n = 0; n < 4; n += 1) {
      await database.sql`update keys set expires_at = null, replaced_at = null where account_id = ${keys[0]?.accountId ?? ''}`;
      keys.push(await rotated(keys[0] as Payer));
    }
    let changing = true;
    const nodes = [ledger, createLedger(database.sql)];
    const spending = keys.flatMap((key) =>
      nodes.map(async (node) => {
        while (changing) expect(await node.post(debitOf(key, 1))).toMatchObject({ ok: true });
      }),
    );
    for (let n = 0; n < 40; n += 1) {
      const cap = { amount: 1_000_000 + n, period: n % 2 ? 'day' : 'month' } as const;
      await accounts.changeKey(keys[n % keys.length] as Payer, { cap });
    }
    changing = false;
    await Promise.all(spending);
    expect((await ledger.check()).faults).toEqual([]);
  });

  test('on one key do not affect the other keys of the account', async () => {
    const payer = await funded({ amount: 0, period: 'total' });
    const other = { ...payer, ...(await addPayerKey(accounts, payer.accountId, null)) };
    const [refused, posted] = await Promise.all([ledger.post(debitOf(payer, 1)), ledger.post(debitOf(other, 1))]);
    expect([refused.ok, posted.ok]).toEqual([false, true]);
  });

  test('are never exceeded, and count every debit, while debits, rotations and changes run at once', async () => {
    const nodes = [ledger, createLedger(database.sql)] as const;
    const period = fc.constantFrom<CapPeriod>('total', 'month', 'day');
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ spend: fc.integer({ min: 1, max: 900 }), node: fc.constantFrom(0, 1) }) },
      { weight: 1, arbitrary: fc.record({ cap: fc.record({ amount: fc.integer({ min: 0, max: 4_000 }), period }) }) },
      { weight: 1, arbitrary: fc.constant({ cap: null }) },
      { weight: 1, arbitrary: fc.constant({ rotate: true }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const payer = await funded({ amount: 2_000, period: 'total' });
        let newest = payer;
        await Promise.all(
          steps.map(async (one) => {
            if ('spend' in one) return nodes[one.node as 0 | 1].post(debitOf(newest, one.spend));
            // Refused if more was already spent, which is correct as well.
            if ('cap' in one) return accounts.changeKey(newest, { cap: one.cap }).catch(() => {});
            newest = await rotated(newest).catch(() => newest);
          }),
        );
        const cap = await capOf(newest);
        if (cap) expect(cap.spent).toBeLessThanOrEqual(cap.amount);
        expect((await ledger.check()).faults).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a key that was rotated many times', () => {
  test('is rotated while one that it replaced is locked, if that one has ended', async () => {
    const first = await openPayer(accounts);
    const second = await rotated(first, null);
    await database.sql.begin(async (tx) => {
      await tx`select from keys where key_id = ${first.keyId} for update`;
      await rotated(second, new Date(Date.now() + 60_000).toISOString());
    });
    expect(await database.sql`select from keys where account_id = ${first.accountId}`).toHaveLength(3);
  });

  test('counts what its ended predecessors spent against a cap that is set later', async () => {
    const first = await openPayer(accounts);
    await grantTo(ledger, first, 1_000_000);
    await ledger.post(debitOf(first, 2_000));
    const last = await rotated(await rotated(first, null), null);
    for (const period of ['day', 'month', 'total'] as const) {
      const low = accounts.changeKey(last, { cap: { amount: 1_999, period } });
      await expect(low).rejects.toMatchObject({ code: 'bad_request', detail: { param: 'cap' } });
      expect(await accounts.changeKey(last, { cap: { amount: 2_500, period } })).toMatchObject({
        cap: { spent: 2_000 },
      });
    }
    expect(await ledger.post(debitOf(last, 501))).toEqual({ ok: false, reason: 'key_cap' });
    expect(await ledger.post(debitOf(last, 500))).toMatchObject({ ok: true });
    expect((await ledger.check()).faults).toEqual([]);
  });

  test('changes its cap within seconds, even with thousands of ended predecessors', async () => {
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
});
