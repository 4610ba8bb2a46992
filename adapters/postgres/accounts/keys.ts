import type { Actor } from '../../../src/domain/audit.js';
import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import {
  type AccountKey,
  type CapPeriod,
  type KeyLimits,
  type KeyRecord,
  MOST_LIVE_KEYS,
  type NewKey,
  type RotatedKey,
  type Successor,
} from '../../../src/ports/accounts.js';
import { endGrant } from '../customers/oauth-grant-end.js';
import { addCap, changeCap, lockRelatives } from '../ledger/caps.js';
import type { Sql, Transaction } from '../sql.js';
import { record } from './audit.js';
import { type BeforeKey, enterKey, notifyKeyChanges } from './key-changes.js';
import { holdMember } from './member-locks.js';

/** A key with its account, so that a key of another account never matches. */
interface KeyOf {
  readonly accountId: string;
  readonly keyId: string;
}

interface AccountKeyRow {
  readonly accountId: string;
  readonly keyId: string;
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly replacedAt: Date | null;
  readonly scopes: KeyRecord['scopes'];
  readonly allowedFrom: KeyRecord['allowedFrom'];
  readonly revokedAt: Date | null;
  readonly grantId: string | null;
  readonly capAmount: number | null;
  readonly capPeriod: CapPeriod;
  readonly capSpent: number;
}

interface KeyRow extends AccountKeyRow {
  readonly spent: number;
}

const isKey = (tx: Transaction, { accountId, keyId }: KeyOf) => tx`account_id = ${accountId} and key_id = ${keyId}`;

const hashOf = (tx: Transaction, of: KeyOf) => tx<{ hash: Buffer }[]>`select hash from keys where ${isKey(tx, of)}`;

const columns = (sql: Sql | Transaction) => sql`
  k.account_id as "accountId", k.key_id as "keyId", k.prefix, k.name, k.created_at as "createdAt",
  k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.grant_id as "grantId", k.replaced_at as "replacedAt",
  k.scopes, k.allowed_from as "allowedFrom", c.cap_thousandths as "capAmount", c.period as "capPeriod",
  case when c.period_start >= period_began(c.period, now()) then c.spent_thousandths else 0 end as "capSpent"`;

const accountKeyRows = (sql: Sql | Transaction) => sql`
  select ${columns(sql)} from keys k left join spend_caps c using (account_id, cap_id)`;

/** With what the keys of the account have spent, for which all its debits that are not in the sums yet are read. */
const keyRows = (sql: Sql | Transaction, accountId: string) => sql`
  select ${columns(sql)}, (k.spent_thousandths + coalesce(u.spent, 0))::bigint as spent
  from keys k left join spend_caps c using (account_id, cap_id)
    left join (${unsummedSpending(sql, accountId)}) u using (account_id, key_number)`;

/** What each key of the account has spent since the sum that is noted with it. */
export const unsummedSpending = (sql: Sql | Transaction, accountId: string) => sql`
  select account_id, key_number, sum(amount_thousandths) as spent from unsummed_debits
  where account_id = ${accountId}::uuid group by 1, 2`;

const accountKey = (row: AccountKeyRow): AccountKey => ({
  keyId: row.keyId,
  prefix: row.prefix,
  name: row.name,
  createdAt: row.createdAt.toISOString(),
  cap: row.capAmount === null ? null : { amount: row.capAmount, period: row.capPeriod, spent: row.capSpent },
  grantId: row.grantId,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  isReplaced: row.replacedAt !== null,
  scopes: row.scopes,
  allowedFrom: row.allowedFrom,
  revokedAt: row.revokedAt?.toISOString() ?? null,
});

const keyRecord = (row: KeyRow): KeyRecord => ({ ...accountKey(row), spent: row.spent });

/** The values in the form in which the driver takes a list. */
const list = (values: readonly string[] | null | undefined): string[] | null => (values ? [...values] : null);

const noSuchKey = (): ServiceError => new ServiceError('not_found', 'No such key.');

/**
 * Clients get a new key with each renewal, so only the newest of theirs and of the ended ones are read. The account's
 * own that work are fewer than this, and are all read.
 */
export const MOST_LISTED_KEYS = 200;

