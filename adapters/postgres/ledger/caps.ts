import { toCredits } from '../../../src/domain/credits.js';
import { badRequest } from '../../../src/domain/errors.js';
import { inCredits } from '../../../src/domain/figures.js';
import type { Cap } from '../../../src/ports/accounts.js';
import { notifyKeyChanges } from '../accounts/key-changes.js';
import { hastenWatches } from '../customers/watch-leases.js';
import type { Transaction } from '../sql.js';

/** A key, identified with its account. */
interface KeyOf {
  readonly accountId: string;
  readonly keyId: string;
}

/**
 * A key `o`, and its relatives `k`: itself, the keys that it replaced or that replaced it, and those that share its cap,
 * because a cap on one applies to all.
 */
const relatives = (tx: Transaction, { accountId, keyId }: KeyOf) => tx`
  from keys k join keys o on o.account_id = k.account_id and o.key_id = ${keyId}
  where k.account_id = ${accountId}
    and (k.key_id = o.key_id or k.cap_id = o.cap_id or coalesce(k.family_id, k.key_id) = coalesce(o.family_id, o.key_id))`;

/**
 * Locks the account's wallet, so that no debit is posted until the transaction ends. Then locks a key and its relatives,
 * in the order of their ids, as debits do. Leaves out relatives that have ended for good, because a key that was rotated
 * often has many: they stay as they are, except for their cap, which only changes with the wallet locked.
 */
export async function lockRelatives(tx: Transaction, of: KeyOf): Promise<void> {
  await tx`select from wallets where account_id = ${of.accountId} for no key update`;
  await tx`
    select ${relatives(tx, of)}
      and (k.key_id = o.key_id or (k.revoked_at is null and (k.replaced_at is null or k.expires_at > now())))
    order by k.key_id for no key update of k`;
}

/** Puts keys under a new cap, which starts with what they have already spent in the period. */
export async function addCap(
  tx: Transaction,
  accountId: string,
  keyIds: readonly string[],
  { amount, period }: Cap,
): Promise<void> {
  await spareTriggers(tx);
  const { spent, began } = await spentSince(tx, accountId, keyIds, { amount, period });
  const [{ capId }] = await tx<[{ capId: string }]>`
    insert into spend_caps (account_id, cap_thousandths, period, period_start, spent_thousandths)
    values (${accountId}, ${amount}, ${period}, ${began}::text::timestamptz, ${spent})
    returning cap_id as "capId"`;
  await tx`
    update keys set cap_id = ${capId}
    where account_id = ${accountId} and key_id = any(${[...keyIds]}::uuid[])`;
}

/** The trigger for changes by hand would add up what all keys spent again for each of them. */
const spareTriggers = (tx: Transaction) => tx`select set_config('perch.capping', 'on', true)`;

/**
 * Locks a key and its relatives, and changes or removes their cap. Throws `bad_request` for a cap below what they spent
 * in the period.
 */
export async function changeCap(tx: Transaction, of: KeyOf, cap: Cap | null): Promise<void> {
  const { accountId } = of;
  await lockRelatives(tx, of);
  // Ended ones as well: what they have spent counts.
  const keyIds = (await tx<{ keyId: string }[]>`select k.key_id as "keyId" ${relatives(tx, of)}`).map(
    (key) => key.keyId,
  );
  await spareTriggers(tx);
  // Debits that saw the earlier caps find another version, and start again.
  await tx`update wallets set caps_version = caps_version + 1 where account_id = ${accountId}`;
  const caps = await tx<{ capId: string }[]>`
    update keys k set cap_id = null from keys o
    where k.account_id = ${accountId} and k.key_id = any(${keyIds}::uuid[])
      and o.account_id = k.account_id and o.key_id = k.key_id and o.cap_id is not null
    returning o.cap_id as "capId"`;
  const capIds = caps.map(({ capId }) => capId);
  await tx`delete from spend_caps where account_id = ${accountId} and cap_id = any(${capIds}::uuid[])`;
  if (cap !== null) await addCap(tx, accountId, keyIds, cap);
  const keys = await tx<{ hash: Buffer }[]>`
    select hash from keys where account_id = ${accountId} and key_id = any(${keyIds}::uuid[])`;
  await notifyKeyChanges(tx, keys);
  await hastenWatches(tx, accountId, 'key_cap');
}

/**
 * What the keys spent in the cap's current period. Exact, because the wallet is locked, so debits on it wait: earlier
 * ones are in the sums or came after them, and later ones find the cap.
 */
async function spentSince(
  tx: Transaction,
  accountId: string,
  keyIds: readonly string[],
  { amount, period }: Cap,
): Promise<{ spent: number; began: string }> {
  const [current] = await tx<[{ spent: number; began: string }]>`
    select keys_spent(${accountId}, ${[...keyIds]}::uuid[], ${period}) as spent, period_began(${period}, now())::text as began`;
  const { spent } = current;
  if (spent <= amount) return current;
  const since = { total: 'so far', month: 'this month', day: 'today' }[period];
  throw badRequest(
    `This key has already spent ${inCredits(toCredits(spent))} ${since}: its cap can't be lower. To stop it, revoke it.`,
    'cap',
  );
}
