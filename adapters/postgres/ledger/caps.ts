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

/** A key with what it shares with its relatives: keys that it replaced or that replaced it, or that have the same cap. */
interface Related extends KeyOf {
  readonly capId: string | null;
  readonly familyId: string;
}

/** Without a join of the account's keys with themselves, which was at times planned as one of each with each. */
const isRelative = (tx: Transaction, { accountId, keyId, capId, familyId }: Related) => tx`
  account_id = ${accountId}
    and (key_id = any(${[keyId, familyId]}::uuid[]) or family_id = ${familyId} or cap_id = ${capId}::uuid)`;

/**
 * Locks the account's wallet, so that no debit is posted until the transaction ends. Then locks a key and its relatives,
 * because a cap on one applies to all, in the order of their ids, as debits do. Leaves out relatives that have ended for
 * good, because a key that was rotated often has many: they stay as they are, except for their cap, which only changes
 * with the wallet locked.
 */
export async function lockRelatives(tx: Transaction, { accountId, keyId }: KeyOf): Promise<Related> {
  await tx`select from wallets where account_id = ${accountId} for no key update`;
  const [key] = await tx<{ capId: string | null; familyId: string }[]>`
    select cap_id as "capId", coalesce(family_id, key_id) as "familyId" from keys
    where account_id = ${accountId} and key_id = ${keyId}`;
  const related = { accountId, keyId, ...(key ?? { capId: null, familyId: keyId }) };
  await tx`
    select from keys where ${isRelative(tx, related)}
      and (key_id = ${keyId} or (revoked_at is null and (replaced_at is null or expires_at > now())))
    order by key_id for no key update`;
  return related;
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
  const related = await lockRelatives(tx, of);
  // Ended ones as well: what they have spent counts.
  const all = await tx<{ keyId: string; capId: string | null }[]>`
    select key_id as "keyId", cap_id as "capId" from keys where ${isRelative(tx, related)}`;
  const keyIds = all.map((key) => key.keyId);
  const capIds = [...new Set(all.flatMap(({ capId }) => capId ?? []))];
  await spareTriggers(tx);
  // Debits that saw the earlier caps find another version, and start again.
  await tx`update wallets set caps_version = caps_version + 1 where account_id = ${accountId}`;
  await tx`update keys set cap_id = null where account_id = ${accountId} and cap_id = any(${capIds}::uuid[])`;
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
