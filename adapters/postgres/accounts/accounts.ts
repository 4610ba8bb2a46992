import { type Actor, OPERATOR } from '../../../src/domain/audit.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { tierQps } from '../../../src/domain/tiers.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { AccountRecord, Accounts, Caller, KeyLookup } from '../../../src/ports/accounts.js';
import { lockingTransaction } from '../locking-transaction.js';
import { retryRead } from '../retry.js';
import type { Sql, Transaction } from '../sql.js';
import { record } from './audit.js';
import { type BeforeKey, KEY_CHANGE, notifyAccountChange } from './key-changes.js';
import { addKey, changeKey, findKey, keyByPrefix, readAccountKeys, readKeys, revokeKey, rotateKey } from './keys.js';
import { findTestAccount, openTestAccount } from './test-accounts.js';

interface AccountsOptions {
  /** A separate pool for look-ups of keys; by default the same. */
  readonly lookups?: Sql;
  /** Whether keys are on the servers of their accounts. */
  readonly isDistributed?: boolean;
  readonly beforeKey?: BeforeKey;
}

/** Accounts and keys in Postgres. */
export function createAccounts(
  sql: Sql,
  { lookups = sql, isDistributed = false, beforeKey }: AccountsOptions = {},
): Accounts {
  return {
    findKeys: (hashes) => retryRead(() => (isDistributed ? findApart : findKeys)(lookups, hashes)),
    create: (account, by = OPERATOR) => lockingTransaction(sql, (tx) => createAccount(tx, account, by)),
    get: (accountId) => getAccount(sql, accountId),
    testAccount: (accountId) => findTestAccount(sql, accountId),
    openTestAccount: (accountId, by = OPERATOR) => lockingTransaction(sql, (tx) => openTestAccount(tx, accountId, by)),
    rename: (accountId, name, by = OPERATOR) => lockingTransaction(sql, (tx) => rename(tx, accountId, name, by)),
    freeze: (accountId, frozen, by = OPERATOR) => lockingTransaction(sql, (tx) => freeze(tx, accountId, frozen, by)),
    addKey: (key, by = OPERATOR) => lockingTransaction(sql, (tx) => addKey(tx, key, by, beforeKey)),
    keys: (accountId, limit) => readKeys(sql, accountId, limit),
    key: (of) => findKey(sql, of),
    keyByPrefix: (prefix, accountId) => keyByPrefix(sql, prefix, accountId),
    rotateKey: (of, successor, endsAt, by = OPERATOR) =>
      lockingTransaction(sql, (tx) => rotateKey(tx, of, successor, endsAt, by, beforeKey)),
    changeKey: (of, change, by = OPERATOR) => lockingTransaction(sql, (tx) => changeKey(tx, of, change, by)),
    revokeKey: (of, by = OPERATOR) => lockingTransaction(sql, (tx) => revokeKey(tx, of, by)),
    async onKeyChange(listener) {
      const { unlisten } = await sql.listen(KEY_CHANGE, listener);
      return unlisten;
    },
  };
}

interface LookupRow {
  readonly hash: Buffer;
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly capThousandths: number | null;
  readonly keyNumber: number;
  readonly capsVersion: number;
  readonly paidUsd: number;
  readonly qpsOverride: number | null;
  readonly frozen: boolean;
  readonly isTest: boolean;
  readonly scopes: Caller['scopes'];
  readonly allowedFrom: Caller['allowedFrom'];
  /** When the key ended, if it has. */
  readonly revokedAt: Date | null;
  readonly expiredAt: Date | null;
}

/**
 * Up to this many keys are looked up on their accounts' servers. More are spread over most servers, so all are asked.
 */
const FEW_KEYS = 4;

