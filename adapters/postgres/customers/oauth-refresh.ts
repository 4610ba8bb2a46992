import type { Refreshed, RefreshRequest } from '../../../src/ports/grants.js';
import { record } from '../accounts/audit.js';
import { type BeforeKey, enterKey, notifyKeyChanges } from '../accounts/key-changes.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';
import { endGrant, lockKeys } from './oauth-grant-end.js';

interface Family {
  readonly accountId: string;
  readonly grantId: string;
  readonly client: string;
  readonly clientId: string;
  readonly createdAt: Date;
}

/** Rotates a key and its refresh token. All requests of a family wait for each other at the grant's row. */
export function refresh(sql: Sql, request: RefreshRequest, beforeKey?: BeforeKey): Promise<Refreshed> {
  return lockingTransaction(sql, async (tx): Promise<Refreshed> => {
    const family = await lockFamily(tx, request);
    if (family === undefined) return { state: 'unknown' };
    // Read after the lock: its previous holder may have used the token.
    const [token] = await tx<{ expired: boolean; usedAt: Date | null }[]>`
      select expires_at <= ${request.now} as expired, used_at as "usedAt"
      from oauth_refresh_tokens where hash = ${request.refreshHash}`;
    if (token === undefined) return { state: 'unknown' };
    if (token.usedAt !== null) return again(tx, request, family, token.usedAt);
    const endsAt = new Date(family.createdAt.getTime() + request.maxLifetimeMs);
    if (token.expired || endsAt <= request.now) return { state: 'unknown' };
    const waitMs = await toWait(tx, request, family);
    if (waitMs > 0) return { state: 'limited', retryAfterSeconds: Math.ceil(waitMs / 1000) };
    await beforeKey?.(tx);
    return rotate(tx, request, family, endsAt);
  });
}

async function lockFamily(tx: Transaction, { refreshHash, clientId }: RefreshRequest): Promise<Family | undefined> {
  const [family] = await tx<Family[]>`
    select account_id as "accountId", grant_id as "grantId", client_name as client, client_id as "clientId",
      created_at as "createdAt"
    from oauth_grants
    where (account_id, grant_id) = (
      select account_id, grant_id from oauth_refresh_tokens where hash = ${refreshHash}
    ) and client_id = ${clientId} and revoked_at is null
    for update`;
  return family;
}

/**
 * Handles a refresh token that was used before. Within the grace period the answer may have been lost, so the client
 * gets the same pair again, unless the newer token has been used. Any other reuse counts as theft, and ends the grant.
 */
async function again(tx: Transaction, request: RefreshRequest, family: Family, usedAt: Date): Promise<Refreshed> {
  const { now, overlapMs, successor, by } = request;
  const [next] = await tx<{ keyEndsAt: Date }[]>`
    select k.expires_at as "keyEndsAt"
    from oauth_refresh_tokens t join keys k using (account_id, key_id)
    where t.hash = ${successor.refreshHash} and k.hash = ${successor.keyHash} and t.used_at is null
      and k.expires_at is not null`;
  if (next && now.getTime() - usedAt.getTime() <= overlapMs) return { state: 'again', keyEndsAt: next.keyEndsAt };
  await endGrant(tx, family, { ...by, who: 'service' }, { now, why: 'refresh token used again' });
  return { state: 'reused' };
}

/**
 * Milliseconds until the family may rotate again; 0: now. Computed from what is stored, and only for a token that is
 * still valid: a limit must never hide the reuse of a token.
 */
async function toWait(tx: Transaction, { now, most }: RefreshRequest, { accountId, grantId }: Family): Promise<number> {
  const since = new Date(now.getTime() - most.windowMs);
  const [oldest] = await tx<{ usedAt: Date }[]>`
    select used_at as "usedAt" from oauth_refresh_tokens
    where account_id = ${accountId} and grant_id = ${grantId} and used_at > ${since}
    order by used_at desc offset ${most.count - 1} limit 1`;
  return oldest === undefined ? 0 : oldest.usedAt.getTime() - since.getTime();
}

async function rotate(tx: Transaction, request: RefreshRequest, family: Family, endsAt: Date): Promise<Refreshed> {
  const { now, overlapMs, successor, refreshHash, by } = request;
  const keyEndsAt = earlier(successor.keyEndsAt, endsAt);
  const { accountId, grantId, client, clientId } = family;
  const overlapEndsAt = new Date(now.getTime() + overlapMs);
  await tx`update oauth_refresh_tokens set used_at = ${now} where hash = ${refreshHash}`;
  await tx`update oauth_clients set used_at = ${now} where client_id = ${clientId}`;
  await lockKeys(tx, family, now);
  await enterKey(tx, { accountId, hash: successor.keyHash });
  // The new key gets the newest key's current settings, since its owner may have changed its name or cap.
  const [key] = await tx<{ keyId: string }[]>`
    insert into keys (account_id, wallet_id, hash, prefix, name, cap_id, grant_id, scopes, allowed_from, created_by,
      expires_at)
    select account_id, wallet_id, ${successor.keyHash}, ${successor.keyPrefix}, name, cap_id, grant_id,
      scopes, allowed_from, created_by, ${keyEndsAt}
    from keys where account_id = ${accountId} and grant_id = ${grantId} order by created_at desc limit 1
    returning key_id as "keyId"`;
  if (key === undefined) throw new Error('a grant has no key');
  const replaced = await tx<{ hash: Buffer }[]>`
    update keys set expires_at = least(expires_at, ${overlapEndsAt})
    where account_id = ${accountId} and grant_id = ${grantId} and key_id <> ${key.keyId} and revoked_at is null
      and (expires_at is null or expires_at > ${overlapEndsAt})
    returning hash`;
  await notifyKeyChanges(tx, [...replaced, { hash: successor.keyHash }]);
  await tx`
    insert into oauth_refresh_tokens (hash, account_id, grant_id, key_id, created_at, expires_at)
    values (${successor.refreshHash}, ${accountId}, ${grantId}, ${key.keyId}, ${now},
      ${earlier(successor.refreshEndsAt, endsAt)})`;
  await record(tx, accountId, by, 'client.refreshed', {
    client,
    client_id: clientId,
    grant_id: grantId,
    key_prefix: successor.keyPrefix,
  });
  return { state: 'rotated', keyEndsAt };
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
