/**
 * Which calls of the ports could be sent to one server of several. The tables that `perch database distribute`
 * distributes by account are partitioned by it here, and a call may touch only its account's partition. Ports without
 * a distributed table are left out.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createAlerts, createNotices } from '../../../adapters/postgres/customers/alerts.js';
import { createGrantStore } from '../../../adapters/postgres/customers/grants.js';
import { createSales } from '../../../adapters/postgres/customers/sales.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { tablesAt } from '../../../adapters/postgres/shards/table-servers.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { AlertSettings, AlertStore } from '../../../src/ports/alerts.js';
import type { NewDelivery, Notices } from '../../../src/ports/deliveries.js';
import type { GrantStore } from '../../../src/ports/grants.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import type { Sales } from '../../../src/ports/sales.js';
import { debitOf, lookedUp, type Payer } from '../../engine/ports/suites/ledger.suite.js';
import { partitionByAccount, shardOf, touchedBy } from '../../kit/postgres/by-account.js';
import { allow, approvalOf, newPair, newSale, PAID, sell, soon } from '../../kit/postgres/customers.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { namedCalls, type PayingCustomer, type PortCall, type PortCalls } from './calls.js';
import { callsOfPeople } from './people.js';
import { callsOfWatches } from './watches.js';

/**
 * Calls that touch more than their account's partition, with the reason and the tables. The list may only become
 * shorter: a listed call that no longer needs its row fails.
 */
const GLOBAL: Readonly<Record<string, readonly [why: string, ...tables: string[]]>> = {
  'accounts.openTestAccount, a new one': ['it is an account of its own', 'wallets', 'audit_log'],
  'accounts.freeze': ['nodes are told of the keys of its test account', 'keys'],
  'accounts.keyByPrefix, of any account': ['an operator knows the prefix alone', 'keys'],
  'ledger.post, of many accounts at a time': ['a flush has debits of all accounts', 'debits', 'wallets'],
  'ledger.runMaintenance': [
    'one node works for all accounts',
    ...['debits', 'keys', 'wallets', 'usage_hours', 'usage_days', 'operation_names'],
  ],
  'ledger.check': [
    'it reads the whole ledger',
    ...['debits', 'keys', 'wallets', 'spend_caps', 'statement_entries', 'usage_hours', 'usage_days'],
  ],
  'grants.findByToken': ['a key is found by its hash', 'keys'],
  'sales.change': ['nodes are told of the keys of its test account', 'keys'],
  'notices.recentSpenders': ['it looks through all wallets', 'wallets'],
  'members.members': ['keys of the test account are counted', 'keys'],
  'members.remove, with their keys': ['keys of the test account end too', 'keys', 'wallets'],
  'members.deleteAccount': ['the test account ends too', 'keys', 'wallets', 'audit_log', 'operation_names'],
  'sessions.start, of one who has two': ['it is in the logs of both', 'audit_log'],
  'sessions.end, one': ['its test keys may be of any account', 'keys'],
  'sessions.end, all': ['their test keys may be of any account', 'keys'],
  'emailAccounts.change, of one who has two': ['it is in the logs of both', 'audit_log'],
  'passkeys.add, of one who has two': ['it is in the logs of both', 'audit_log'],
  'operator.accounts': ['a page of all accounts', 'keys', 'wallets'],
  'operator.accounts, found by a key': ['an operator knows the prefix alone', 'keys', 'wallets'],
  'operator.events, of all': ['it is the log of all accounts', 'audit_log'],
  'operator.changeSettings, of limits': ['nodes are told of the keys of its test account', 'keys'],
  'operator.money': ['it adds all accounts up', 'wallets', 'statement_entries'],
  'leases.claim': ['a process follows watches of all accounts', 'keys'],
};