/** The oldest first. */
const shownOf = (sql: Sql, accountId: string, limit = MOST_LISTED_KEYS) => sql`
  where k.account_id = ${accountId} and k.key_id in (
    select key_id from keys where account_id = ${accountId}
    order by coalesce(least(revoked_at, expires_at) <= now(), false), grant_id is not null, created_at desc, key_id
    limit ${limit}
  ) order by k.created_at, k.key_id`;

export async function readAccountKeys(sql: Sql, accountId: string): Promise<AccountKey[]> {
  const rows = await sql<AccountKeyRow[]>`${accountKeyRows(sql)} ${shownOf(sql, accountId)}`;
  return rows.map(accountKey);
}

/** The same keys, or at most `limit`, with what they have spent. */
export async function readKeys(sql: Sql, accountId: string, limit?: number): Promise<KeyRecord[]> {
  if (!isUuid(accountId)) return [];
  const rows = await sql<KeyRow[]>`${keyRows(sql, accountId)} ${shownOf(sql, accountId, limit)}`;
  return rows.map(keyRecord);
}

/** Prefixes are short, so two keys may share one: prefers a key that works, then the newer one. */
export async function keyByPrefix(
  sql: Sql,
  prefix: string,
  accountId?: string,
): Promise<(AccountKey & { accountId: string }) | undefined> {
  const [row] = await sql<AccountKeyRow[]>`
    ${accountKeyRows(sql)}
    where k.prefix = ${prefix} ${accountId === undefined ? sql`` : sql`and k.account_id = ${accountId}`}
    order by least(k.revoked_at, k.expires_at) <= now() nulls first, k.created_at desc limit 1`;
  return row === undefined ? undefined : { accountId: row.accountId, ...accountKey(row) };
}

export async function findKey(sql: Sql | Transaction, { accountId, keyId }: KeyOf): Promise<KeyRecord | undefined> {
  if (!isUuid(accountId) || !isUuid(keyId)) return undefined;
  const [row] = await sql<KeyRow[]>`
    ${keyRows(sql, accountId)} where k.account_id = ${accountId} and k.key_id = ${keyId}`;
  return row && keyRecord(row);
}

async function readKey(tx: Transaction, of: KeyOf): Promise<KeyRecord> {
  const key = await findKey(tx, of);
  if (key === undefined) throw noSuchKey();
  return key;
}

/**
 * Returns the key as it is now. Until this transaction ends, no other can change it, the keys that it replaced, or
 * those that share its cap.
 */
async function lockKey(tx: Transaction, of: KeyOf): Promise<AccountKey> {
  if (!isUuid(of.accountId) || !isUuid(of.keyId)) throw noSuchKey();
  await lockRelatives(tx, of);
  return readAccountKey(tx, of);
}

async function readAccountKey(tx: Transaction, of: KeyOf): Promise<AccountKey> {
  const [row] = await tx<
    AccountKeyRow[]
  >`${accountKeyRows(tx)} where k.account_id = ${of.accountId} and k.key_id = ${of.keyId}`;
  if (row === undefined) throw noSuchKey();
  return accountKey(row);
}

/** Throws `bad_request` if one more key may not work. Exact while the wallet is locked. */
async function refuseUnlessRoom(tx: Transaction, accountId: string): Promise<void> {
  const [row] = await tx<{ live: number }[]>`
    select count(*)::int as live from keys
    where account_id = ${accountId} and grant_id is null and revoked_at is null
      and (expires_at is null or expires_at > now())`;
  if ((row?.live ?? 0) < MOST_LIVE_KEYS) return;
  throw badRequest(`This account has ${MOST_LIVE_KEYS} active keys, the maximum. Revoke one you no longer use.`);
}

/**
 * Creates a key on the account's wallet. Throws `not_found` when the account does not exist, and `access_denied` as
 * `holdMember` does.
 */
