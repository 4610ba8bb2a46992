/** What a member is in the middle of while they are removed, lose their role, or the account is deleted. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createMemberStore } from '../../../adapters/postgres/accounts/members.js';
import { createClientStore, createGrantStore } from '../../../adapters/postgres/customers/grants.js';
import type { Transaction } from '../../../adapters/postgres/sql.js';
import { type Actor, OPERATOR } from '../../../src/domain/audit.js';
import type { Accounts, MemberStore } from '../../../src/ports/accounts.js';
import type { GrantStore } from '../../../src/ports/grants.js';
import { allow, approvalOf, newPair, soon } from '../../kit/postgres/customers.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';

let database: FreshDatabase;
let accounts: Accounts;
let members: MemberStore;
let grants: GrantStore;
let accountId: string;
let testId: string;
let personId: string;
let by: Actor;
beforeAll(async () => {
  database = await freshDatabase({ max: 10 });
  accounts = createAccounts(database.sql);
  members = createMemberStore(database.sql);
  grants = createGrantStore(database.sql);
  await createClientStore(database.sql).add(
    { clientId: 'c', name: 'c', uri: null, redirectUris: ['https://c'] },
    new Date(),
  );
});
afterAll(() => database.drop());
beforeEach(async () => {
  accountId = await openAccount();
  testId = await accounts.openTestAccount(accountId);
  personId = await openAccount();
  by = { who: 'customer', address: null, personId };
  await database.sql`insert into members (account_id, person_id, role) values (${accountId}, ${personId}, 'developer')`;
});

const openAccount = async () =>
  (await accounts.create({ name: 'a', email: null, paidUsd: 0, qpsOverride: null })).accountId;

const addKey = (to: string, actor: Actor) =>
  accounts.addKey({ accountId: to, hash: randomBytes(32), prefix: 'perch_live_abcdef', name: 'k', cap: null }, actor);
const addSessionKey = () => {
  const session = { sessionId: randomUUID(), expiresAt: soon().toISOString() };
  const key = { accountId: testId, hash: randomBytes(32), prefix: 'perch_test_abcdef', name: 's', cap: null, session };
  return accounts.addKey(key, by);
};
const rotateKey = (keyId: string) =>
  accounts.rotateKey(
    { accountId, keyId },
    { hash: randomBytes(32), prefix: 'perch_live_ghijkl', expiresAt: null },
    null,
    by,
  );
const approve = (hash = randomBytes(32)) =>
  grants.approve({ hash, approval: approvalOf(accountId, randomUUID()), now: new Date(), endsAt: soon() }, by);
const redeem = (hash: Buffer) => grants.redeem({ hash, now: new Date(), by: OPERATOR }, newPair);

/** Resolves as soon as that many statements in this database wait for a lock. */
const untilWaiting = (count: number) =>
  expect
    .poll(
      () =>
        database.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.then(
          (rows) => rows.length,
        ),
      { interval: 5 },
    )
    .toBe(count);

/** How many keys and unspent codes of the member still work. */
async function working(): Promise<number> {
  const [row] = await database.sql<[{ count: number }]>`
    select (select count(*) from keys where created_by = ${personId} and revoked_at is null)::int
      + (select count(*) from one_time_tokens
         where subject ->> 'createdBy' = ${personId} and spent_at is null and expires_at > now())::int as count`;
  return row.count;
}

const remove = () => members.remove(accountId, personId, true, OPERATOR);

const ACTS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  'creates a key': async () => () => addKey(accountId, by),
  'creates a test key': async () => () => addKey(testId, by),
  'gets the test key of a session': async () => addSessionKey,
  'rotates a key of the owner': async () => {
    const { keyId } = await addKey(accountId, OPERATOR);
    return () => rotateKey(keyId);
  },
  'allows an app': async () => approve,
};

const ENDS: Readonly<Record<string, () => Promise<void>>> = {
  'they are being removed': remove,
  'their account is being deleted': () => members.deleteAccount(accountId, OPERATOR),
};

it.each(Object.keys(ACTS).flatMap((act) => Object.keys(ENDS).map((end) => [act, end] as const)))(
  'refuses a member who %s while %s',
  async (does, end) => {
    const act = await ACTS[does]?.();
    // Writing to the log, which waits here, is among the last things that both transactions do.
    const release = await holdLocks(database.sql, (tx) => tx`lock table audit_log in share mode`);
    const ended = ENDS[end]?.();
    await untilWaiting(1);
    const acted = act?.().then(
      () => 'done',
      (error: { code: string }) => error.code,
    );
    await untilWaiting(2);
    await release();
    await ended;
    expect([await acted, await working()]).toEqual(['access_denied', 0]);
  },
);

it.each(Object.keys(ENDS))('revokes the grant of a code of a member that is being redeemed while %s', async (end) => {
  const hash = randomBytes(32);
  await approve(hash);
  const release = await holdLocks(database.sql, (tx) => tx`select from oauth_clients for update`);
  const redeemed = redeem(hash);
  await untilWaiting(1);
  const ended = ENDS[end]?.();
  await untilWaiting(2);
  await release();
  await ended;
  expect([await redeemed, await working()]).toEqual([{ state: 'redeemed' }, 0]);
});

it('ends the key that an app gets while the account is being deleted, without a deadlock', async () => {
  const { refreshHash } = await allow(grants, accountId);
  // The refresh waits here with the grant locked, for which the deletion then waits.
  const release = await holdLocks(database.sql, (tx) => tx`select from oauth_clients for update`);
  const request = { clientId: 'c', refreshHash, successor: newPair(), now: new Date(), by: OPERATOR };
  const bounds = { overlapMs: 60_000, maxLifetimeMs: 3_600_000, most: { count: 10, windowMs: 60_000 } };
  const refreshed = grants.refresh({ ...request, ...bounds });
  await untilWaiting(1);
  const deleted = members.deleteAccount(accountId, OPERATOR);
  await untilWaiting(2);
  await release();
  expect((await Promise.all([refreshed, deleted]))[0]).toMatchObject({ state: 'rotated' });
  expect(await database.sql`select from keys where account_id = ${accountId} and revoked_at is null`).toHaveLength(0);
});

it('locks the wallet before the keys of a member’s app, as charges do', async () => {
  const hash = randomBytes(32);
  await approve(hash);
  await redeem(hash);
  const charge = (tx: Transaction) => tx`select from wallets where account_id = ${accountId} for no key update`;
  const release = await holdLocks(database.sql, charge);
  const removed = remove();
  await untilWaiting(1);
  const free = await database.sql`select from keys where account_id = ${accountId} for no key update skip locked`;
  await release();
  await removed;
  expect([free.length, await working()]).toEqual([1, 0]);
});

it('expires a code of a removed member for a node whose clock is behind', async () => {
  const hash = randomBytes(32);
  await approve(hash);
  await remove();
  const minuteAgo = new Date(Date.now() - 60_000);
  expect(await grants.redeem({ hash, now: minuteAgo, by: OPERATOR }, newPair)).toEqual({ state: 'unknown' });
});

it('refuses a member who creates a key while their role is taken from them, except for a session', async () => {
  await members.changeRole(accountId, personId, 'reader', OPERATOR);
  await expect(addKey(accountId, by)).rejects.toMatchObject({
    code: 'access_denied',
    message: expect.stringContaining('Your role on this account is read only.'),
  });
  await expect(approve()).rejects.toMatchObject({ code: 'access_denied' });
  await addSessionKey();
  expect(await working()).toBe(1);
});