let database: FreshDatabase;
/** A single connection, so that its statistics are complete when they are read. */
let sql: Sql;
let accounts: Accounts;
let ledger: Ledger;
let grants: GrantStore;
let sales: Sales;
let alerts: AlertStore;
let notices: Notices;
beforeAll(async () => {
  database = await freshDatabase();
  await partitionByAccount(database.sql, tablesAt('account'));
  sql = connect(database.target, { max: 1 });
  accounts = createAccounts(sql, { isDistributed: true });
  ledger = createLedger(sql);
  grants = createGrantStore(sql);
  sales = createSales(sql);
  alerts = createAlerts(sql);
  notices = createNotices(sql);
  // Enough accounts for every partition to have rows.
  for (let nth = 0; nth < 12; nth += 1) everybody.push(await open());
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const everybody: PayingCustomer[] = [];

const create = (email: string | null) => accounts.create({ name: 'a', email, paidUsd: 0, qpsOverride: null });

async function open(): Promise<PayingCustomer> {
  const email = `${randomUUID()}@example.org`;
  const account = await create(email);
  await ledger.grant({ requestId: randomUUID(), accountId: account.accountId, amount: 100_000, reason: 'test' });
  const addKey = async (hash: Buffer, cap: number | null): Promise<Payer> => {
    const prefix = `perch_live_${randomBytes(3).toString('hex')}`;
    const limit = cap === null ? null : ({ amount: cap, period: 'day' } as const);
    const { keyId } = await accounts.addKey({ ...account, hash, prefix, name: 'k', cap: limit });
    return lookedUp(accounts, { ...account, keyId, prefix, hash });
  };
  const hash = randomBytes(32);
  // In this order, because a look-up is outdated once any key of the account gets a cap.
  const capped = await addKey(randomBytes(32), 10_000);
  const payer = await addKey(hash, null);
  const debit = debitOf(payer, 500);
  for (const each of [debit, debitOf(capped, 500)]) expect(await ledger.post(each)).toMatchObject({ ok: true });
  const testKey = { accountId: await accounts.openTestAccount(account.accountId), hash: randomBytes(32) };
  const { keyId } = await accounts.addKey({ ...testKey, prefix: 'perch_test_abcdef', name: 'k', cap: null });
  const { accountId } = account;
  return {
    ...{ ...payer, hash, email, capped, paid: debit.requestId, test: { ...testKey, keyId } },
    grant: await allow(grants, accountId),
    sale: await sell(sales, accountId),
    alertId: (await alerts.add(accountId, ALERT, 10, OPERATOR)) ?? '',
  };
}

const ALERT: AlertSettings = { kind: 'day_spend_above', amount: 1, byMail: true, webhookUrl: null };
const NOTICE: NewDelivery = { channel: 'mail', target: 'a@example.org', subject: 'a', body: 'b', dueAt: 0 };

const ALL = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', limit: 100 };
const successor = () => ({ hash: randomBytes(32), prefix: 'perch_live_ghijkl', expiresAt: null });

const ACCOUNTS: PortCalls<Accounts> = {
  findKeys: {
    '': ({ hash }) => accounts.findKeys([hash]),
    'of a test account': ({ test }) => accounts.findKeys([test.hash]),
  },
  create: {
    'with a mail address': () => create(`${randomUUID()}@example.org`),
    'without one': () => create(null),
  },
  get: {
    '': ({ accountId }) => accounts.get(accountId),
    'of a test account': ({ test }) => accounts.get(test.accountId),
  },
  testAccount: ({ accountId }) => accounts.testAccount(accountId),
  keys: ({ accountId }) => accounts.keys(accountId, 10),
  openTestAccount: {
    'that is there': ({ accountId }) => accounts.openTestAccount(accountId),
    // Several pairs, because the two of one pair may be in the same partition by chance.
    'a new one': async () => {
      for (let nth = 0; nth < 8; nth += 1) await accounts.openTestAccount((await create(null)).accountId);
    },
  },
  rename: ({ accountId }) => accounts.rename(accountId, 'c'),
  freeze: ({ accountId }) => accounts.freeze(accountId, true),
  addKey: {
    'with a cap': ({ accountId }) =>
      accounts.addKey({ ...successor(), accountId, name: 'k', cap: { amount: 1, period: 'month' } }),
    'without one': ({ accountId }) => accounts.addKey({ ...successor(), accountId, name: 'k', cap: null }),
    'of a session': ({ accountId }) =>
      accounts.addKey({
        ...{ ...successor(), accountId, name: 'k', cap: null },
        session: { sessionId: randomUUID(), expiresAt: soon().toISOString() },
      }),
  },
  key: (customer) => accounts.key(customer),
  keyByPrefix: {
    'of any account': ({ prefix }) => accounts.keyByPrefix(prefix),
    'of one': ({ prefix, accountId }) => accounts.keyByPrefix(prefix, accountId),
  },
  rotateKey: {
    'with a cap': ({ capped }) => accounts.rotateKey(capped, successor(), soon().toISOString()),
    'without one': (customer) => accounts.rotateKey(customer, successor(), null),
  },
  changeKey: {
    'that gets a cap': (customer) => accounts.changeKey(customer, { cap: { amount: 5_000, period: 'total' } }),
    'that gets another cap': ({ capped }) => accounts.changeKey(capped, { cap: { amount: 5_000, period: 'month' } }),
    'that loses its cap': ({ capped }) => accounts.changeKey(capped, { cap: null }),
    'in all else': (customer) =>
      accounts.changeKey(customer, {
        name: 'l',
        scopes: ['tweets'],
        allowedFrom: ['10.0.0.0/8'],
        expiresAt: soon().toISOString(),
      }),
  },
  revokeKey: (customer) => accounts.revokeKey(customer),
  onKeyChange: async () => (await accounts.onKeyChange(() => {}))(),
};

const LEDGER: PortCalls<Ledger> = {
  post: {
    'of a key without a cap': (customer) => ledger.post(debitOf(customer, 1)),
    'of a key that was not looked up': (customer) => ledger.post(debitOf({ ...customer, uncapped: null }, 1)),
    'of many accounts at a time': () => Promise.all(everybody.map((customer) => ledger.post(debitOf(customer, 1)))),
    'of a key with a cap': ({ capped }) => ledger.post(debitOf(capped, 1)),
    'with a random id': (customer) => ledger.post(debitOf(customer, 1, { requestId: randomUUID() })),
    'of what was posted before': ({ paid, ...payer }) => ledger.post(debitOf(payer, 500, { requestId: paid })),
    'of more than there is': (customer) => ledger.post(debitOf(customer, 1e9)),
  },
  grant: ({ accountId }) => ledger.grant({ requestId: randomUUID(), accountId, amount: 1, reason: 'test' }),
  refill: ({ accountId }) => ledger.refill({ accountId, day: '2026-11-27', upTo: 1_000, requestId: v7() }),
  balance: {
    'with a cap': ({ capped }) => ledger.balance(capped),
    'without one': (customer) => ledger.balance(customer),
  },
  usage: {
    'by hour and key': ({ accountId }) => ledger.usage(accountId, { ...ALL, group: ['hour', 'key'] }),
    'of one key': ({ accountId, keyId }) => ledger.usage(accountId, { ...ALL, group: ['day'], keyId }),
  },
  lastUses: ({ accountId }) => ledger.lastUses(accountId, ALL.from),
  receipt: ({ accountId, paid }) => ledger.receipt(accountId, paid),
  archivedMonth: ({ accountId, paid }) => ledger.archivedMonth(accountId, paid),
  recent: {
    'of all keys': ({ accountId }) => ledger.recent(accountId, 10),
    'of one': ({ accountId, keyId }) => ledger.recent(accountId, 10, undefined, keyId),
  },
  statement: ({ accountId }) => ledger.statement(accountId, 10),
  claimNames: ({ accountId }) => ledger.claimNames(accountId, '2026-11-27', ['a', 'b']),
  runMaintenance: () => ledger.runMaintenance(),
  check: () => ledger.check(),
};

const GRANTS: PortCalls<GrantStore> = {
  approve: ({ accountId }) =>
    grants.approve(
      { hash: randomBytes(32), approval: approvalOf(accountId, randomUUID()), now: new Date(), endsAt: soon() },
      OPERATOR,
    ),
  redeem: ({ accountId }) => allow(grants, accountId),
  refresh: ({ grant }) =>
    grants.refresh({
      ...{ clientId: 'c', refreshHash: grant.refreshHash, successor: newPair(), now: new Date(), overlapMs: 1 },
      ...{ maxLifetimeMs: 1e9, most: { count: 5, windowMs: 1e6 }, by: OPERATOR },
    }),
  findByToken: ({ grant }) => grants.findByToken(grant),
  revoke: ({ accountId, grant }) => grants.revoke({ accountId, grantId: grant.grantId }, OPERATOR, new Date()),
  list: ({ accountId }) => grants.list(accountId, 10),
  sweep: () => grants.sweep({ endedBefore: new Date(0), idleSince: new Date(0) }),
};

const SALES: PortCalls<Sales> = {
  begin: ({ accountId }) => sales.begin(newSale(accountId)),
  opened: ({ sale }) => sales.opened({ ...sale, url: null }, { sessionId: 's', url: 'u' }, Date.now(), OPERATOR),
  find: ({ sale }) => sales.find(sale),
  list: ({ accountId }) => sales.list(accountId, 10),
  beginLook: () => sales.beginLook(),
  change: async ({ sale }) => {
    const look = await sales.beginLook();
    const [session, at] = [
      { sessionId: sale.sessionId ?? '', saleId: null },
      { nowMs: Date.now(), look },
    ];
    const changed = await sales.change(session, at, () => ({
      ...{ ...PAID, paidUsd: 10 },
      entries: [{ kind: 'purchase', amount: 1_000, reason: 'p' }],
    }));
    expect(changed).toBe(true);
  },
  takeDue: () => sales.takeDue(Date.now(), 1_000, 10),
  knowsEvent: () => sales.knowsEvent('e'),
  noteEvent: () => sales.noteEvent({ eventId: randomUUID(), type: 't', sessionId: null, paymentIntent: null }),
};

const levelOf = async ({ accountId, alertId }: PayingCustomer) => {
  const level = (await alerts.levels([accountId], '2026-11-27')).find((each) => each.alertId === alertId);
  if (level === undefined) throw new Error('an alert has no level');
  return level;
};

const ALERTS: PortCalls<AlertStore> = {
  list: ({ accountId }) => alerts.list(accountId),
  add: ({ accountId }) => alerts.add(accountId, ALERT, 10, OPERATOR),
  remove: ({ accountId, alertId }) => alerts.remove(accountId, alertId, OPERATOR),
  levels: ({ accountId }) => alerts.levels([accountId], '2026-11-27'),
  claim: async (customer) => alerts.claim(await levelOf(customer), 'c', Date.now(), [NOTICE]),
  skip: ({ accountId, alertId }) => alerts.skip(accountId, alertId, 'c'),
  deliver: ({ accountId, alertId }) => alerts.deliver(accountId, alertId, [NOTICE]),
};

const NOTICES: PortCalls<Notices> = {
  levels: ({ accountId }) => notices.levels([accountId]),
  claim: async ({ accountId }) => {
    const [level] = await notices.levels([accountId]);
    if (level === undefined) throw new Error('a wallet has no level');
    return notices.claim(level, [50], NOTICE);
  },
  recentSpenders: () => notices.recentSpenders(1_000),
};

const CALLS = namedCalls({
  ...{ accounts: ACCOUNTS, ledger: LEDGER, grants: GRANTS, sales: SALES, alerts: ALERTS, notices: NOTICES },
  ...callsOfPeople(() => sql),
  ...callsOfWatches(() => sql),
});

/** Opens a customer whose test account is in another partition. */
async function openApart(): Promise<PayingCustomer> {
  for (;;) {
    const customer = await open();
    if ((await shardOf(sql, customer.accountId)) !== (await shardOf(sql, customer.test.accountId))) return customer;
  }
}

/** The tables of which a call touches partitions other than its account's. */
async function straysOf(prepare: PortCall): Promise<string[]> {
  const customer = await openApart();
  const touched = await touchedBy(sql, await prepare(customer));
  if (new Set(touched.map(({ shard }) => shard)).size <= 1) return [];
  const own = await shardOf(sql, customer.accountId);
  // Each month of debits has a table of its own.
  const strays = touched.flatMap(({ table, shard }) => (shard === own ? [] : [table.replace(/^debits_.*/, 'debits')]));
  return [...new Set(strays)];
}

describe('a call touches the partitions of one account only, unless it is listed', () => {
  it.each(CALLS)('%s', async (name, call) => {
    const strays = await straysOf(call);
    const [, ...tables] = GLOBAL[name] ?? [''];
    expect(strays.filter((table) => !tables.includes(table))).toEqual([]);
    expect(strays.length > 0).toBe(name in GLOBAL);
  });

  it('lists only existing calls', () => {
    expect(Object.keys(GLOBAL).filter((name) => !CALLS.some(([each]) => each === name))).toEqual([]);
  });
});