export async function addKey(tx: Transaction, key: NewKey, by: Actor, beforeKey?: BeforeKey): Promise<KeyRecord> {
  if (!isUuid(key.accountId)) throw new ServiceError('not_found', 'No such account.');
  // Every member has a session's test key.
  await holdMember(tx, key.accountId, key.session === undefined ? 'keys' : 'self', by);
  await tx`select from wallets where account_id = ${key.accountId} for no key update`;
  if (key.session !== undefined) {
    const [known] = await tx<{ keyId: string }[]>`
      select key_id as "keyId" from keys where account_id = ${key.accountId} and hash = ${key.hash}`;
    if (known !== undefined) return readKey(tx, { accountId: key.accountId, keyId: known.keyId });
  }
  await refuseUnlessRoom(tx, key.accountId);
  await beforeKey?.(tx);
  await enterKey(tx, key);
  // The keys of a session replace each other: they are one family, end with the session, and cannot be rotated.
  const [row] = await tx<{ keyId: string }[]>`
    insert into keys (account_id, wallet_id, hash, prefix, name, created_by, family_id, expires_at, replaced_at, scopes,
      allowed_from)
    select account_id, wallet_id, ${key.hash}, ${key.prefix}, ${key.name}, ${by.personId ?? null}::uuid,
      ${key.session?.sessionId ?? null}::uuid, ${key.session?.expiresAt ?? key.expiresAt ?? null}::timestamptz,
      case when ${key.session !== undefined}::boolean then now() end, ${list(key.scopes)}::text[], ${list(key.allowedFrom)}::text[]
    from wallets join accounts using (account_id) where account_id = ${key.accountId} and deleted_at is null
    returning key_id as "keyId"`;
  if (row === undefined) throw new ServiceError('not_found', 'No such account.');
  const of = { accountId: key.accountId, keyId: row.keyId };
  if (key.cap !== null) await addCap(tx, of.accountId, [of.keyId], key.cap);
  await notifyKeyChanges(tx, [key]);
  await record(tx, key.accountId, by, 'key.created', { key_prefix: key.prefix, name: key.name });
  return { ...(await readAccountKey(tx, of)), spent: 0 };
}

/** Rotates a key: the new key takes over its name, cap, wallet, watches and what has counted against the cap. */
export async function rotateKey(
  tx: Transaction,
  of: KeyOf,
  { hash, prefix, expiresAt }: Successor,
  endsAt: string | null,
  by: Actor,
  beforeKey?: BeforeKey,
): Promise<RotatedKey> {
  await holdMember(tx, of.accountId, 'keys', by);
  const old = await lockKey(tx, of);
  refuseUnlessLive(old);
  if (endsAt !== null) await refuseUnlessRoom(tx, of.accountId);
  await beforeKey?.(tx);
  await enterKey(tx, { accountId: of.accountId, hash });
  const [row] = await tx<{ keyId: string }[]>`
    insert into keys (account_id, wallet_id, hash, prefix, name, cap_id, grant_id, family_id, scopes, allowed_from,
      created_by, expires_at)
    select account_id, wallet_id, ${hash}, ${prefix}, name, cap_id, grant_id, coalesce(family_id, key_id), scopes, allowed_from,
      coalesce(${by.personId ?? null}::uuid, created_by), coalesce(${expiresAt}::timestamptz, expires_at)
    from keys where ${isKey(tx, of)}
    returning key_id as "keyId"`;
  if (row === undefined) throw noSuchKey();
  // A key that already ends sooner keeps its end.
  const [ended] =
    endsAt === null
      ? await tx<[{ at: Date }]>`update keys set revoked_at = now() where ${isKey(tx, of)} returning revoked_at as at`
      : await tx<[{ at: Date }]>`
          update keys set replaced_at = now(), expires_at = least(expires_at, ${endsAt}::timestamptz)
          where ${isKey(tx, of)} returning expires_at as at`;
  const oldEndsAt = ended.at.toISOString();
  await notifyKeyChanges(tx, [{ hash }, ...(await hashOf(tx, of))]);
  // Gives the watches up, so that the process that follows them next reads the new key. Items that the current one is
  // about to write are then found again, free of charge.
  await tx`
    update watches set key_id = ${row.keyId}, holder = null
    where ${isKey(tx, of)} and state <> 'ended'`;
  await record(tx, of.accountId, by, 'key.rotated', {
    key_prefix: old.prefix,
    new_key_prefix: prefix,
    old_ends_at: endsAt && oldEndsAt,
  });
  return { ...(await readAccountKey(tx, { accountId: of.accountId, keyId: row.keyId })), spent: 0, oldEndsAt };
}

