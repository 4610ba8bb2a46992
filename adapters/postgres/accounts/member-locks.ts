import { type Action, type Actor, type Role, whyNot } from '../../../src/domain/audit.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { Transaction } from '../sql.js';

/*
 * The removal of a member, or a change of a role, waits for keys and codes that members are creating. Those that they
 * begin to create afterwards wait for the removal, and are then refused. Both lock members before anything else, the
 * wallet included, which avoids deadlocks.
 */

/** Locks the account's members until the transaction ends. */
export async function lockMembers(tx: Transaction, accountId: string): Promise<void> {
  await tx`select from members where account_id = ${accountId} order by person_id for update`;
}

/**
 * If a member acts, keeps them and their role until the transaction ends: their page may have been checked just before
 * they were removed. Throws `access_denied` if they are gone, or their role no longer allows the action. Of a test
 * account, the members are those of the account that it belongs to.
 */
export async function holdMember(tx: Transaction, accountId: string, action: Action, by: Actor): Promise<void> {
  if (by.who !== 'customer' || by.personId === undefined || !isUuid(accountId)) return;
  const [account] = await tx<{ ownId: string }[]>`
    select coalesce(test_of, account_id) as "ownId" from accounts where account_id = ${accountId}`;
  const [member] = await tx<{ role: Role }[]>`
    select role from members where account_id = ${account?.ownId ?? null} and person_id = ${by.personId} for key share`;
  if (member === undefined) throw new ServiceError('access_denied', 'You are no longer a member of this account.');
  const why = whyNot(action, member.role);
  if (why !== null) throw new ServiceError('access_denied', why);
}
