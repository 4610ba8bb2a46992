import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import type { Thousandths } from '../../src/core/credits.js';
import type { KeyRecord } from '../../src/ports/truth.js';
import type { Stores } from '../../src/stores.js';

export interface MintedKey {
  /** The whole key: shown once, never stored. */
  readonly key: string;
  readonly record: KeyRecord;
}

/** A new key on the account's wallet. Throws `not_found` when there is no such account. */
export async function addNewKey(
  { accounts, secrets }: Stores,
  given: { accountId: string; name: string; capThousandths: Thousandths | null },
  key: string = mintKey(randomBytes),
): Promise<MintedKey> {
  const record = await accounts.addKey({ ...given, hash: hashKey(key, secrets.pepper), prefix: keyPrefix(key) });
  return { key, record };
}

/** Credits in, as a row of the ledger; again with the same id, nothing happens. Gives the balance after. */
export const grant = (
  { ledger }: Stores,
  given: { accountId: string; amount: Thousandths; reason: string; requestId?: string | undefined },
): Promise<Thousandths> => ledger.grant({ ...given, requestId: given.requestId ?? v7() });

export interface NewAccount {
  readonly name: string;
  readonly email: string | null;
  readonly paidUsd: number;
  readonly qpsOverride: number | null;
  /** Thousandths of a credit; 0: an empty wallet. */
  readonly credits: Thousandths;
  readonly reason: string;
  readonly keyName: string;
  readonly key?: string;
}

/** An account with what it starts with. The key comes last: who has one has all the rest. */
export async function openAccount(
  stores: Stores,
  given: NewAccount,
): Promise<{ accountId: string; walletId: string; key: string }> {
  const { name, email, paidUsd, qpsOverride, credits, reason } = given;
  const { accountId, walletId } = await stores.accounts.create({ name, email, paidUsd, qpsOverride });
  if (credits > 0) await grant(stores, { accountId, amount: credits, reason });
  const { key } = await addNewKey(stores, { accountId, name: given.keyName, capThousandths: null }, given.key);
  return { accountId, walletId, key };
}
