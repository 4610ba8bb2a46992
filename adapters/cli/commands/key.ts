import type { Stores } from '../../../app/stores.js';
import { OPERATOR } from '../../../src/core/audit.js';
import { type Thousandths, toCredits } from '../../../src/core/credits.js';
import { counted } from '../../../src/core/figures.js';
import type { CapPeriod, KeyRecord } from '../../../src/ports/accounts.js';
import { KEY_HEADER, keyJson, keyRow, stateOf } from '../account-view.js';
import { Failure } from '../failure.js';
import { keysOf } from '../new-key.js';
import { answer, facts, table } from '../print.js';
import { withStores } from '../with-stores.js';
import { accountOf } from './account.js';

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly cap?: Thousandths;
  readonly capPeriod: CapPeriod;
  readonly json?: boolean;
}

export async function createKey({ account, name, cap, capPeriod, json }: CreateOptions): Promise<void> {
  const { key, record } = await withStores(async (stores) => {
    const { accountId } = await accountOf(stores, account);
    const limit = cap === undefined ? null : { amount: cap, period: capPeriod };
    return keysOf(stores).create(accountId, { name, cap: limit }, OPERATOR);
  });
  answer({ account_id: account, ...keyJson(record, Date.now()), key }, json, () =>
    [
      facts([
        ['Account', account],
        ['Name', name],
        ['Cap', cap === undefined ? 'none (the whole wallet)' : capWords(cap, capPeriod)],
        ['Key', key],
      ]),
      'The key is shown only once. Store it with the secrets of your server.',
    ].join('\n\n'),
  );
}

const capWords = (cap: Thousandths, period: CapPeriod): string =>
  `${counted(toCredits(cap), 'credit')} ${period === 'total' ? 'in total' : `per ${period}`}`;

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
  if (found === undefined) throw new Failure(`no key ${prefix}… in this database`);
  return found;
}

/** A10: the old key keeps working during the overlap, and the new one takes over its name, cap and wallet. */
export async function rotateKey(prefix: string, options: { overlap: number; json?: boolean }): Promise<void> {
  const { old, fresh } = await withStores(async (stores) => {
    const found = await keyOf(stores, prefix);
    refuseUnlessLive(found);
    const fresh = await keysOf(stores).rotate(found.accountId, found.keyId, options.overlap, OPERATOR);
    const end = options.overlap === 0 ? Date.now() : Date.now() + options.overlap;
    return { old: { ...found, endsAt: new Date(end).toISOString() }, fresh };
  });
  const { accountId, endsAt } = old;
  const result = { account_id: accountId, ...keyJson(fresh.record, Date.now()), key: fresh.key };
  answer({ ...result, replaces: { key_prefix: old.prefix, ends_at: endsAt } }, options.json, () =>
    [
      facts([
        ['Account', accountId],
        ['New key', fresh.key],
        ['Old key', `${old.prefix}…, ${options.overlap === 0 ? 'revoked' : `works until ${endsAt}`}`],
      ]),
      'The new key is shown only once. Store it with the secrets of your server.',
    ].join('\n\n'),
  );
}

function refuseUnlessLive(key: FoundKey): void {
  const state = stateOf(key, Date.now());
  if (state === 'live') return;
  const why = state === 'rotating' ? `was already rotated and expires at ${key.expiresAt}` : `is ${state}`;
  throw new Failure(`${key.prefix}… ${why}; run \`perch key create --account ${key.accountId}\` to create another one`);
}

/** Revoking it again has no further effect. */
export async function revokeKey(prefix: string, options: { json?: boolean }): Promise<void> {
  const revoked = await withStores(async (stores) => {
    const found = await keyOf(stores, prefix);
    const ended = await keysOf(stores).revoke(found.accountId, found.keyId, OPERATOR);
    return { ...ended, accountId: found.accountId };
  });
  answer({ account_id: revoked.accountId, ...keyJson(revoked, Date.now()) }, options.json, () =>
    facts([
      ['Account', revoked.accountId],
      ['Key', `${revoked.prefix}… (${revoked.name})`],
      ['Revoked', revoked.revokedAt],
    ]),
  );
}
