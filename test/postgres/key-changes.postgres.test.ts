/**
 * Transactions that change keys notify the nodes even without triggers, which distributed tables do not have. And each
 * key is in the directory, which says which account it belongs to.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { KEY_CHANGE } from '../../adapters/postgres/accounts/key-changes.js';
import { createMemberStore } from '../../adapters/postgres/accounts/members.js';
import { createGrantStore } from '../../adapters/postgres/customers/grants.js';
import { createSales } from '../../adapters/postgres/customers/sales.js';
import { createSessionStore } from '../../adapters/postgres/customers/sessions.js';
import { createOperatorStore } from '../../adapters/postgres/figures/operator.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import { OPERATOR } from '../../src/domain/audit.js';
import { DAY_MS } from '../../src/lib/durations.js';
import type { Accounts, KeyLookup, NewKey } from '../../src/ports/accounts.js';
import type { GrantStore } from '../../src/ports/grants.js';
import type { SaleChange, Sales } from '../../src/ports/sales.js';
import { allow, newPair, PAID, sell, soon } from '../kit/postgres/customers.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';

let database: FreshDatabase;
let sql: Sql;
let accounts: Accounts;
/** Accounts as on a distributed database, where keys are on the servers of their accounts. */
let apart: Accounts;
let grants: GrantStore;
let sales: Sales;
const notified: string[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  sql = database.sql;
  await sql.unsafe(`
    drop trigger tell_key_change on keys;
    drop trigger tell_cap_change on spend_caps;
    drop trigger tell_account_change on accounts`);
  accounts = createAccounts(sql);
  apart = createAccounts(sql, { isDistributed: true });
  grants = createGrantStore(sql);
  sales = createSales(sql);
  await accounts.onKeyChange((hash) => void notified.push(hash));
});
afterAll(() => database.drop());

interface Customer {
  readonly accountId: string;
  readonly keyId: string;
  /** A key with a cap, whose successor takes over at a later time. */
  readonly cappedId: string;
  readonly testOf: { readonly accountId: string; readonly sessionId: string };
  readonly grant: { readonly grantId: string; readonly refreshHash: Buffer };
}

let customer: Customer;
beforeEach(async () => {
  const { accountId } = await accounts.create({ name: 'a', email: null, paidUsd: 0, qpsOverride: null });
  const testId = await accounts.openTestAccount(accountId);
  const session = await openSession(accountId);
  customer = {
    accountId,
    keyId: await addKey(accountId),
    cappedId: await addKey(accountId, { cap: { amount: 1_000, period: 'day' } }),
    testOf: { accountId: testId, sessionId: session },
    grant: await allow(grants, accountId),
  };
  await addKey(testId);
  await addKey(testId, { session: { sessionId: session, expiresAt: soon().toISOString() } });
});

const newHash = () => randomBytes(32);

async function addKey(accountId: string, change: Partial<NewKey> = {}): Promise<string> {
  const key = { accountId, hash: newHash(), prefix: 'perch_live_abcdef', name: 'k', cap: null, ...change };
  return (await accounts.addKey(key)).keyId;
}

async function openSession(personId: string): Promise<string> {
  const sessions = createSessionStore(sql);
  const session = { personId, accountId: personId, hash: newHash(), method: 'link', userAgent: null } as const;
  await sessions.start({ ...session, address: null, startedAt: Date.now(), expiresAt: soon().getTime() }, OPERATOR);
  const found = await sessions.find(session.hash, { at: Date.now(), usedSince: 0 });
  return found?.sessionId ?? '';
}

/** Makes a sale, then applies what the payment service reports of it. */
async function buy(accountId: string, ...changes: Partial<SaleChange>[]): Promise<void> {
  const { saleId: sessionId } = await sell(sales, accountId);
  for (const change of changes) {
    const look = await sales.beginLook();
    const at = { nowMs: Date.now(), look };
    await sales.change({ sessionId, saleId: null }, at, () => ({ ...PAID, ...change }));
  }
}

const successor = () => ({ hash: newHash(), prefix: 'perch_live_ghijkl', expiresAt: null });
const lost = (disputeId: string): Partial<SaleChange> => ({
  disputes: [{ disputeId, state: 'lost', amountCents: 1_000 }],
  lost: [disputeId],
});

type Step = (of: Customer) => Promise<unknown>;

