import type { Actor } from '../../../src/domain/audit.js';
import { toCredits } from '../../../src/domain/credits.js';
import {
  type Approval,
  type GrantStore,
  MOST_GRANTS,
  type NewTokenPair,
  type Redeemed,
} from '../../../src/ports/grants.js';
import { record } from '../accounts/audit.js';
import { type BeforeKey, enterKey, notifyKeyChanges } from '../accounts/key-changes.js';
import { holdMember } from '../accounts/member-locks.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';
import { endGrant } from './oauth-grant-end.js';

/** Stores what a customer approved, under the hash of the code. */
export async function approve(
  sql: Sql,
  { hash, approval, now, endsAt }: Parameters<GrantStore['approve']>[0],
  by: Actor,
): Promise<boolean> {
  const { accountId, grantId, clientId, clientName, redirectUri, cap } = approval;
  return lockingTransaction(sql, async (tx) => {
    await holdMember(tx, accountId, 'apps', by);
    if (await isFull(tx, accountId, now)) return false;
    await tx`
      insert into one_time_tokens (hash, kind, subject, created_at, expires_at)
      values (${hash}, 'code', ${JSON.stringify({ ...approval, createdBy: by.personId ?? null })}::text::jsonb, ${now}, ${endsAt})`;
    await record(tx, accountId, by, 'client.allowed', {
      client: clientName,
      client_id: clientId,
      grant_id: grantId,
      redirect_uri: redirectUri,
      cap: cap === null ? null : toCredits(cap.amount),
      period: cap?.period ?? null,
    });
    return true;
  });
}

/** Whether a client can still refresh the grant `g`. */
export const isRefreshable = (sql: Sql | Transaction, at: ReturnType<Sql>) => sql`
  g.revoked_at is null and exists (
    select from oauth_refresh_tokens t
    where t.account_id = g.account_id and t.grant_id = g.grant_id and t.expires_at > ${at}
  )`;

/** Exact while the wallet is locked. */
async function isFull(tx: Transaction, accountId: string, now: Date): Promise<boolean> {
  const [row] = await tx<{ live: number }[]>`
    select count(*)::int as live from oauth_grants g where account_id = ${accountId} and ${isRefreshable(tx, tx`${now}`)}`;
  return (row?.live ?? 0) >= MOST_GRANTS;
}

/**
 * Spends the code and makes the grant, all or nothing. A second attempt waits for the first, and then finds the code
 * spent.
 */
export function redeem(
  sql: Sql,
  { hash, now, by }: Parameters<GrantStore['redeem']>[0],
  issue: (approval: Approval) => NewTokenPair,
  beforeKey?: BeforeKey,
): Promise<Redeemed> {
  return lockingTransaction(sql, async (tx): Promise<Redeemed> => {
    const [code] = await tx<{ accountId: string }[]>`
      select subject ->> 'accountId' as "accountId" from one_time_tokens
      where hash = ${hash} and kind = 'code' and spent_at is null and expires_at > ${now}`;
    // Before the code, as by the deletion of an account: otherwise each could wait for the other.
    if (code !== undefined) await tx`select from wallets where account_id = ${code.accountId} for no key update`;
    const [fresh] = await tx<{ approval: Approval }[]>`
      update one_time_tokens set spent_at = ${now}
      where hash = ${hash} and kind = 'code' and spent_at is null and expires_at > ${now}
      returning subject as approval`;
    if (fresh !== undefined) {
      const pair = issue(fresh.approval);
      if (await isFull(tx, fresh.approval.accountId, now)) return { state: 'full' };
      await beforeKey?.(tx);
      await makeGrant(tx, fresh.approval, pair, now);
      return { state: 'redeemed' };
    }
    const [spent] = await tx<{ approval: Approval }[]>`
      select subject as approval from one_time_tokens where hash = ${hash} and kind = 'code' and spent_at is not null`;
    if (spent === undefined) return { state: 'unknown' };
    await endGrant(tx, spent.approval, { ...by, who: 'service' }, { now, why: 'code used again' });
    return { state: 'reused' };
  });
}

async function makeGrant(tx: Transaction, approval: Approval, pair: NewTokenPair, now: Date): Promise<void> {
  const { accountId, grantId, clientId, clientName, resource, cap, createdBy = null } = approval;
  await tx`
    insert into oauth_grants (account_id, grant_id, client_id, client_name, resource, created_at, created_by)
    values (${accountId}, ${grantId}, ${clientId}, ${clientName}, ${resource}, ${now}, ${createdBy})`;
  await tx`update oauth_clients set used_at = ${now} where client_id = ${clientId}`;
  const capId = cap === null ? null : await makeCap(tx, accountId, cap);
  await enterKey(tx, { accountId, hash: pair.keyHash });
  await tx`
    with key as (
      insert into keys (account_id, wallet_id, hash, prefix, name, cap_id, grant_id, created_by, expires_at)
      select account_id, wallet_id, ${pair.keyHash}, ${pair.keyPrefix}, ${clientName}, ${capId}, ${grantId},
        ${createdBy}, ${pair.keyEndsAt}
      from wallets where account_id = ${accountId}
      returning account_id, grant_id, key_id
    )
    insert into oauth_refresh_tokens (hash, account_id, grant_id, key_id, created_at, expires_at)
    select ${pair.refreshHash}, account_id, grant_id, key_id, ${now}, ${pair.refreshEndsAt} from key`;
  await notifyKeyChanges(tx, [{ hash: pair.keyHash }]);
}

async function makeCap(tx: Transaction, accountId: string, cap: NonNullable<Approval['cap']>): Promise<string | null> {
  const [period] = await tx<[{ began: string }]>`select period_began(${cap.period}, now())::text as began`;
  const [row] = await tx<{ capId: string }[]>`
    insert into spend_caps (account_id, cap_thousandths, period, period_start)
    values (${accountId}, ${cap.amount}, ${cap.period}, ${period.began}::text::timestamptz)
    returning cap_id as "capId"`;
  return row?.capId ?? null;
}
