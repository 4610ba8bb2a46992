import type { Actor } from '../../../src/domain/audit.js';
import { record } from '../accounts/audit.js';
import { notifyKeyChanges } from '../accounts/key-changes.js';
import type { Transaction } from '../sql.js';

/** Why a grant ended, as recorded in the customer's log. */
export interface GrantEnd {
  readonly now: Date;
  readonly why: 'asked' | 'code used again' | 'refresh token used again';
}

interface GrantOf {
  readonly accountId: string;
  readonly grantId: string;
}

/** Locks a grant's keys in the order of their ids, as debits do, which avoids deadlocks. */
export async function lockKeys(tx: Transaction, { accountId, grantId }: GrantOf, now: Date): Promise<void> {
  await tx`
    select from keys where account_id = ${accountId} and grant_id = ${grantId} and revoked_at is null
      and (expires_at is null or expires_at > least(${now}, now()))
    order by key_id for no key update`;
}

/**
 * Ends a grant with all its keys, and records it in the log; false if there is no live grant. Any change to a grant
 * locks its row first, then the keys.
 */
export async function endGrant(
  tx: Transaction,
  { accountId, grantId }: GrantOf,
  by: Actor,
  { now, why }: GrantEnd,
): Promise<boolean> {
  const [grant] = await tx<{ client: string; clientId: string }[]>`
    update oauth_grants set revoked_at = ${now}
    where account_id = ${accountId} and grant_id = ${grantId} and revoked_at is null
    returning client_name as client, client_id as "clientId"`;
  if (grant === undefined) return false;
  await lockKeys(tx, { accountId, grantId }, now);
  // Keys end by the database's clock, so a node whose clock is ahead must not make them end later, nor take one that
  // still works for one that has expired.
  const keys = await tx<{ hash: Buffer }[]>`
    update keys set revoked_at = least(${now}, now())
    where account_id = ${accountId} and grant_id = ${grantId} and revoked_at is null
      and (expires_at is null or expires_at > least(${now}, now()))
    returning hash`;
  await notifyKeyChanges(tx, keys);
  const { client, clientId } = grant;
  await record(tx, accountId, by, 'client.revoked', { client, client_id: clientId, grant_id: grantId, why });
  return true;
}
