import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Accounts } from '../../src/ports/truth.js';

export interface AccountsStore {
  readonly accounts: Accounts;
  /** A second node on the same store. */
  readonly other: Accounts;
  /** A lost dispute (W8). */
  freeze(accountId: string): Promise<void>;
  close(): Promise<void>;
}

const account: Parameters<Accounts['create']>[0] = {
  name: 'Ada',
  email: 'ada@example.org',
  paidUsd: 0,
  qpsOverride: null,
};
const hashOf = (): Buffer => randomBytes(32);
const prefixOf = (): string => `perch_live_${randomBytes(3).toString('hex')}`;

/** What any store of accounts must do. */
export function accountsSuite(name: string, open: () => Promise<AccountsStore>): void {
  describe(`${name}: accounts`, () => {
    let store: AccountsStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    async function openKey(more: Partial<typeof account> = {}) {
      const { accountId, walletId } = await store.accounts.create({ ...account, ...more });
      const [hash, prefix] = [hashOf(), prefixOf()];
      const key = await store.accounts.addKey({ accountId, hash, prefix, name: 'prod', capThousandths: null });
      return { accountId, walletId, hash, prefix, key };
    }

    test('an account is read back with its wallet and keys', async () => {
      const { accountId, walletId, prefix, key } = await openKey({ paidUsd: 50 });
      const capped = { accountId, hash: hashOf(), prefix: prefixOf(), name: 'dev', capThousandths: 9_000 };
      const second = await store.accounts.addKey(capped);
      expect(key).toMatchObject({
        prefix,
        name: 'prod',
        capThousandths: null,
        spent: 0,
        expiresAt: null,
        revokedAt: null,
      });
      expect(second).toMatchObject({ name: 'dev', capThousandths: 9_000 });
      expect(await store.other.get(accountId)).toEqual({
        accountId,
        walletId,
        name: 'Ada',
        email: 'ada@example.org',
        balance: 0,
        paidUsd: 50,
        qps: 50,
        keys: [key, second],
      });
    });

    test('an account or key that is not there is not found', async () => {
      expect(await store.accounts.get(randomUUID())).toBeUndefined();
      expect(await store.accounts.get('nonsense')).toBeUndefined();
      expect(await store.accounts.findKey(hashOf())).toBeUndefined();
      expect(await store.accounts.keyByPrefix('perch_live_nobody')).toBeUndefined();
      const key = { hash: hashOf(), prefix: prefixOf(), name: 'k', capThousandths: null };
      for (const accountId of [randomUUID(), 'nonsense']) {
        await expect(store.accounts.addKey({ ...key, accountId })).rejects.toMatchObject({ code: 'not_found' });
      }
      await expect(store.accounts.endKey(randomUUID(), null)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('a live key gives its caller; the rate is of the tier, or as an operator said (section 8)', async () => {
      const { accountId, walletId, hash, prefix, key } = await openKey({ paidUsd: 200 });
      const caller = { accountId, walletId, keyId: key.keyId, keyPrefix: prefix, qps: 100, capThousandths: null };
      expect(await store.accounts.findKey(hash)).toEqual({ state: 'live', caller });
      const house = await openKey({ qpsOverride: 5_000 });
      expect(await store.accounts.findKey(house.hash)).toMatchObject({ state: 'live', caller: { qps: 5_000 } });
    });

    test('a revoked key stays revoked, from when it was (A5, A9)', async () => {
      const { hash, key } = await openKey();
      await store.accounts.endKey(key.keyId, null);
      const first = await store.other.findKey(hash);
      expect(first).toEqual({ state: 'revoked', revokedAt: expect.any(String) });
      await store.accounts.endKey(key.keyId, null);
      await store.accounts.endKey(key.keyId, '2999-01-01T00:00:00Z');
      expect(await store.accounts.findKey(hash)).toEqual(first);
    });

    test('a key with an end lives until then, and a later end does not bring it back (A10)', async () => {
      const { hash, key, prefix, accountId } = await openKey();
      await store.accounts.endKey(key.keyId, '2999-01-01T00:00:00.000Z');
      expect(await store.accounts.findKey(hash)).toMatchObject({ state: 'live' });
      const found = await store.accounts.keyByPrefix(prefix);
      expect(found).toEqual({ ...key, accountId, expiresAt: '2999-01-01T00:00:00.000Z' });
      await store.accounts.endKey(key.keyId, '2020-01-01T00:00:00.000Z');
      await store.accounts.endKey(key.keyId, '2999-01-01T00:00:00.000Z');
      expect(await store.accounts.findKey(hash)).toEqual({ state: 'revoked', revokedAt: '2020-01-01T00:00:00.000Z' });
    });

    test('a prefix two keys share means the live one', async () => {
      const first = await openKey();
      const key = { hash: hashOf(), prefix: first.prefix, name: 'k', capThousandths: null };
      const younger = await store.accounts.addKey({ ...key, accountId: first.accountId });
      expect(await store.accounts.keyByPrefix(first.prefix)).toMatchObject({ keyId: younger.keyId });
      await store.accounts.endKey(younger.keyId, null);
      expect(await store.accounts.keyByPrefix(first.prefix)).toMatchObject({ keyId: first.key.keyId });
    });

    test('a frozen account freezes its live keys (W8)', async () => {
      const { accountId, hash } = await openKey();
      await store.freeze(accountId);
      expect(await store.accounts.findKey(hash)).toEqual({ state: 'frozen' });
    });

    test('every node is told of a key that changed, also by what befalls its account, until it stops listening', async () => {
      const told: string[] = [];
      const stop = await store.other.onKeyChange((hash) => told.push(hash));
      const { accountId, hash, key } = await openKey();
      const hex = hash.toString('hex');
      await vi.waitFor(() => expect(told).toContain(hex));
      told.length = 0;
      await store.accounts.endKey(key.keyId, '2999-01-01T00:00:00Z');
      await vi.waitFor(() => expect(told).toEqual([hex]));
      await store.freeze(accountId);
      await vi.waitFor(() => expect(told).toEqual([hex, hex]));
      await stop();
      await store.accounts.endKey(key.keyId, null);
      expect(await store.accounts.findKey(hash)).toMatchObject({ state: 'revoked' });
      expect(told).toHaveLength(2);
    });
  });
}
