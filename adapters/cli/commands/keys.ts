import { type Command, Option } from 'commander';
import type { Stores } from '../../../app/stores.js';
import { keyState } from '../../../src/account/key-state.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import type { CapPeriod, KeyRecord } from '../../../src/ports/accounts.js';
import { capWords, KEY_HEADER, keyJson, keyRow } from '../account-view.js';
import { operatorKeys, requireAccount } from '../accounts.js';
import { examples, group, name, overlap, prefix, someCredits, uuid } from '../command-line.js';
import { Failure } from '../failure.js';
import { answer, facts, table } from '../print.js';
import { withStores } from '../with-stores.js';

/** key create, list, rotate, revoke. */
export function keyCommands(program: Command): void {
  const key = group(program, 'key', 'manage API keys: create, list, rotate, revoke');

  key
    .command('create')
    .description('create another key for the wallet of an account; it is shown only once')
    .requiredOption('--account <id>', 'account id', uuid)
    .option('--name <name>', 'name of the key', name, 'key')
    .option('--cap <credits>', 'spend cap of the key', someCredits)
    .addOption(
      new Option('--cap-period <period>', 'period of the spend cap')
        .choices(['total', 'month', 'day'])
        .default('total'),
    )
    .option('--test', 'a test key: it reads an invented network with play credits')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --name ci --test',
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --name staging --cap 500 --cap-period month',
      ),
    )
    .action(createKey);

  key
    .command('list')
    .description('list the keys of an account, test keys included: prefix, name, spent, state')
    .requiredOption('--account <id>', 'account id', uuid)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch key list --account 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(listKeys);

  key
    .command('rotate')
    .description('create a new key with the same name, cap and wallet; the old one keeps working for the overlap')
    .argument('<prefix>', 'prefix of the old key, such as perch_live_a1B2c3', prefix)
    .option('--overlap <time>', 'how long the old key keeps working, 0 to 30d (default: 24h)', overlap, DAY_MS)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('perch key rotate perch_live_a1B2c3', 'perch key rotate perch_live_a1B2c3 --overlap 0'),
    )
    .action(rotateKey);

  key
    .command('revoke')
    .description('revoke a key; every node rejects it within seconds')
    .argument('<prefix>', 'prefix of the key, such as perch_live_a1B2c3', prefix)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch key revoke perch_live_a1B2c3'))
    .action(revokeKey);
}

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly cap?: Thousandths;
  readonly capPeriod: CapPeriod;
  readonly test?: boolean;
  readonly json?: boolean;
}

async function createKey({ account, name, cap, capPeriod, test = false, json }: CreateOptions): Promise<void> {
  const { key, record } = await withStores(async (stores) => {
    const { accountId } = await requireAccount(stores, account);
    const limit = cap === undefined ? null : { amount: cap, period: capPeriod };
    const given = { name, cap: limit };
    if (!test) return operatorKeys(stores).create(accountId, given, OPERATOR);
    const made = await operatorKeys(stores).createTest(accountId, given, OPERATOR);
    // Here, so that the first read with it does not have to wait.
    const { fillInventedNetwork } = await import('../../../app/test-mode/invented-network.js');
    await fillInventedNetwork(stores.corpusSql);
    return made;
  });
  answer({ account_id: account, ...keyJson(record, Date.now()), key }, json, () =>
    [
      facts([
        ['Account', account],
        ['Name', name],
        ['Mode', test ? `test: ${figure(PLAY_CREDITS)} play credits each day` : null],
        ['Cap', cap === undefined ? 'no cap: the whole wallet' : `${capWords(toCredits(cap), capPeriod)} (credits)`],
        ['Key', key],
      ]),
      'The key is shown only once. Store it with the secrets of your server.',
    ].join('\n\n'),
  );
}

async function listKeys(options: { account: string; json?: boolean }): Promise<void> {
  const { accountId, keys } = await withStores(async (stores) => {
    const { accounts } = stores;
    const account = await requireAccount(stores, options.account);
    const testAccountId = await accounts.testAccount(account.accountId);
    const test = testAccountId === undefined ? undefined : await accounts.get(testAccountId);
    return { accountId: account.accountId, keys: [...account.keys, ...(test?.keys ?? [])] };
  });
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

async function requireKey({ accounts }: Stores, prefix: string): Promise<FoundKey> {
  const found = await accounts.keyByPrefix(prefix);
  if (found === undefined)
    throw new Failure(`no key ${prefix}… in this database; \`perch key list --account ID\` shows an account's keys`);
  return found;
}

/** The old key keeps working during the overlap, and the new one takes over its name, cap and wallet. */
async function rotateKey(prefix: string, options: { overlap: number; json?: boolean }): Promise<void> {
  const { old, fresh } = await withStores(async (stores) => {
    const found = await requireKey(stores, prefix);
    refuseUnlessActive(found);
    const fresh = await operatorKeys(stores).rotate(found.accountId, found.keyId, options.overlap, OPERATOR);
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

function refuseUnlessActive(key: FoundKey): void {
  const state = keyState(key, Date.now());
  if (state === 'active') return;
  const why = state === 'expiring' ? `was already rotated and expires at ${key.expiresAt}` : `is ${state}`;
  throw new Failure(`${key.prefix}… ${why}; run \`perch key create --account ${key.accountId}\` to create another one`);
}

/** Revoking it again has no further effect. */
async function revokeKey(prefix: string, options: { json?: boolean }): Promise<void> {
  const revoked = await withStores(async (stores) => {
    const found = await requireKey(stores, prefix);
    const ended = await operatorKeys(stores).revoke(found.accountId, found.keyId, OPERATOR);
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