function refuseUnlessLive({ prefix, revokedAt, expiresAt, isReplaced, grantId }: AccountKey): void {
  if (revokedAt !== null) throw badRequest(`${prefix}… was revoked at ${revokedAt}: create another key.`);
  // A client renews its own key.
  if (grantId !== null) throw badRequest(`${prefix}… belongs to a connected app, which renews it automatically.`);
  if (isReplaced) throw badRequest(`${prefix}… was already rotated and expires at ${expiresAt}.`);
  if (hasPassed(expiresAt)) {
    throw badRequest(`${prefix}… expired at ${expiresAt}: create another key.`);
  }
}

const hasPassed = (expiresAt: string | null): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** Changes the name, cap or limits; undefined members stay as they are. */
export async function changeKey(
  tx: Transaction,
  of: KeyOf,
  change: { name?: string | undefined; cap?: NewKey['cap'] | undefined } & Partial<KeyLimits>,
  by: Actor,
): Promise<KeyRecord> {
  const { prefix, isReplaced, grantId, revokedAt, expiresAt } = await lockKey(tx, of);
  if (change.name !== undefined) await tx`update keys set name = ${change.name} where ${isKey(tx, of)}`;
  if (change.cap !== undefined) await changeCap(tx, of, change.cap);
  if (change.scopes !== undefined) {
    await tx`update keys set scopes = ${list(change.scopes)}::text[] where ${isKey(tx, of)}`;
  }
  if (change.allowedFrom !== undefined) {
    await tx`update keys set allowed_from = ${list(change.allowedFrom)}::text[] where ${isKey(tx, of)}`;
  }
  if (change.expiresAt !== undefined) {
    // The next renewal would replace it with a key that has the usual expiry.
    if (grantId !== null) {
      throw badRequest(
        `${prefix}… belongs to a connected app, which renews it automatically, so its expiry cannot be changed. Revoke the key to disconnect the app.`,
        'expires',
      );
    }
    if (isReplaced) throw badRequest('This key was rotated, so its expiry can no longer be changed.', 'expires');
    if (revokedAt === null && hasPassed(expiresAt)) await refuseUnlessRoom(tx, of.accountId);
    await tx`update keys set expires_at = ${change.expiresAt}::timestamptz where ${isKey(tx, of)}`;
  }
  await notifyKeyChanges(tx, await hashOf(tx, of));
  const changed = await readKey(tx, of);
  await record(tx, of.accountId, by, 'key.changed', {
    key_prefix: prefix,
    name: changed.name,
    cap_thousandths: changed.cap?.amount ?? null,
    cap_period: changed.cap?.period ?? null,
    reads: changed.scopes?.join(', ') ?? null,
    allowed_from: changed.allowedFrom?.join(', ') ?? null,
    expires_at: changed.expiresAt,
  });
  return changed;
}

/** Ends a key now. Ends the grant of a client's key too, or the client would fetch the next key. */
export async function revokeKey(tx: Transaction, of: KeyOf, by: Actor): Promise<KeyRecord> {
  if (!isUuid(of.accountId) || !isUuid(of.keyId)) throw noSuchKey();
  const { grantId } = await readAccountKey(tx, of);
  // Every transaction that changes a grant or its keys locks the grant first.
  if (grantId !== null) {
    await endGrant(tx, { accountId: of.accountId, grantId }, by, { now: new Date(), why: 'asked' });
    return readKey(tx, of);
  }
  const { prefix, revokedAt } = await lockKey(tx, of);
  if (revokedAt === null) {
    await tx`update keys set revoked_at = now() where ${isKey(tx, of)}`;
    await notifyKeyChanges(tx, await hashOf(tx, of));
    await record(tx, of.accountId, by, 'key.revoked', { key_prefix: prefix });
  }
  return readKey(tx, of);
}

/** Whether the hashes of this database's keys are made with this pepper, or there is none yet. */
export async function isOfPepper(sql: Sql | Transaction, fingerprint: Buffer): Promise<boolean> {
  const [row] = await sql`select pepper_fingerprint = ${fingerprint} as same from installation`;
  return row?.same !== false;
}

/**
 * Records the pepper with the first key, in its transaction: before that, another secret does no harm. Transactions at
 * the same time wait until the first has committed. False: the keys are made with another pepper.
 */
export async function takesPepper(tx: Transaction, fingerprint: Buffer): Promise<boolean> {
  await tx`insert into installation (pepper_fingerprint) values (${fingerprint}) on conflict do nothing`;
  return isOfPepper(tx, fingerprint);
}
