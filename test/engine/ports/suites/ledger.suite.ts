import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UsageGroup } from '../../../../src/domain/usage.js';
import type { Accounts, UncappedKey } from '../../../../src/ports/accounts.js';
import type { Debit, Ledger, UsageRow } from '../../../../src/ports/ledger.js';

/** Two nodes on one store. */
export interface LedgerStore {
  readonly ledger: Ledger;
  readonly other: Ledger;
  readonly accounts: Accounts;
  close(): Promise<void>;
}

export interface Payer {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly uncapped: UncappedKey | null;
  readonly prefix: string;
  readonly hash?: Buffer;
}

/** An account with a wallet, and a key with or without a cap. */
export async function openPayer(accounts: Accounts, capThousandths: number | null = null): Promise<Payer> {
  const account = await accounts.create({ name: 'a', email: null, paidUsd: 0, qpsOverride: null });
  return { ...account, ...(await addPayerKey(accounts, account.accountId, capThousandths)) };
}

export async function addPayerKey(accounts: Accounts, accountId: string, capThousandths: number | null) {
  const prefix = `perch_live_${randomBytes(3).toString('hex')}`;
  const cap = capThousandths === null ? null : ({ amount: capThousandths, period: 'total' } as const);
  const hash = randomBytes(32);
  const { keyId } = await accounts.addKey({ accountId, hash, prefix, name: 'k', cap });
  return lookedUp(accounts, { keyId, prefix, hash });
}

/** A key with what callers bring to their debits now. */
export async function lookedUp<Key extends Pick<Payer, 'hash'>>(
  accounts: Accounts,
  key: Key,
): Promise<Key & Pick<Payer, 'uncapped'>> {
  const [found] = key.hash === undefined ? [] : await accounts.findKeys([key.hash]);
  if (found?.state !== 'live') throw new Error('the key is not live');
  return { ...key, uncapped: found.caller.uncapped };
}

export function debitOf(payer: Payer, amount: number, more: Partial<Debit> = {}): Debit {
  const { accountId, walletId, keyId, uncapped } = payer;
  const lines = [{ path: 'user', unit: 'profile', cache: 'miss', items: 1, unitPrice: amount }] as const;
  const receipt = { operation: 'user', amount, items: 1, cacheHits: 0, lines };
  return { requestId: v7(), accountId, walletId, keyId, uncapped, ...receipt, ...more };
}

/** What a key has spent in all. */
export const spentBy = async (accounts: Accounts, { accountId, keyId }: Payer): Promise<number | undefined> =>
  (await accounts.keys(accountId)).find((key) => key.keyId === keyId)?.spent;

export const grantTo = (ledger: Ledger, payer: Payer, amount: number): Promise<number> =>
  ledger.grant({ requestId: randomUUID(), accountId: payer.accountId, amount, reason: 'test' });

