import { type Command, Option } from 'commander';
import type { Stores } from '../../../app/stores.js';
import { keyState } from '../../../src/account/key-state.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { badRequest } from '../../../src/domain/errors.js';
import { figure } from '../../../src/domain/figures.js';
import type { Scope } from '../../../src/domain/lists.js';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import type { AccountKey, CapPeriod, KeyLimits, KeyRecord } from '../../../src/ports/accounts.js';
import { capWords, keyJson, keyTable } from '../account-view.js';
import { listedKeys, operatorKeys, requireAccount } from '../accounts.js';
import {
  examples,
  group,
  lastDay,
  name,
  networks,
  overlap,
  prefix,
  reads,
  someCredits,
  uuid,
} from '../command-line.js';
import { Failure } from '../failure.js';
import { answer, facts } from '../print.js';
import { withStores } from '../with-stores.js';

const READS = 'what it may read, between commas, such as profiles,timeline; or all';
const FROM = 'IP addresses or networks it may be used from, between commas; or any';
const EXPIRES = 'last day on which it works (UTC), such as 2027-03-31; or never';

/** key create, list, limit, rotate, revoke. */
export function keyCommands(program: Command): void {
  const key = group(program, 'key', 'manage API keys: create, list, limit, rotate, revoke');

  createCommand(key);

  key
    .command('list')
    .description('list the keys of an account, test keys included: prefix, name, spent, state')
    .requiredOption('--account <id>', 'account id', uuid)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch key list --account 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(listKeys);

  key
    .command('limit')
    .description('change what a key may read, from where, and until when; options left out change nothing')
    .argument('<prefix>', 'prefix of the key, such as perch_live_a1B2c3', prefix)
    .option('--reads <kinds>', READS, reads)
    .option('--from <networks>', FROM, networks)
    .option('--expires <day>', EXPIRES, lastDay)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'perch key limit perch_live_a1B2c3 --reads profiles,timeline,search --expires 2027-03-31',
        'perch key limit perch_live_a1B2c3 --from 192.0.2.0/24,2001:db8::/32',
        'perch key limit perch_live_a1B2c3 --from any --expires never',
      ),
    )
    .action(limitKey);

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

function createCommand(key: Command): void {
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
    .option('--reads <kinds>', READS, reads)
    .option('--from <networks>', FROM, networks)
    .option('--expires <day>', EXPIRES, lastDay)
    .option('--test', 'a test key: it reads an invented network with play credits')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --name ci --test',
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --name staging --cap 500 --cap-period month',
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --reads profiles,timeline --from 192.0.2.0/24',
      ),
    )
    .action(createKey);
}

interface CreateOptions extends LimitOptions {
  readonly account: string;
  readonly name: string;
  readonly cap?: Thousandths;
  readonly capPeriod: CapPeriod;
  readonly test?: boolean;
  readonly json?: boolean;
}

/** The options of the command line; null: no limit. */
interface LimitOptions {
  readonly reads?: Scope[] | null;
  readonly from?: string[] | null;
  readonly expires?: string | null;
}

const limitsOf = ({ reads: scopes, from: allowedFrom, expires: expiresAt }: LimitOptions): Partial<KeyLimits> => ({
  // If a parser returns null, the option's value arrives as an empty text.
  ...(scopes !== undefined && { scopes: scopes || null }),
  ...(allowedFrom !== undefined && { allowedFrom: allowedFrom || null }),
  ...(expiresAt !== undefined && { expiresAt: expiresAt || null }),
});

