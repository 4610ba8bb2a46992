import { ServiceError } from '../../src/core/errors.js';
import { qpsOf } from '../../src/core/tiers.js';
import type { AccountRecord, Accounts, KeyLookup, KeyRecord, NewKey } from '../../src/ports/truth.js';
import type { Sql } from './sql.js';
import { isUuid } from './uuid.js';

/** The channel the triggers on keys and accounts tell a key's hash (hex) on. */
const KEY_CHANGE = 'perch_key_change';

/** Accounts and keys over Postgres. */
export function createAccounts(sql: Sql): Accounts {
  return {
    findKey: (hash) => findKey(sql, hash),
    create: (account) => createAccount(sql, account),
    get: (accountId) => getAccount(sql, accountId),
    addKey: (key) => addKey(sql, key),
    keyByPrefix: (prefix) => keyByPrefix(sql, prefix),
    endKey: (keyId, at) => endKey(sql, keyId, at),
    async onKeyChange(listener) {
      const { unlisten } = await sql.listen(KEY_CHANGE, listener);
      return unlisten;
    },
  };
}

interface LookupRow {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly capThousandths: number | null;
  readonly paidUsd: number;
  readonly qpsOverride: number | null;
  readonly frozen: boolean;
  readonly ended: Date | null;
}

async function findKey(sql: Sql, hash: Buffer): Promise<KeyLookup | undefined> {
  const [row] = await sql<LookupRow[]>`
    select k.account_id as "accountId", k.wallet_id as "walletId", k.key_id as "keyId", k.prefix as "keyPrefix",
      k.cap_thousandths as "capThousandths", a.paid_usd as "paidUsd", a.qps_override as "qpsOverride",
      a.frozen_at is not null as frozen,
      case when least(k.revoked_at, k.expires_at) <= now() then least(k.revoked_at, k.expires_at) end as ended
    from keys k join accounts a using (account_id) where k.hash = ${hash}`;
  if (row === undefined) return undefined;
  if (row.ended !== null) return { state: 'revoked', revokedAt: row.ended.toISOString() };
  if (row.frozen) return { state: 'frozen' };
  const { accountId, walletId, keyId, keyPrefix, capThousandths } = row;
  return { state: 'live', caller: { accountId, walletId, keyId, keyPrefix, capThousandths, qps: qpsFor(row) } };
}

/** The tier's rate, unless an operator said otherwise. */
const qpsFor = (account: { paidUsd: number; qpsOverride: number | null }): number =>
  account.qpsOverride ?? qpsOf(account.paidUsd);

async function createAccount(
  sql: Sql,
  account: Parameters<Accounts['create']>[0],
): Promise<{ accountId: string; walletId: string }> {
  const [row] = await sql<{ accountId: string; walletId: string }[]>`
    with account as (
      insert into accounts (name, email, paid_usd, qps_override)
      values (${account.name}, ${account.email}, ${account.paidUsd}, ${account.qpsOverride})
      returning account_id
    )
    insert into wallets (account_id) select account_id from account
    returning account_id as "accountId", wallet_id as "walletId"`;
  if (row === undefined) throw new Error('an account was not created');
  return { accountId: row.accountId, walletId: row.walletId };
}

async function getAccount(sql: Sql, accountId: string): Promise<AccountRecord | undefined> {
  if (!isUuid(accountId)) return undefined;
  const [row] = await sql<(Omit<AccountRecord, 'qps' | 'keys'> & { qpsOverride: number | null })[]>`
    select a.account_id as "accountId", w.wallet_id as "walletId", a.name, a.email, w.balance_thousandths as balance,
      a.paid_usd as "paidUsd", a.qps_override as "qpsOverride"
    from accounts a join wallets w using (account_id) where a.account_id = ${accountId}`;
  if (row === undefined) return undefined;
  const keys = await sql<KeyRow[]>`
    select ${keyColumns(sql)} from keys where account_id = ${row.accountId} order by created_at, key_id`;
  const { qpsOverride, ...account } = row;
  return { ...account, qps: qpsFor({ paidUsd: row.paidUsd, qpsOverride }), keys: keys.map(keyRecord) };
}

interface KeyRow extends Omit<KeyRecord, 'createdAt' | 'expiresAt' | 'revokedAt'> {
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

const keyColumns = (sql: Sql) => sql`
  key_id as "keyId", prefix, name, created_at as "createdAt", cap_thousandths as "capThousandths",
  spent_thousandths as spent, expires_at as "expiresAt", revoked_at as "revokedAt"`;

function keyRecord(row: KeyRow): KeyRecord {
  return {
    keyId: row.keyId,
    prefix: row.prefix,
    name: row.name,
    createdAt: row.createdAt.toISOString(),
    capThousandths: row.capThousandths,
    spent: row.spent,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}

async function addKey(sql: Sql, key: NewKey): Promise<KeyRecord> {
  if (!isUuid(key.accountId)) throw new ServiceError('not_found', 'There is no such account.');
  const [row] = await sql<KeyRow[]>`
    insert into keys (account_id, wallet_id, hash, prefix, name, cap_thousandths)
    select account_id, wallet_id, ${key.hash}, ${key.prefix}, ${key.name}, ${key.capThousandths}
    from wallets where account_id = ${key.accountId}
    returning ${keyColumns(sql)}`;
  if (row === undefined) throw new ServiceError('not_found', 'There is no such account.');
  return keyRecord(row);
}

/** Prefixes are short: should two keys share one, the live one is meant, then the younger. */
async function keyByPrefix(sql: Sql, prefix: string): Promise<(KeyRecord & { accountId: string }) | undefined> {
  const [row] = await sql<(KeyRow & { accountId: string })[]>`
    select account_id as "accountId", ${keyColumns(sql)} from keys where prefix = ${prefix}
    order by least(revoked_at, expires_at) <= now() nulls first, created_at desc limit 1`;
  return row === undefined ? undefined : { accountId: row.accountId, ...keyRecord(row) };
}

/** An end only ever moves nearer: neither a second revocation nor a rotation brings a key back. */
async function endKey(sql: Sql, keyId: string, at: string | null): Promise<void> {
  const ended =
    at === null
      ? await sql`update keys set revoked_at = coalesce(revoked_at, now()) where key_id = ${keyId}`
      : await sql`update keys set expires_at = least(expires_at, ${at}::timestamptz) where key_id = ${keyId}`;
  if (ended.count === 0) throw new ServiceError('not_found', 'There is no such key.');
}
