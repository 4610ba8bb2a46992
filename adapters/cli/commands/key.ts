import { type Thousandths, toCredits } from '../../../src/core/credits.js';
import type { KeyRecord } from '../../../src/ports/truth.js';
import type { Stores } from '../../../src/stores.js';
import { KEY_HEADER, keyJson, keyRow, stateOf } from '../account-view.js';
import { withStores } from '../environment.js';
import { Failure } from '../failure.js';
import { addNewKey } from '../new-key.js';
import { answer, facts, plural, table } from '../print.js';
import { accountOf } from './account.js';

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly cap?: Thousandths;
  readonly json?: boolean;
}

export async function createKey({ account, name, cap, json }: CreateOptions): Promise<void> {
  const { key, record } = await withStores(async (stores) => {
    const { accountId } = await accountOf(stores, account);
    return addNewKey(stores, { accountId, name, capThousandths: cap ?? null });
  });
  answer({ account_id: account, ...keyJson(record, Date.now()), key }, json, () =>
    [
      facts([
        ['Account', account],
        ['Name', name],
        ['Cap', cap === undefined ? 'none: the whole wallet' : plural(toCredits(cap), 'credit')],
        ['Key', key],
      ]),
      'The key is shown only here: keep it where your server reads its secrets.',
    ].join('\n\n'),
  );
}

export async function listKeys(options: { account: string; json?: boolean }): Promise<void> {
  const { accountId, keys } = await withStores((stores) => accountOf(stores, options.account));
  const now = Date.now();
  answer({ account_id: accountId, keys: keys.map((key) => keyJson(key, now)) }, options.json, () =>
    keys.length === 0
      ? 'No keys.'
      : table(
          KEY_HEADER,
          keys.map((key) => keyRow(key, now)),
        ),
  );
}

type FoundKey = KeyRecord & { readonly accountId: string };

async function keyOf({ accounts }: Stores, prefix: string): Promise<FoundKey> {
  const found = await accounts.keyByPrefix(prefix);
  if (found === undefined) throw new Failure(`there is no key ${prefix}… in this database`);
  return found;
}

/** A10: the old key works on for the overlap, and the new one takes over its name, cap and wallet. */
export async function rotateKey(prefix: string, options: { overlap: number; json?: boolean }): Promise<void> {
  const { old, fresh } = await withStores(async (stores) => {
    const found = await keyOf(stores, prefix);
    refuseUnlessLive(found);
    const { accountId, name, capThousandths } = found;
    const minted = await addNewKey(stores, { accountId, name, capThousandths });
    const end = options.overlap === 0 ? null : new Date(Date.now() + options.overlap).toISOString();
    await stores.accounts.endKey(found.keyId, end);
    return { old: { ...found, endsAt: end ?? new Date().toISOString() }, fresh: minted };
  });
  const { accountId, endsAt } = old;
  const result = { account_id: accountId, ...keyJson(fresh.record, Date.now()), key: fresh.key };
  answer({ ...result, replaces: { key_prefix: old.prefix, ends_at: endsAt } }, options.json, () =>
    [
      facts([
        ['Account', accountId],
        ['New key', fresh.key],
        ['Old key', `${old.prefix}…, ${options.overlap === 0 ? 'ended' : `works until ${endsAt}`}`],
      ]),
      'The new key is shown only here: keep it where your server reads its secrets.',
    ].join('\n\n'),
  );
}

function refuseUnlessLive(key: FoundKey): void {
  const state = stateOf(key, Date.now());
  if (state === 'live') return;
  const why = state === 'rotating' ? `was rotated already and ends at ${key.expiresAt}` : `is ${state}`;
  throw new Failure(`${key.prefix}… ${why}; \`key create --account ${key.accountId}\` makes another one`);
}

/** Ending it twice is ending it once. */
export async function revokeKey(prefix: string, options: { json?: boolean }): Promise<void> {
  const revoked = await withStores(async (stores) => {
    const found = await keyOf(stores, prefix);
    if (found.revokedAt === null) await stores.accounts.endKey(found.keyId, null);
    return keyOf(stores, prefix);
  });
  answer({ account_id: revoked.accountId, ...keyJson(revoked, Date.now()) }, options.json, () =>
    facts([
      ['Account', revoked.accountId],
      ['Key', `${revoked.prefix}… (${revoked.name})`],
      ['Revoked', revoked.revokedAt],
    ]),
  );
}
