import { hastenWatches } from '../customers/watch-leases.js';
import type { Transaction } from '../sql.js';
import { findTestAccount } from './test-accounts.js';

/** The channel that tells nodes, by its hash (hex), of a key whose rights have changed. */
export const KEY_CHANGE = 'perch_key_change';

/** Runs in each transaction that makes a key, and throws if this process must not make any. */
export type BeforeKey = (tx: Transaction) => Promise<void>;

/** Records the account of a key's hash, before the key itself is inserted, which refers to this row. */
export async function enterKey(
  tx: Transaction,
  { accountId, hash }: { accountId: string; hash: Buffer },
): Promise<void> {
  await tx`insert into key_directory (hash, account_id) values (${hash}, ${accountId})`;
}

/**
 * Nodes remember keys for a moment, so the transaction that changes keys' rights tells all nodes, once it is committed
 * (A9). Where the tables are in one Postgres, triggers also tell of changes that are made by hand.
 */
export async function notifyKeyChanges(tx: Transaction, keys: readonly { readonly hash: Buffer }[]): Promise<void> {
  if (keys.length === 0) return;
  const hashes = keys.map(({ hash }) => hash.toString('hex'));
  await tx`select pg_notify(${KEY_CHANGE}, hash) from unnest(${hashes}::text[]) hash`;
}

/**
 * Tells of a change to the account itself, which its test account shares. Watches that wait for the end of a freeze try
 * again. Names only keys that still work, as ended ones may be many.
 */
export async function notifyAccountChange(tx: Transaction, accountId: string): Promise<void> {
  const testId = await findTestAccount(tx, accountId);
  await hastenWatches(tx, accountId, 'frozen');
  if (testId !== undefined) await hastenWatches(tx, testId, 'frozen');
  const keys = await tx<{ hash: Buffer }[]>`
    select hash from keys
    where (account_id = ${accountId} or account_id in (select account_id from accounts where test_of = ${accountId}))
      and revoked_at is null and (expires_at is null or expires_at > now())`;
  await notifyKeyChanges(tx, keys);
}
