import type { Transaction } from '../sql.js';

/** The channel on which nodes are told of a key, by its hash (hex), that may now do something else. */
export const KEY_CHANGE = 'perch_key_change';

/** Writes down whose key a hash will be, ahead of the key, which refers to it. */
export async function enterKey(
  tx: Transaction,
  { accountId, hash }: { accountId: string; hash: Buffer },
): Promise<void> {
  await tx`insert into key_directory (hash, account_id) values (${hash}, ${accountId})`;
}

/**
 * Nodes remember keys for a moment: the transaction that changes what some may do tells all nodes, once it is committed (A9).
 * Triggers tell of changes that are made by hand as well, where the tables are in one Postgres.
 */
export async function tellKeyChanges(tx: Transaction, keys: readonly { readonly hash: Buffer }[]): Promise<void> {
  if (keys.length === 0) return;
  const hashes = keys.map(({ hash }) => hash.toString('hex'));
  await tx`select pg_notify(${KEY_CHANGE}, hash) from unnest(${hashes}::text[]) hash`;
}

/** For a change of the account itself, which its test account shares. Only keys that still work: there may have been many. */
export async function tellAccountChange(tx: Transaction, accountId: string): Promise<void> {
  const keys = await tx<{ hash: Buffer }[]>`
    select hash from keys
    where (account_id = ${accountId} or account_id in (select account_id from accounts where test_of = ${accountId}))
      and revoked_at is null and (expires_at is null or expires_at > now())`;
  await tellKeyChanges(tx, keys);
}
