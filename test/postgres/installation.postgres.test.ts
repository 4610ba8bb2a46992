import { randomBytes } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import type { BeforeKey } from '../../adapters/postgres/accounts/key-changes.js';
import { isOfPepper, takesPepper } from '../../adapters/postgres/accounts/keys.js';
import { createGrantStore } from '../../adapters/postgres/customers/grants.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { Lifecycle } from '../../app/lifecycle.js';
import { openSecrets, pepperFingerprint } from '../../app/secrets.js';
import { openStores, type Stores } from '../../app/stores.js';
import { readConfig } from '../../src/config/config.js';
import { OPERATOR } from '../../src/domain/audit.js';
import { allow, newPair, soon } from '../kit/postgres/customers.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { lineTo } from '../kit/postgres/line-to.js';
import { openHome, removeHome } from './embedded/home.js';

async function openAndClose(env: Record<string, string>, use = async (_: Stores): Promise<void> => {}): Promise<void> {
  const lifecycle = new Lifecycle();
  const config = readConfig({ env, cwd: '/', terminal: false });
  try {
    await use(await lifecycle.start(() => openStores(lifecycle, config)));
  } finally {
    await lifecycle.close();
  }
}

const newAccount = async (sql: Sql): Promise<string> =>
  (await createAccounts(sql).create({ name: 'a', email: null, paidUsd: 0, qpsOverride: null })).accountId;

const newKey = (accountId: string) => ({
  ...{ accountId, hash: randomBytes(32), prefix: 'perch_live_abcdef', name: 'k', cap: null },
});

/** Makes the first key, of an account or of an app. */
const FIRST_KEYS: Readonly<Record<string, (stores: Stores, accountId: string) => Promise<unknown>>> = {
  'of an account': ({ accounts }, accountId) => accounts.addKey(newKey(accountId)),
  'of an app': ({ sql, beforeKey }, accountId) => allow(createGrantStore(sql, beforeKey), accountId),
};

describe('a database', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(() => database.drop());

  test('keeps the pepper of its first key, even if several nodes make it together', async () => {
    const nodes = Array.from({ length: 6 }, () => ({
      sql: connect(database.target, { max: 1 }),
      print: randomBytes(32),
    }));
    const taken = await Promise.all(nodes.map(({ sql, print }) => sql.begin((tx) => takesPepper(tx, print))));
    expect(taken.filter(Boolean)).toHaveLength(1);
    for (const [index, { sql, print }] of nodes.entries()) {
      expect(await isOfPepper(sql, print)).toBe(taken[index]);
      await sql.end();
    }
  });

  test('gets no key of another pepper, in whichever way keys are made', async () => {
    const { sql } = database;
    await sql.begin((tx) => takesPepper(tx, randomBytes(32)));
    const beforeKey: BeforeKey = async (tx) => {
      if (!(await takesPepper(tx, randomBytes(32)))) throw new Error('strange');
    };
    const accountId = await newAccount(sql);
    const { keyId } = await createAccounts(sql).addKey(newKey(accountId));
    const { refreshHash } = await allow(createGrantStore(sql), accountId);
    const [accounts, grants] = [createAccounts(sql, { beforeKey }), createGrantStore(sql, beforeKey)];
    const { hash, prefix } = newKey(accountId);
    const refreshing = {
      ...{ clientId: 'c', refreshHash, successor: newPair(), now: new Date(), overlapMs: 0, maxLifetimeMs: 1e9 },
      ...{ most: { count: 5, windowMs: 1e6 }, by: OPERATOR },
    };
    await expect(accounts.addKey(newKey(accountId))).rejects.toThrow('strange');
    await expect(
      accounts.rotateKey({ accountId, keyId }, { hash, prefix, expiresAt: null }, soon().toISOString()),
    ).rejects.toThrow('strange');
    await expect(allow(grants, accountId)).rejects.toThrow('strange');
    await expect(grants.refresh(refreshing)).rejects.toThrow('strange');
  });
});

