import type { Actor } from '../../../src/domain/audit.js';
import { toCredits } from '../../../src/domain/credits.js';
import { badRequest, ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import { endGrant } from '../customers/oauth-grant-end.js';
import { hasPayableSale } from '../customers/sales.js';
import type { Transaction } from '../sql.js';
import { record } from './audit.js';
import { notifyKeyChanges } from './key-changes.js';
import { lockMembers } from './member-locks.js';

/** An account's keys or codes: of all members, or only those that one person created. */
interface Of {
  readonly accountId: string;
  readonly personId: string | null;
}

/** Revokes the keys that still work, including test keys and those of apps, and logs each. Returns how many. */
export async function endKeys(tx: Transaction, { accountId, personId }: Of, by: Actor): Promise<number> {
  const isTheirs = personId === null ? tx`true` : tx`created_by = ${personId}`;
  const accounts = await tx<{ accountId: string }[]>`
    select account_id as "accountId" from accounts where account_id = ${accountId} or test_of = ${accountId}
    order by account_id`;
  let ended = 0;
  for (const { accountId: of } of accounts) {
    // The wallet first, then the keys: debits lock them in this order.
    await tx`select from wallets where account_id = ${of} for no key update`;
    const grants = await tx<{ grantId: string }[]>`
      select grant_id as "grantId" from oauth_grants where account_id = ${of} and revoked_at is null and ${isTheirs}
      order by grant_id`;
    for (const { grantId } of grants) {
      await endGrant(tx, { accountId: of, grantId }, by, { now: new Date(), why: 'asked' });
    }
    await tx`select from keys where account_id = ${of} and revoked_at is null and ${isTheirs} order by key_id for no key update`;
    const keys = await tx<{ prefix: string; hash: Buffer }[]>`
      update keys set revoked_at = now()
      where account_id = ${of} and revoked_at is null and (expires_at is null or expires_at > now()) and ${isTheirs}
      returning prefix, hash`;
    await notifyKeyChanges(tx, keys);
    for (const { prefix } of keys) await record(tx, of, by, 'key.revoked', { key_prefix: prefix });
    ended += grants.length + keys.length;
  }
  return ended;
}

/**
 * Expires one-time codes, by whatever clock they are read, so that nothing that was approved before can be redeemed.
 * Waits for codes that are being redeemed.
 */
export async function endCodes(tx: Transaction, { accountId, personId }: Of): Promise<void> {
  await tx`
    update one_time_tokens set expires_at = '-infinity'
    where spent_at is null and subject ->> 'accountId' = ${accountId}
      and ${personId === null ? tx`true` : tx`subject ->> 'createdBy' = ${personId}`}`;
}

/** Deletes all rows that no ledger entry, sale or logged change refers to; the rest loses its names. */
export async function deleteAccount(tx: Transaction, accountId: string, by: Actor): Promise<void> {
  // For Citus, which would change keys in parallel and then refuse to change rows that refer to them; no effect
  // elsewhere.
  await tx`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
  if (!isUuid(accountId)) throw noAccount();
  await lockMembers(tx, accountId);
  // Before the account is locked, which a code that is being redeemed also needs.
  await endCodes(tx, { accountId, personId: null });
  const [account] = await tx<{ balance: number }[]>`
    select balance_thousandths as balance from accounts join wallets using (account_id)
    where account_id = ${accountId} and test_of is null and deleted_at is null for no key update`;
  if (account === undefined) throw noAccount();
  if (await hasPayableSale(tx, accountId)) {
    throw badRequest(
      'A checkout that was opened for this account can still be paid. Pay it, or wait until it expires, a day after it was opened.',
    );
  }
  await endKeys(tx, { accountId, personId: null }, by);
  const both = tx`(select account_id from accounts where account_id = ${accountId} or test_of = ${accountId})`;
  await tx`delete from oauth_refresh_tokens where account_id in ${both}`;
  await tx`delete from deliveries where account_id in ${both}`;
  await tx`delete from watches where account_id in ${both}`;
  await tx`delete from alerts where account_id in ${both}`;
  await tx`delete from request_log where account_id in ${both}`;
  await tx`delete from operation_names where account_id in ${both}`;
  await tx`delete from invitations where account_id = ${accountId}`;
  await record(tx, accountId, by, 'account.deleted', { credits: toCredits(account.balance) });
  const left = await tx<{ personId: string }[]>`
    delete from members where account_id = ${accountId} returning person_id as "personId"`;
  // Their sessions and passkeys are deleted with them.
  await tx`
    delete from people p where person_id = any(${left.map(({ personId }) => personId)}::uuid[])
      and not exists (select from members m where m.person_id = p.person_id)`;
  await tx`update keys set name = prefix where account_id in ${both}`;
  await tx`update accounts set name = 'Deleted account', note = null, deleted_at = now()
    where account_id in ${both}`;
}

const noAccount = (): ServiceError => new ServiceError('not_found', 'No such account.');