async function createKey({
  account,
  name,
  cap,
  capPeriod,
  test = false,
  json,
  ...limits
}: CreateOptions): Promise<void> {
  const { key, record } = await withStores(async (stores) => {
    const { accountId } = await requireAccount(stores, account);
    const limit = cap === undefined ? null : { amount: cap, period: capPeriod };
    const given = { name, cap: limit, ...limitsOf(limits) };
    if (!test) return operatorKeys(stores).create(accountId, given, OPERATOR);
    // Filled now, so that the first read with the key does not have to wait; and before the key is made, which would
    // never be shown if this failed or was interrupted.
    const { fillInventedNetwork } = await import('../../../app/test-mode/invented-network.js');
    await fillInventedNetwork(stores.inventedSql);
    return operatorKeys(stores).createTest(accountId, given, OPERATOR);
  });
  answer({ account_id: account, ...keyJson(record, Date.now()), key }, json, () =>
    [
      facts([
        ['Account', account],
        ['Name', name],
        ['Mode', test ? `test: ${figure(PLAY_CREDITS)} play credits each day` : null],
        ['Cap', cap === undefined ? 'no cap: the whole wallet' : `${capWords(toCredits(cap), capPeriod)} (credits)`],
        ...limitFacts(record),
        ['Key', key],
      ]),
      'The key is shown only once. Store it with the secrets of your server.',
    ].join('\n\n'),
  );
}

const limitFacts = ({ scopes, allowedFrom, expiresAt }: KeyRecord): [string, string | null][] => [
  ['Reads', scopes?.join(', ') ?? null],
  ['Used from', allowedFrom?.join(', ') ?? null],
  ['Expires', expiresAt],
];

async function limitKey(prefix: string, options: LimitOptions & { json?: boolean }): Promise<void> {
  const limits = limitsOf(options);
  if (Object.keys(limits).length === 0) throw badRequest('Give at least one of --reads, --from and --expires.');
  const changed = await withStores(async (stores) => {
    const { accountId, keyId } = await requireKey(stores, prefix);
    return { ...(await operatorKeys(stores).change(accountId, keyId, limits, OPERATOR)), accountId };
  });
  answer({ account_id: changed.accountId, ...keyJson(changed, Date.now()) }, options.json, () =>
    facts([
      ['Account', changed.accountId],
      ['Key', `${changed.prefix}… (${changed.name})`],
      ['Reads', changed.scopes?.join(', ') ?? 'everything'],
      ['Used from', changed.allowedFrom?.join(', ') ?? 'anywhere'],
      ['Expires', changed.expiresAt ?? 'never'],
    ]),
  );
}

async function listKeys(options: { account: string; json?: boolean }): Promise<void> {
  const { accountId, listed } = await withStores(async (stores) => {
    const { accountId } = await requireAccount(stores, options.account);
    const testAccountId = await stores.accounts.testAccount(accountId);
    const live = await listedKeys(stores, accountId);
    const test = testAccountId === undefined ? { keys: [], more: false } : await listedKeys(stores, testAccountId);
    return { accountId, listed: { keys: [...live.keys, ...test.keys], more: live.more || test.more } };
  });
  const now = Date.now();
  const { keys, more } = listed;
  answer({ account_id: accountId, keys: keys.map((key) => keyJson(key, now)), more }, options.json, () =>
    keyTable(listed, now),
  );
}

type FoundKey = AccountKey & { readonly accountId: string };

async function requireKey({ accounts }: Stores, prefix: string): Promise<FoundKey> {
  const found = await accounts.keyByPrefix(prefix);
  if (found === undefined)
    throw new Failure(`no key ${prefix}… in this database; \`perch key list --account ID\` shows an account's keys`);
  return found;
}

/** The old key keeps working during the overlap, and the new one takes over its name, cap and wallet. */
async function rotateKey(prefix: string, options: { overlap: number; json?: boolean }): Promise<void> {
  const { old, key, record } = await withStores(async (stores) => {
    const found = await requireKey(stores, prefix);
    refuseUnlessActive(found);
    return {
      old: found,
      ...(await operatorKeys(stores).rotate(found.accountId, found.keyId, options.overlap, OPERATOR)),
    };
  });
  const { accountId } = old;
  const { oldEndsAt } = record;
  const result = { account_id: accountId, ...keyJson(record, Date.now()), key };
  answer({ ...result, replaces: { key_prefix: old.prefix, ends_at: oldEndsAt } }, options.json, () =>
    [
      facts([
        ['Account', accountId],
        ['New key', key],
        ['Old key', `${old.prefix}…, ${options.overlap === 0 ? 'revoked' : `works until ${oldEndsAt}`}`],
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

/** Revoking a key again has no effect. */
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