describe('secrets', () => {
  let home: string;
  beforeEach(async () => {
    home = await openHome();
  });
  afterEach(() => removeHome(home));

  test('derived from one PERCH_SECRET are the same on every machine, differ from each other, and leave no file', async () => {
    const [one, two] = [await openSecrets(home, 'a'.repeat(32)), await openSecrets('/nonexistent', 'a'.repeat(32))];
    expect(one).toEqual(two);
    expect(one.pepper.equals(one.cursor)).toBe(false);
    expect([one.pepper.length, one.cursor.length]).toEqual([32, 32]);
    expect((await openSecrets(home, 'b'.repeat(32))).pepper.equals(one.pepper)).toBe(false);
    expect(await readdir(home)).toEqual([]);
  });

  test('without a PERCH_SECRET are kept in the folder', async () => {
    const one = await openSecrets(home, null);
    expect(await openSecrets(home, null)).toEqual(one);
    expect(pepperFingerprint(one)).toEqual(pepperFingerprint(await openSecrets(home, null)));
    expect(await readdir(home)).toHaveLength(2);
  });

  test('are synced to disk with their folder when they are made, and only then', async () => {
    const folder = await open(home);
    const synced = vi.spyOn(Object.getPrototypeOf(folder), 'sync');
    try {
      await openSecrets(home, null);
      expect(synced).toHaveBeenCalledTimes(4);
      await openSecrets(home, null);
      expect(synced).toHaveBeenCalledTimes(4);
    } finally {
      synced.mockRestore();
      await folder.close();
    }
  });

  test.each(Object.entries(FIRST_KEYS))(
    'that differ from those of the first key, %s, are refused, with what to do',
    async (_name, makeKey) => {
      const database = await freshDatabase();
      const { line, url } = await lineTo(database);
      const open = (env: Record<string, string>, use?: Parameters<typeof openAndClose>[1]) =>
        openAndClose({ PERCH_HOME: home, DATABASE_URL: url, ...env }, use);
      const right = { PERCH_SECRET: 'right '.repeat(6) };
      // Until then, secrets may change.
      await open({});
      await open(right, async (stores) => {
        const accountId = await newAccount(stores.sql);
        await open({ PERCH_SECRET: 'wrong '.repeat(6) });
        await makeKey(stores, accountId);
      });
      await expect(open({ PERCH_SECRET: 'wrong '.repeat(6) })).rejects.toThrow(
        /PERCH_SECRET to the same value on every/,
      );
      await expect(open({})).rejects.toThrow(new RegExp(`pepper and cursor-secret from .* to ${home}`));
      await open(right);
      await line.close();
      await database.drop();
    },
  );
});

describe('a database that cannot be opened', () => {
  const open = (url: string) => openAndClose({ DATABASE_URL: url, PERCH_SECRET: 's'.repeat(32) });

  test.each([
    [
      'nobody listens',
      'postgres://ada:secret@127.0.0.1:1/perch',
      /DATABASE_URL \(postgres:\/\/…@127\.0\.0\.1:1\/perch\): .*ECONNREFUSED/,
    ],
    ['nothing has the name', 'postgres://ada:secret@nowhere.invalid/perch', /DATABASE_URL \(.*nowhere\.invalid/],
  ])('is reported with the setting and its address, without the password: %s', async (_name, url, says) => {
    const error: unknown = await open(url).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(says);
    expect(String(error)).not.toContain('secret@');
  });

  test('is reported in the same way if it does not exist', async () => {
    const database = await freshDatabase();
    const { line, url } = await lineTo(database);
    const other = new URL(url);
    other.pathname = '/not_there';
    await expect(open(other.href)).rejects.toThrow(/DATABASE_URL \(.*not_there.*does not exist/);
    await line.close();
    await database.drop();
  });
});