/** What every ledger must do. The properties are in `ledger-properties.suite.ts`. */
export function ledgerSuite(name: string, open: () => Promise<LedgerStore>): void {
  describe(`${name}: ledger`, () => {
    let store: LedgerStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test('returns the balance of a debit’s own row, and the receipt as posted (M16, W12)', async () => {
      const payer = await openPayer(store.accounts);
      expect(await grantTo(store.ledger, payer, 5_000)).toBe(5_000);
      const debit = debitOf(payer, 1_500);
      expect(await store.ledger.post(debit)).toMatchObject({ ok: true, balance: 3_500 });
      expect(await store.ledger.balance(payer)).toMatchObject({ balance: 3_500, keySpent: 0 });
      expect(await spentBy(store.accounts, payer)).toBe(1_500);
      expect(await store.ledger.receipt(payer.accountId, debit.requestId)).toEqual({
        requestId: debit.requestId,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        operation: 'user',
        keyPrefix: payer.prefix,
        amount: 1_500,
        balanceAfter: 3_500,
        items: 1,
        cacheHits: 0,
        lines: debit.lines,
      });
    });

    test("returns receipts of an account's own debits only, and none for an invalid id", async () => {
      const [payer, stranger] = [await openPayer(store.accounts), await openPayer(store.accounts)];
      const requestId = randomUUID();
      await store.ledger.grant({ requestId, accountId: payer.accountId, amount: 1_000, reason: 'test' });
      const debit = debitOf(payer, 1_000);
      await store.ledger.post(debit);
      expect(await store.ledger.receipt(stranger.accountId, debit.requestId)).toBeUndefined();
      expect(await store.ledger.receipt(payer.accountId, requestId)).toBeUndefined();
      expect(await store.ledger.receipt(payer.accountId, 'nonsense')).toBeUndefined();
    });

    test('refuses a debit beyond the wallet or the cap, and writes nothing (M17, U6)', async () => {
      const payer = await openPayer(store.accounts, 2_000);
      await grantTo(store.ledger, payer, 3_000);
      expect(await store.ledger.post(debitOf(payer, 3_001))).toEqual({ ok: false, reason: 'balance' });
      expect(await store.ledger.post(debitOf(payer, 2_001))).toEqual({ ok: false, reason: 'key_cap' });
      expect(await store.ledger.post(debitOf(payer, 2_000))).toMatchObject({ ok: true, balance: 1_000 });
      expect(await store.ledger.post(debitOf(payer, 1))).toEqual({ ok: false, reason: 'key_cap' });
      expect(await store.ledger.balance(payer)).toMatchObject({
        balance: 1_000,
        keySpent: 2_000,
      });
    });

    test('takes a repeated id for the same debit: at once, later, on another node, and when the wallet is empty', async () => {
      const payer = await openPayer(store.accounts);
      await grantTo(store.ledger, payer, 1_000);
      const debit = debitOf(payer, 1_000);
      const posts = [store.ledger, store.ledger, store.other, store.ledger].map((ledger) => ledger.post(debit));
      expect(new Set((await Promise.all(posts)).map((posted) => JSON.stringify(posted)))).toEqual(
        new Set([JSON.stringify({ ok: true, balance: 0, seq: 2, amount: 1_000 })]),
      );
      expect(await store.other.post(debit)).toMatchObject({ ok: true, balance: 0 });
      // As it was posted first, whatever the repeat says.
      expect(await store.other.post({ ...debit, amount: 2_000 })).toMatchObject({
        ok: true,
        balance: 0,
        amount: 1_000,
      });
      expect(await store.ledger.balance(payer)).toMatchObject({ balance: 0 });
      expect(await spentBy(store.accounts, payer)).toBe(1_000);
    });

    test('posts new debits sent with a repeated id without delay', async () => {
      const payer = await openPayer(store.accounts);
      await grantTo(store.ledger, payer, 10_000);
      const debit = debitOf(payer, 1_000);
      await store.ledger.post(debit);
      const posts = [debitOf(payer, 1_000), debit, debitOf(payer, 1_000)].map((one) => store.ledger.post(one));
      const posted = await Promise.all(posts);
      expect(posted.map((one) => (one.ok ? one.balance : one.reason)).sort()).toEqual([7_000, 8_000, 9_000]);
      expect(posted[1]).toMatchObject({ ok: true, balance: 9_000 });
    });

    test('posts a grant once per id, and refuses an invalid amount', async () => {
      const payer = await openPayer(store.accounts);
      const grant = { requestId: randomUUID(), accountId: payer.accountId, amount: 700, reason: 'test' };
      const balances = await Promise.all([
        store.ledger.grant(grant),
        store.other.grant(grant),
        store.ledger.grant(grant),
      ]);
      expect(balances).toEqual([700, 700, 700]);
      for (const amount of [0, -1, 0.5, Number.NaN]) {
        await expect(grantTo(store.ledger, payer, amount)).rejects.toThrow(RangeError);
        await expect(store.ledger.post(debitOf(payer, amount))).rejects.toThrow(RangeError);
      }
      await expect(store.ledger.grant({ ...grant, accountId: randomUUID() })).rejects.toThrow(/no account/);
    });

    test("fails a debit with another account's wallet or key, and not those that wait with it", async () => {
      const [payer, stranger] = [await openPayer(store.accounts), await openPayer(store.accounts)];
      await grantTo(store.ledger, payer, 1_000);
      await grantTo(store.ledger, stranger, 1_000);
      const wrong = [
        debitOf({ ...payer, walletId: stranger.walletId }, 1),
        debitOf({ ...payer, keyId: stranger.keyId }, 1),
      ];
      const posts = [...wrong, debitOf(payer, 1_000)].map((debit) => store.ledger.post(debit));
      const settled = await Promise.allSettled(posts);
      expect(settled.map((one) => one.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
      expect(await store.ledger.balance(stranger)).toMatchObject({ balance: 1_000 });
      expect(await spentBy(store.accounts, stranger)).toBe(0);
    });

    test('sums usage by any combination of day, endpoint and key, within its range (W12)', async () => {
      const payer = await openPayer(store.accounts);
      const second = { ...payer, ...(await addPayerKey(store.accounts, payer.accountId, null)) };
      await grantTo(store.ledger, payer, 10_000);
      await store.ledger.post(debitOf(payer, 1_000));
      await store.ledger.post(debitOf(payer, 500, { cacheHits: 1 }));
      await store.ledger.post(debitOf(second, 2_000, { operation: 'search', items: 2 }));
      const range = { from: '2000-01-01', to: '2999-01-01', limit: 100 };
      const usage = (group: UsageGroup[]) => store.ledger.usage(payer.accountId, { ...range, group });

      const all = { requests: 3, items: 4, cacheHits: 1, amount: 3_500 };
      const users = { requests: 2, items: 2, cacheHits: 1, amount: 1_500 };
      const searches = { requests: 1, items: 2, cacheHits: 0, amount: 2_000 };
      expect(await usage([])).toEqual([all]);
      expect(await usage(['endpoint'])).toEqual([
        { endpoint: 'search', ...searches },
        { endpoint: 'user', ...users },
      ]);
      const byKey = [
        { keyPrefix: payer.prefix, ...users },
        { keyPrefix: second.prefix, ...searches },
      ];
      expect(new Set(await usage(['key']))).toEqual(new Set(byKey));
      const [day, ...others] = await usage(['day']);
      expect(day).toEqual({ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), ...all });
      expect(others).toEqual([]);
      expect((await usage(['key', 'endpoint', 'day'])).map((row) => Object.keys(row).slice(0, 3))).toEqual([
        ['day', 'endpoint', 'keyPrefix'],
        ['day', 'endpoint', 'keyPrefix'],
      ]);
      const empty = { requests: 0, items: 0, cacheHits: 0, amount: 0 };
      const early = { from: '2000-01-01', to: '2000-01-02', limit: 100 };
      expect(await store.ledger.usage(payer.accountId, { ...early, group: [] })).toEqual([empty]);
      expect(await store.ledger.usage(payer.accountId, { ...early, group: ['day'] })).toEqual([]);
    });

    test('pages through usage by the hour: every row once, in one order, whatever the page size', async () => {
      const payer = await openPayer(store.accounts);
      const second = { ...payer, ...(await addPayerKey(store.accounts, payer.accountId, null)) };
      await grantTo(store.ledger, payer, 100_000);
      const names = ['b', 'B', 'a_1', 'a', 'Z', 'aa'];
      for (const operation of names) {
        for (const who of [payer, second]) await store.ledger.post(debitOf(who, 1_000, { operation }));
      }
      const groups: UsageGroup[][] = [
        ['endpoint', 'key'],
        ['hour', 'endpoint', 'key'],
        ['day', 'hour', 'key'],
        ['endpoint'],
      ];
      for (const group of groups) {
        const query = { from: '2000-01-01', to: '2999-01-01', group };
        const all = await store.ledger.usage(payer.accountId, { ...query, limit: 1_000 });
        expect(all.reduce((sum, { amount }) => sum + amount, 0)).toBe(12_000);
        for (const row of all) if (group.includes('hour')) expect(row.hour).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00Z$/);
        const paged: UsageRow[] = [];
        for (let after: string[] | undefined; ; ) {
          const page = await store.ledger.usage(payer.accountId, { ...query, limit: 2, after });
          expect(page.length).toBeLessThanOrEqual(2);
          const last = page.at(-1);
          if (last === undefined) break;
          paged.push(...page);
          const { day = '', hour = '', endpoint = '', keyPrefix = '' } = last;
          const values = { day, hour, endpoint, key: keyPrefix };
          after = group.map((one) => values[one]);
        }
        expect(paged).toEqual(all);
      }
    });

    test('keeps the first 100 names of an account and day, on whichever node they are claimed (M30)', async () => {
      const payer = await openPayer(store.accounts);
      const name = (nth: number): string => `name${nth}`;
      const claims = Array.from({ length: 150 }, (_, nth) =>
        (nth % 2 ? store.ledger : store.other).claimNames(payer.accountId, '2026-11-21', [name(nth), name(nth % 7)]),
      );
      await Promise.all(claims);
      const kept = await store.other.claimNames(payer.accountId, '2026-11-21', ['one more']);
      expect(kept).toHaveLength(100);
      expect(new Set(kept).size).toBe(100);
      expect(kept).not.toContain('one more');
      expect(await store.ledger.claimNames(payer.accountId, '2026-11-22', ['one more'])).toEqual(['one more']);
      const stranger = await openPayer(store.accounts);
      expect(await store.ledger.claimNames(stranger.accountId, '2026-11-21', ['one more'])).toEqual(['one more']);
    });
  });
}
