import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AccountKey, type Accounts, type KeyRecord, MOST_LIVE_KEYS } from '../../../../src/ports/accounts.js';

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

const find = async (accounts: Accounts, hash: Buffer) => (await accounts.findKeys([hash]))[0];

const withoutSpent = ({ spent: _, ...key }: KeyRecord): AccountKey => key;

const successor = () => ({ hash: hashOf(), prefix: prefixOf(), expiresAt: null });

/** What every store of accounts must do. */
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
      const key = await store.accounts.addKey({ accountId, hash, prefix, name: 'prod', cap: null });
      return { accountId, walletId, hash, prefix, key };
    }

    test('reads an account back with its wallet and keys', async () => {
      const { accountId, walletId, prefix, key } = await openKey({ paidUsd: 50 });
      const capped = {
        accountId,
        hash: hashOf(),
        prefix: prefixOf(),
        name: 'dev',
        cap: { amount: 9_000, period: 'day' },
      } as const;
      const second = await store.accounts.addKey(capped);
      expect(key).toMatchObject({
        prefix,
        name: 'prod',
        cap: null,
        grantId: null,
        spent: 0,
        expiresAt: null,
        revokedAt: null,
      });
      expect(second).toMatchObject({ name: 'dev', cap: { amount: 9_000, period: 'day', spent: 0 } });
      expect(await store.other.get(accountId)).toEqual({
        accountId,
        walletId,
        name: 'Ada',
        email: 'ada@example.org',
        balance: 0,
        paidUsd: 50,
        qps: 50,
        frozen: false,
        testOf: null,
        refilledOn: null,
        keys: [withoutSpent(key), withoutSpent(second)],
      });
      expect(await store.other.keys(accountId)).toEqual([key, second]);
    });

    test('finds no account or key that does not exist', async () => {
      expect(await store.accounts.get(randomUUID())).toBeUndefined();
      expect(await store.accounts.get('nonsense')).toBeUndefined();
      for (const accountId of [randomUUID(), 'nonsense']) expect(await store.accounts.keys(accountId)).toEqual([]);
      expect(await find(store.accounts, hashOf())).toBeUndefined();
      expect(await store.accounts.keyByPrefix('perch_live_nobody')).toBeUndefined();
      const key = { hash: hashOf(), prefix: prefixOf(), name: 'k', cap: null };
      for (const accountId of [randomUUID(), 'nonsense']) {
        await expect(store.accounts.addKey({ ...key, accountId })).rejects.toMatchObject({ code: 'not_found' });
      }
      const { accountId, key: own } = await openKey();
      const notFound = { code: 'not_found' };
      for (const of of [
        { accountId, keyId: randomUUID() },
        { accountId, keyId: 'nonsense' },
        { accountId: (await openKey()).accountId, keyId: own.keyId },
      ]) {
        await expect(store.accounts.revokeKey(of)).rejects.toMatchObject(notFound);
        await expect(store.accounts.changeKey(of, { name: 'mine' })).rejects.toMatchObject(notFound);
        await expect(store.accounts.rotateKey(of, successor(), null)).rejects.toMatchObject(notFound);
      }
    });

    test('returns the caller of a live key, with the rate of its tier or of the operator (section 8)', async () => {
      const { accountId, walletId, hash, prefix, key } = await openKey({ paidUsd: 200 });
      const caller = {
        accountId,
        walletId,
        keyId: key.keyId,
        mode: 'live',
        keyPrefix: prefix,
        qps: 100,
        capThousandths: null,
        uncapped: { accountId, walletId, keyId: key.keyId, keyNumber: expect.any(Number), capsVersion: 0 },
        scopes: null,
        allowedFrom: null,
      };
      expect(await find(store.accounts, hash)).toEqual({ state: 'live', caller });
      const house = await openKey({ qpsOverride: 5_000 });
      expect(await find(store.accounts, house.hash)).toMatchObject({ state: 'live', caller: { qps: 5_000 } });
    });

    test('finds many keys in one call in the requested order, and none for unknown ones (A11)', async () => {
      const [first, second, revoked] = [await openKey(), await openKey({ paidUsd: 50 }), await openKey()];
      await store.accounts.revokeKey({ accountId: revoked.accountId, keyId: revoked.key.keyId });
      const hashes = [second.hash, hashOf(), first.hash, revoked.hash, second.hash, hashOf()];
      const found = await store.other.findKeys(hashes);
      const callerOf = ({ accountId, key }: typeof first) => ({
        state: 'live',
        caller: { accountId, keyId: key.keyId },
      });
      const [live, other] = [callerOf(first), callerOf(second)];
      expect(found).toMatchObject([other, undefined, live, { state: 'revoked' }, other, undefined]);
      expect(await store.accounts.findKeys([])).toEqual([]);
    });

    test('adds the key of a session once, however often it is requested, and ends it with the session', async () => {
      const { accountId } = await store.accounts.create(account);
      const session = { sessionId: randomUUID(), expiresAt: '2999-01-01T00:00:00.000Z' };
      const one = { accountId, hash: hashOf(), prefix: prefixOf(), name: 'browser', cap: null, session };
      const [first, ...others] = await Promise.all(
        [store.accounts, store.other, store.accounts].map((accounts) => accounts.addKey(one)),
      );
      expect(first).toMatchObject({ name: 'browser', expiresAt: session.expiresAt, revokedAt: null });
      expect(others).toEqual([first, first]);
      expect(await store.accounts.keys(accountId)).toEqual([first]);
      await store.accounts.revokeKey({ accountId, keyId: first?.keyId ?? '' });
      expect(await store.accounts.addKey(one)).toMatchObject({ keyId: first?.keyId, revokedAt: expect.any(String) });
    });

    test('returns one key of the account, also after its end, and no key of another account', async () => {
      const { accountId, key } = await openKey();
      const of = { accountId, keyId: key.keyId };
      expect(await store.other.key(of)).toEqual(key);
      const revoked = await store.accounts.revokeKey(of);
      expect(await store.other.key(of)).toEqual(revoked);
      const other = await openKey();
      for (const keyId of [other.key.keyId, randomUUID(), 'nonsense']) {
        expect(await store.accounts.key({ accountId, keyId })).toBeUndefined();
      }
    });

    const full = { code: 'bad_request', message: expect.stringContaining('100 active keys, the maximum') };

    test('never adds more keys than an account may have, however many are added or rotated at once', async () => {
      const { accountId, key } = await openKey();
      const add = (nth: number) =>
        (nth % 2 === 0 ? store.accounts : store.other).addKey({
          ...{ accountId, hash: hashOf(), prefix: prefixOf(), name: `${nth}`, cap: null },
        });
      for (let nth = 2; nth < MOST_LIVE_KEYS; nth += 1) await add(nth);
      const rotate = store.other.rotateKey({ accountId, keyId: key.keyId }, successor(), '2999-01-01T00:00:00Z');
      const made = await Promise.allSettled([...Array.from({ length: 9 }, (_, nth) => add(nth)), rotate]);
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of made) if (one.status === 'rejected') expect(one.reason).toMatchObject(full);
      expect((await store.accounts.get(accountId))?.keys).toHaveLength(MOST_LIVE_KEYS);
    });

    test('lets no expired key work again beyond the most keys of an account', async () => {
      const { accountId, key } = await openKey();
      const of = { accountId, keyId: key.keyId };
      await store.accounts.changeKey(of, { expiresAt: new Date(Date.now() - 1_000).toISOString() });
      const add = (nth: number) =>
        store.accounts.addKey({ accountId, hash: hashOf(), prefix: prefixOf(), name: `${nth}`, cap: null });
      for (let nth = 1; nth < MOST_LIVE_KEYS; nth += 1) await add(nth);
      const last = await add(MOST_LIVE_KEYS);
      await expect(store.accounts.changeKey(of, { expiresAt: null })).rejects.toMatchObject(full);
      await store.accounts.changeKey(of, { name: 'renamed' });
      await store.accounts.revokeKey({ accountId, keyId: last.keyId });
      expect(await store.accounts.changeKey(of, { expiresAt: null })).toMatchObject({ expiresAt: null });
    });

    test('keeps a revoked key revoked, with its time, and does not rotate it (A5, A9)', async () => {
      const { hash, key, accountId } = await openKey();
      const of = { accountId, keyId: key.keyId };
      await store.accounts.revokeKey(of);
      const first = await find(store.other, hash);
      expect(first).toEqual({ state: 'revoked', revokedAt: expect.any(String) });
      await store.accounts.revokeKey(of);
      const later = store.accounts.rotateKey(of, successor(), '2999-01-01T00:00:00Z');
      await expect(later).rejects.toMatchObject({ code: 'bad_request' });
      expect(await find(store.accounts, hash)).toEqual(first);
    });

    test('lets a rotated key live until its end; its successor has its name, cap and wallet (A10)', async () => {
      const { accountId, walletId } = await store.accounts.create(account);
      const [hash, prefix] = [hashOf(), prefixOf()];
      const cap = { amount: 9_000, period: 'month' } as const;
      const key = await store.accounts.addKey({ accountId, hash, prefix, name: 'prod', cap });
      const next = successor();
      const end = '2999-01-01T00:00:00.000Z';
      const second = await store.accounts.rotateKey({ accountId, keyId: key.keyId }, next, end);
      expect(second).toMatchObject({ name: 'prod', cap: { ...cap, spent: 0 }, expiresAt: null });
      expect(await find(store.accounts, hash)).toMatchObject({ state: 'live' });
      const successorKey = await find(store.other, next.hash);
      expect(successorKey).toMatchObject({ state: 'live', caller: { walletId, capThousandths: 9_000 } });
      expect(await store.accounts.keyByPrefix(prefix)).toEqual({
        ...withoutSpent(key),
        accountId,
        expiresAt: end,
        isReplaced: true,
      });
      const again = store.accounts.rotateKey({ accountId, keyId: key.keyId }, successor(), null);
      await expect(again).rejects.toMatchObject({ code: 'bad_request' });
    });

    test('ends a key that is rotated without overlap (A10)', async () => {
      const { hash, key, accountId } = await openKey();
      const { oldEndsAt } = await store.accounts.rotateKey({ accountId, keyId: key.keyId }, successor(), null);
      expect(await find(store.accounts, hash)).toMatchObject({ state: 'revoked', revokedAt: oldEndsAt });
    });

    test('says when a rotated key ends that had an earlier end', async () => {
      const { key, accountId } = await openKey();
      const [of, expiresAt] = [{ accountId, keyId: key.keyId }, '2998-01-01T00:00:00.000Z'];
      await store.accounts.changeKey(of, { expiresAt });
      const { oldEndsAt } = await store.accounts.rotateKey(of, successor(), '2999-01-01T00:00:00Z');
      expect([oldEndsAt, (await store.accounts.key(of))?.expiresAt]).toEqual([expiresAt, expiresAt]);
    });

    test('applies a changed cap from the next look-up, for all keys that share it; none removes it', async () => {
      const { hash, key, accountId } = await openKey();
      const next = successor();
      const of = { accountId, keyId: key.keyId };
      await store.accounts.changeKey(of, { cap: { amount: 5_000, period: 'day' }, name: 'renamed' });
      await store.accounts.rotateKey(of, next, '2999-01-01T00:00:00Z');
      await store.accounts.changeKey(of, { cap: { amount: 7_000, period: 'total' } });
      for (const one of [hash, next.hash]) {
        expect(await find(store.other, one)).toMatchObject({ caller: { capThousandths: 7_000 } });
      }
      const uncapped = await store.accounts.changeKey(of, { cap: null });
      expect(uncapped).toMatchObject({ name: 'renamed', cap: null });
      expect(await find(store.other, next.hash)).toMatchObject({ caller: { capThousandths: null } });
    });

    test('takes a prefix that two keys share for the live one', async () => {
      const first = await openKey();
      const key = { hash: hashOf(), prefix: first.prefix, name: 'k', cap: null };
      const younger = await store.accounts.addKey({ ...key, accountId: first.accountId });
      expect(await store.accounts.keyByPrefix(first.prefix)).toMatchObject({ keyId: younger.keyId });
      await store.accounts.revokeKey({ accountId: first.accountId, keyId: younger.keyId });
      expect(await store.accounts.keyByPrefix(first.prefix)).toMatchObject({ keyId: first.key.keyId });
    });

    test('freezes the live keys of a frozen account (W8)', async () => {
      const { accountId, hash } = await openKey();
      await store.freeze(accountId);
      expect(await find(store.accounts, hash)).toEqual({ state: 'frozen' });
    });

    test('notifies every node of a changed key or account until it stops listening', async () => {
      const notified: string[] = [];
      const stop = await store.other.onKeyChange((hash) => notified.push(hash));
      const { accountId, hash, key } = await openKey();
      const hex = hash.toString('hex');
      await vi.waitFor(() => expect(notified).toContain(hex), { timeout: 10_000 });
      notified.length = 0;
      await store.accounts.changeKey({ accountId, keyId: key.keyId }, { cap: { amount: 1, period: 'day' } });
      await vi.waitFor(() => expect(notified).toEqual([hex]), { timeout: 10_000 });
      await store.freeze(accountId);
      await vi.waitFor(() => expect(notified).toEqual([hex, hex]), { timeout: 10_000 });
      await stop();
      await store.accounts.revokeKey({ accountId, keyId: key.keyId });
      expect(await find(store.accounts, hash)).toMatchObject({ state: 'revoked' });
      expect(notified).toHaveLength(2);
    });
  });
}