async function findApart(sql: Sql, hashes: readonly Buffer[]): Promise<(KeyLookup | undefined)[]> {
  if (hashes.length > FEW_KEYS) return findKeys(sql, hashes);
  const rows = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from key_directory where hash = any(${bytesOf(hashes)}::bytea[])`;
  return findKeys(
    sql,
    hashes,
    rows.map(({ accountId }) => accountId),
  );
}

/** The hashes in the form in which the driver takes a list. */
const bytesOf = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => `\\x${hash.toString('hex')}`);

/**
 * A test account has the rate and the tier of the account that it belongs to, and is frozen with it. `array(…)` hides
 * from the planner how many hashes there are: otherwise it makes a new plan each time, which costs five times as much as
 * the rest. Citus asks only the servers of the accounts that the query names for each table.
 */
async function findKeys(
  sql: Sql,
  hashes: readonly Buffer[],
  accounts: readonly string[] | null = null,
): Promise<(KeyLookup | undefined)[]> {
  const isOf = (table: 'k' | 'w' | 'c') =>
    accounts === null ? sql`true` : sql`${sql(table)}.account_id = any(${[...accounts]}::uuid[])`;
  const rows = await sql<LookupRow[]>`
    select k.hash, k.account_id as "accountId", k.wallet_id as "walletId", k.key_id as "keyId",
      k.prefix as "keyPrefix", c.cap_thousandths as "capThousandths", k.key_number as "keyNumber",
      w.caps_version as "capsVersion", o.paid_usd as "paidUsd",
      o.qps_override as "qpsOverride", coalesce(a.frozen_at, o.frozen_at) is not null as frozen,
      a.test_of is not null as "isTest",
      k.scopes, k.allowed_from as "allowedFrom", case when k.revoked_at <= now() then k.revoked_at end as "revokedAt",
      case when k.expires_at <= now() then k.expires_at end as "expiredAt"
    from keys k join accounts a using (account_id) join wallets w using (account_id)
      left join spend_caps c on c.account_id = k.account_id and c.cap_id = k.cap_id and ${isOf('c')}
      join accounts o on o.account_id = coalesce(a.test_of, a.account_id)
    where k.hash = any(array(select unnest(${bytesOf(hashes)}::bytea[]))) and ${isOf('k')} and ${isOf('w')}`;
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), rowToLookup(row)]));
  return hashes.map((hash) => found.get(hash.toString('hex')));
}

function rowToLookup({ paidUsd, qpsOverride, ...row }: LookupRow): KeyLookup {
  if (row.revokedAt !== null) return { state: 'revoked', revokedAt: row.revokedAt.toISOString() };
  if (row.expiredAt !== null) return { state: 'expired', expiredAt: row.expiredAt.toISOString() };
  if (row.frozen) return { state: 'frozen' };
  const { accountId, walletId, keyId, keyPrefix, capThousandths, scopes, allowedFrom } = row;
  const { keyNumber, capsVersion } = row;
  const uncapped = capThousandths === null ? { accountId, walletId, keyId, keyNumber, capsVersion } : null;
  const qps = qpsFor({ paidUsd, qpsOverride });
  const mode = row.isTest ? 'test' : 'live';
  return {
    state: 'live',
    caller: { accountId, walletId, keyId, mode, keyPrefix, capThousandths, uncapped, qps, scopes, allowedFrom },
  };
}

/** The tier's rate, unless an operator set another. */
const qpsFor = (account: { paidUsd: number; qpsOverride: number | null }): number =>
  account.qpsOverride ?? tierQps(account.paidUsd);

async function createAccount(
  sql: Transaction,
  account: Parameters<Accounts['create']>[0],
  by: Actor,
): Promise<{ accountId: string; walletId: string }> {
  const [row] = await sql<{ accountId: string; walletId: string }[]>`
    with account as (
      insert into accounts (name, paid_usd, qps_override)
      values (${account.name}, ${account.paidUsd}, ${account.qpsOverride})
      returning account_id
    )
    insert into wallets (account_id) select account_id from account
    returning account_id as "accountId", wallet_id as "walletId"`;
  if (row === undefined) throw new Error('an account was not created');
  // A person who already has this address owns this account too.
  await sql`
    insert into people (person_id, email) values (${row.accountId}, ${account.email})
    on conflict (lower(email)) where email is not null do nothing`;
  await sql`
    insert into members (account_id, person_id, role)
    select ${row.accountId}, person_id, 'owner' from people
    where person_id = ${row.accountId} or lower(email) = ${account.email?.toLowerCase() ?? null}`;
  await record(sql, row.accountId, by, 'account.created');
  return { accountId: row.accountId, walletId: row.walletId };
}

async function rename(tx: Transaction, accountId: string, name: string, by: Actor): Promise<void> {
  const [account] = isUuid(accountId)
    ? await tx<{ name: string }[]>`select name from accounts where account_id = ${accountId} for no key update`
    : [];
  if (account === undefined) throw new ServiceError('not_found', 'No such account.');
  if (account.name === name) return;
  await tx`update accounts set name = ${name} where account_id = ${accountId} or test_of = ${accountId}`;
  await record(tx, accountId, by, 'account.renamed', { name });
}

async function freeze(tx: Transaction, accountId: string, frozen: boolean, by: Actor): Promise<boolean> {
  if (!isUuid(accountId)) return false;
  const [account] = await tx<{ isFrozen: boolean }[]>`
    select frozen_at is not null as "isFrozen" from accounts where account_id = ${accountId} for no key update`;
  if (account === undefined) return false;
  // Even if the account was frozen because of disputes, from now on freezing it is the operator's decision.
  await tx`update sale_disputes set freezes = false where account_id = ${accountId} and freezes`;
  if (account.isFrozen === frozen) return true;
  await tx`update accounts set frozen_at = ${frozen ? tx`now()` : null} where account_id = ${accountId}`;
  await notifyAccountChange(tx, accountId);
  await record(tx, accountId, by, frozen ? 'account.frozen' : 'account.thawed');
  return true;
}

async function getAccount(sql: Sql, accountId: string): Promise<AccountRecord | undefined> {
  if (!isUuid(accountId)) return undefined;
  const [row] = await sql<(Omit<AccountRecord, 'qps' | 'keys'> & { qpsOverride: number | null })[]>`
    select a.account_id as "accountId", w.wallet_id as "walletId", a.name, p.email, w.balance_thousandths as balance,
      o.paid_usd as "paidUsd", o.qps_override as "qpsOverride", coalesce(a.frozen_at, o.frozen_at) is not null as frozen,
      a.test_of as "testOf", w.refilled_on::text as "refilledOn"
    from accounts a join wallets w using (account_id) join accounts o on o.account_id = coalesce(a.test_of, a.account_id)
      left join account_owners p on p.account_id = a.account_id
    where a.account_id = ${accountId} and o.deleted_at is null`;
  if (row === undefined) return undefined;
  const { qpsOverride, ...account } = row;
  const keys = await readAccountKeys(sql, row.accountId);
  return { ...account, qps: qpsFor({ paidUsd: row.paidUsd, qpsOverride }), keys };
}