/** Every way in which what a key may do changes. If there are two steps, the second is the change. */
const WAYS: Readonly<Record<string, Step | readonly [Step, Step]>> = {
  'a new key': ({ accountId }) => addKey(accountId),
  'a new key with a cap': ({ accountId }) => addKey(accountId, { cap: { amount: 1, period: 'total' } }),
  'a key that gets a cap': (of) => accounts.changeKey(of, { cap: { amount: 5, period: 'total' } }),
  'a cap that changes': ({ accountId, cappedId }) =>
    accounts.changeKey({ accountId, keyId: cappedId }, { cap: { amount: 5_000, period: 'day' } }),
  'a cap that goes': ({ accountId, cappedId }) => accounts.changeKey({ accountId, keyId: cappedId }, { cap: null }),
  'a cap of two keys that changes': [
    ({ accountId, cappedId }) => accounts.rotateKey({ accountId, keyId: cappedId }, successor(), soon().toISOString()),
    ({ accountId, cappedId }) =>
      accounts.changeKey({ accountId, keyId: cappedId }, { cap: { amount: 7_000, period: 'day' } }),
  ],
  'other scopes': (of) => accounts.changeKey(of, { scopes: ['tweets'] }),
  'other addresses': (of) => accounts.changeKey(of, { allowedFrom: ['10.0.0.0/8'] }),
  'an end': (of) => accounts.changeKey(of, { expiresAt: new Date(Date.now() - 1_000).toISOString() }),
  'a rotation': (of) => accounts.rotateKey(of, successor(), null),
  'a revocation': (of) => accounts.revokeKey(of),
  'a freeze': ({ accountId }) => accounts.freeze(accountId, true),
  'a thaw': [({ accountId }) => accounts.freeze(accountId, true), ({ accountId }) => accounts.freeze(accountId, false)],
  'a tier that was paid for': ({ accountId }) => buy(accountId, { paidUsd: 500 }),
  'a dispute that is lost': ({ accountId }) => buy(accountId, {}, lost(randomUUID())),
  'a rate that an operator sets': ({ accountId }) =>
    createOperatorStore(sql).changeSettings(accountId, { qpsOverride: 77 }, OPERATOR),
  'a client that is allowed': ({ accountId }) => allow(grants, accountId),
  'a client that renews its key': ({ grant }) =>
    grants.refresh({
      ...{ clientId: 'c', refreshHash: grant.refreshHash, successor: newPair(), now: new Date(), overlapMs: -1_000 },
      ...{ maxLifetimeMs: 1e9, most: { count: 5, windowMs: 1e6 }, by: OPERATOR },
    }),
  'a client that is stopped': ({ accountId, grant }) =>
    grants.revoke({ accountId, grantId: grant.grantId }, OPERATOR, new Date()),
  'a client that is stopped by a node whose clock is ahead': ({ accountId, grant }) =>
    grants.revoke({ accountId, grantId: grant.grantId }, OPERATOR, new Date(Date.now() + 365 * DAY_MS)),
  'a session that ends': ({ accountId, testOf }) =>
    createSessionStore(sql).end(accountId, { only: testOf.sessionId }, Date.now(), OPERATOR),
  'a session that a node ends whose clock is ahead': ({ accountId, testOf }) =>
    createSessionStore(sql).end(accountId, { only: testOf.sessionId }, Date.now() + 365 * DAY_MS, OPERATOR),
  'a deleted account': ({ accountId }) => createMemberStore(sql).deleteAccount(accountId, OPERATOR),
};

/** What each key of the account and its test account may do; the same whether or not the tables are distributed. */
async function lookups({ accountId, testOf }: Customer): Promise<Map<string, KeyLookup | undefined>> {
  const keys = await sql<{ hash: Buffer }[]>`
    select hash from keys where account_id in (${accountId}, ${testOf.accountId})`;
  const found = await accounts.findKeys(keys.map(({ hash }) => hash));
  for (const [nth, { hash }] of keys.entries()) expect(await apart.findKeys([hash])).toEqual([found[nth]]);
  return new Map(keys.map(({ hash }, nth) => [hash.toString('hex'), found[nth]]));
}

/** Everything but the version of the account's caps: a debit with an older one is posted by the other statement. */
const known = (lookup: KeyLookup | undefined): string =>
  JSON.stringify(lookup, (name, value) => (name === 'uncapped' ? undefined : value));

/** Waits until nodes have been notified of everything that is committed. */
async function untilNotified(): Promise<void> {
  const marker = randomUUID();
  await sql.notify(KEY_CHANGE, marker);
  await vi.waitFor(() => expect(notified).toContain(marker), { timeout: 10_000, interval: 5 });
}

describe('notifies nodes of each key that may do something else after', () => {
  it.each(Object.entries(WAYS))('%s', async (_, way) => {
    const [first, change] = typeof way === 'function' ? [null, way] : way;
    await first?.(customer);
    await untilNotified();
    notified.length = 0;
    const before = await lookups(customer);
    await change(customer);
    await untilNotified();
    const after = await lookups(customer);
    const changed = [...after].flatMap(([hash, lookup]) => (known(lookup) === known(before.get(hash)) ? [] : [hash]));
    expect(changed).not.toEqual([]);
    expect(changed.filter((hash) => !notified.includes(hash))).toEqual([]);
  });
});
