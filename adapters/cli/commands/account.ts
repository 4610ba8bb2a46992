import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Stores } from '../../../app/stores.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { counted, figure } from '../../../src/domain/figures.js';
import type { AccountRecord } from '../../../src/ports/accounts.js';
import type { ListedAccount } from '../../../src/ports/operator.js';
import { Sessions } from '../../../src/sign-in/sessions.js';
import { listAccounts } from '../../postgres/accounts/account-list.js';
import { createEmailAccounts } from '../../postgres/accounts/email-accounts.js';
import { createMemberStore } from '../../postgres/accounts/members.js';
import { createSessionStore } from '../../postgres/customers/sessions.js';
import { createOperatorStore } from '../../postgres/figures/operator.js';
import { accountJson, keyTable, tierFor } from '../account-view.js';
import { listedKeys, newSignInLink, openAccount, requireAccount, signInUrl } from '../accounts.js';
import {
  credits,
  email,
  examples,
  group,
  listLength,
  name,
  noteText,
  perSecond,
  rateOrTier,
  uuid,
  wholeDollars,
} from '../command-line.js';
import { Failure, WRONG_USE } from '../failure.js';
import { answer, facts, note, table } from '../print.js';
import { withStores } from '../with-stores.js';

const FREEZING = [
  ['freeze', true, 'disable all keys of an account at once; nothing is lost, and the owner can still sign in'],
  ['thaw', false, 're-enable the keys of a frozen account'],
] as const;

/** account create, list, show, limit, note, sign-in, sign-out, freeze and thaw. */
export function accountCommands(program: Command): void {
  const account = group(
    program,
    'account',
    'manage accounts: create, list, show, limit, note, sign-in, sign-out, freeze, thaw',
  );

  account
    .command('create')
    .description('create an account with a wallet and a first key; the key is shown only once')
    .requiredOption('--name <name>', 'name of the account', name)
    .option('--email <address>', 'email address that sign-in links are sent to', email)
    .option('--credits <credits>', 'initial credits, instead of PERCH_STARTING_CREDITS', credits)
    .option('--paid-usd <dollars>', 'amount to count as already paid, for the rate-limit tier', wholeDollars, 0)
    .option('--qps <rate>', 'override the requests per second of the tier, for internal accounts', perSecond)
    .option('--json', 'print {"account_id","wallet_id","key"}')
    .addHelpText(
      'after',
      examples(
        'perch account create --name "Ada Lovelace" --email ada@example.org --credits 1000',
        'perch account create --name "load test" --credits 1000000 --qps 5000 --json',
      ),
    )
    .action(createAccount);

  findingCommands(account);
  settingsCommands(account);

  account
    .command('sign-out')
    .description('end all sessions of the members of an account; its keys keep working')
    .argument('<id>', 'account id', uuid)
    .option('--json', 'print {"account_id","sessions_ended"}')
    .addHelpText('after', examples('perch account sign-out 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(signOutAccount);

  for (const [word, frozen, does] of FREEZING) {
    account
      .command(word)
      .description(does)
      .argument('<id>', 'account id', uuid)
      .option('--json', 'print {"account_id","frozen"}')
      .addHelpText('after', examples(`perch account ${word} 019a2b3c-4d5e-7f60-8123-456789abcdef`))
      .action((id: string, options) => freezeAccount(id, frozen, options));
  }
}

/** list, show and sign-in. */
function findingCommands(account: Command): void {
  account
    .command('list')
    .alias('find')
    .description('list the newest accounts, or those that contain a text')
    .argument('[text]', 'part of the name or email address, or a whole account id or key')
    .option('--limit <number>', 'number of accounts', listLength, 50)
    .option('--json', 'print {"accounts":[…],"more"}')
    .addHelpText('after', examples('perch account list', 'perch account find ada@example.org'))
    .action(listAccountsMatching);

  account
    .command('show')
    .description('show the balance, amount paid, rate-limit tier and keys of an account')
    .argument('<id>', 'account id', uuid)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch account show 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(showAccount);

  account
    .command('sign-in')
    .description('create a one-time link that signs the owner in to the dashboard')
    .argument('[id]', 'account id', uuid)
    .option('--email <address>', 'email address of the account, instead of its id', email)
    .option('--json', 'print {"account_id","sign_in_link"}')
    .addHelpText(
      'after',
      examples(
        'perch account sign-in 019a2b3c-4d5e-7f60-8123-456789abcdef',
        'perch account sign-in --email ada@example.org',
      ),
    )
    .action(signInAccount);
}

/** limit and note. */
function settingsCommands(account: Command): void {
  account
    .command('limit')
    .description('change the rate limit of an account, or what counts as paid; options left out change nothing')
    .argument('<id>', 'account id', uuid)
    .option('--qps <rate>', 'requests per second, or "tier" for the rate limit of its tier', rateOrTier)
    .option(
      '--paid-usd <dollars>',
      'amount that counts as paid, for the tier; not less than was paid for packs',
      wholeDollars,
    )
    .option('--json', 'print {"account_id","rate_limit_qps","paid_usd"}')
    .addHelpText(
      'after',
      examples(
        'perch account limit 019a2b3c-4d5e-7f60-8123-456789abcdef --qps 500',
        'perch account limit 019a2b3c-4d5e-7f60-8123-456789abcdef --qps tier --paid-usd 200',
      ),
    )
    .action(limitAccount);

  account
    .command('note')
    .description("print the operators' note on an account, or write another; the customer never sees it")
    .argument('<id>', 'account id', uuid)
    .argument('[text]', 'the new note; an empty text removes it', noteText)
    .option('--json', 'print {"account_id","note"}')
    .addHelpText(
      'after',
      examples('perch account note 019a2b3c-4d5e-7f60-8123-456789abcdef "Invoiced by hand, ask Olga"'),
    )
    .action(noteAccount);
}

interface CreateOptions {
  readonly name: string;
  readonly email?: string;
  readonly credits?: Thousandths;
  readonly paidUsd: number;
  readonly qps?: number;
  readonly json?: boolean;
}

async function createAccount(options: CreateOptions): Promise<void> {
  const made = await withStores(async (stores, config) => {
    const credits = options.credits ?? config.startingThousandths;
    const other = options.email === undefined ? undefined : await ownedBy(stores, options.email);
    const opened = await openAccount(stores, {
      name: options.name,
      email: options.email ?? null,
      paidUsd: options.paidUsd,
      qpsOverride: options.qps ?? null,
      credits,
      reason: 'starting credits',
      keyName: 'first key',
    });
    if (other !== undefined)
      note(`perch: account ${other} has the same owner, who switches between the two on the dashboard`);
    return { ...opened, credits };
  });
  const { accountId, walletId, key, credits } = made;
  answer({ account_id: accountId, wallet_id: walletId, key }, options.json, () =>
    [
      facts([
        ['Account', accountId],
        ['Wallet', walletId],
        ['Balance', counted(toCredits(credits), 'credit')],
        ['Key', key],
      ]),
      'The key is shown only once. Store it with the secrets of your server.',
    ].join('\n\n'),
  );
}

/** The oldest account owned by the person with this mail address. */
async function ownedBy({ sql }: Stores, email: string): Promise<string | undefined> {
  const people = createEmailAccounts(sql);
  const personId = await people.find(email);
  return personId === undefined ? undefined : people.ownedBy(personId);
}

async function findAccountId(stores: Stores, email: string): Promise<string> {
  const id = await ownedBy(stores, email);
  if (id === undefined)
    throw new Failure(
      `no account with the email address ${email} in this database; \`perch account find\` looks for others`,
    );
  return id;
}

async function signInAccount(
  id: string | undefined,
  { email, json }: { email?: string; json?: boolean },
): Promise<void> {
  if ((id === undefined) === (email === undefined)) {
    throw new Failure('give either the id of an account or --email; `perch account list` shows both', WRONG_USE);
  }
  const { accountId, link } = await withStores(async (stores, config) => {
    const account = await requireAccount(stores, id ?? (await findAccountId(stores, email ?? '')));
    // People sign in to the account that a test account belongs to.
    const accountId = account.testOf ?? account.accountId;
    return { accountId, link: await newSignInLink(stores, accountId, signInUrl(config)) };
  });
  answer({ account_id: accountId, sign_in_link: link }, json, () =>
    [
      link,
      'It works once and expires in 24 hours; the service must be running. Keep it secret: it gives full access to the account.',
    ].join('\n\n'),
  );
}

async function showAccount(id: string, options: { json?: boolean }): Promise<void> {
  const { account, keys } = await withStores(async (stores) => ({
    account: await requireAccount(stores, id),
    keys: await listedKeys(stores, id),
  }));
  const now = Date.now();
  answer(accountJson(account, keys, now), options.json, () =>
    [
      facts([
        ['Account', account.accountId],
        ['Wallet', account.walletId],
        ['Name', account.name],
        ['Email', account.email ?? 'none'],
        ['Balance', counted(toCredits(account.balance), 'credit')],
        ['Paid in total', `$${figure(account.paidUsd)}`],
        ['Rate limit', describeRateLimit(account)],
        ['State', account.frozen ? 'frozen: all keys are disabled' : 'active'],
      ]),
      keyTable(keys, now),
    ].join('\n\n'),
  );
}

async function limitAccount(
  id: string,
  options: { qps?: number | 'tier'; paidUsd?: number; json?: boolean },
): Promise<void> {
  const { qps, paidUsd } = options;
  const qpsOverride = qps === 'tier' ? null : qps;
  if (qpsOverride === undefined && paidUsd === undefined)
    throw new Failure('give --qps, --paid-usd or both', WRONG_USE);
  const account = await withStores(async (stores) => {
    await requireOwnSettings(stores, id);
    await createOperatorStore(stores.sql).changeSettings(id, { qpsOverride, paidUsd }, OPERATOR);
    return requireAccount(stores, id);
  });
  const result = { account_id: id, rate_limit_qps: account.qps, paid_usd: account.paidUsd };
  answer(result, options.json, () =>
    facts([
      ['Account', id],
      ['Paid in total', `$${figure(account.paidUsd)}`],
      ['Rate limit', describeRateLimit(account)],
    ]),
  );
}

async function noteAccount(id: string, text: string | undefined, options: { json?: boolean }): Promise<void> {
  const settings = await withStores(async (stores) => {
    await requireOwnSettings(stores, id);
    const store = createOperatorStore(stores.sql);
    if (text !== undefined) await store.changeSettings(id, { note: text === '' ? null : text }, OPERATOR);
    return store.settings(id);
  });
  const written = settings?.note ?? null;
  answer({ account_id: id, note: written }, options.json, () => written ?? 'No note.');
}

/** Throws Failure for an unknown account, and for a test account, which has no settings of its own. */
async function requireOwnSettings(stores: Stores, id: string): Promise<void> {
  const { testOf } = await requireAccount(stores, id);
  if (testOf !== null) throw new Failure(`${id} is the test account of ${testOf}: give the id of that account`);
}

function describeRateLimit({ qps, paidUsd }: AccountRecord): string {
  const { requestsPerSecond, paidUsd: from } = tierFor(paidUsd);
  const tier = from === 0 ? 'the first tier' : `the tier from $${from} paid`;
  return `${counted(qps, 'request')} per second${qps === requestsPerSecond ? `, by ${tier}` : `, set by the operator; by ${tier} it would be ${requestsPerSecond}`}`;
}

interface ListOptions {
  readonly limit: number;
  readonly json?: boolean;
}

/** Lists the newest accounts, or those that match a text. */
async function listAccountsMatching(matching: string | undefined, options: ListOptions): Promise<void> {
  const { limit } = options;
  // Reads one more than it shows, to know whether there are more.
  const found = await withStores(({ sql }) => listAccounts(sql, { matching, limit: limit + 1 }));
  const accounts = found.slice(0, limit);
  answer({ accounts: accounts.map(json), more: found.length > limit }, options.json, () =>
    formatAccounts(accounts, matching, found.length > limit),
  );
}

const json = (account: ListedAccount) => ({
  account_id: account.accountId,
  name: account.name,
  email: account.email,
  balance: toCredits(account.balance),
  paid_usd: account.paidUsd,
  frozen: account.frozen,
  active_keys: account.keys,
  created_at: account.createdAt,
});

function formatAccounts(accounts: readonly ListedAccount[], matching: string | undefined, more: boolean): string {
  if (accounts.length === 0) {
    return matching === undefined
      ? 'No accounts yet. Make one with `perch account create --name NAME`.'
      : `No account has ${JSON.stringify(matching)} in its name or mail address, or as its id or key.`;
  }
  const rows = accounts.map((account) => [
    account.accountId,
    account.name,
    account.email ?? 'none',
    figure(toCredits(account.balance)),
    `$${figure(account.paidUsd)}`,
    account.keys,
    account.frozen ? 'frozen' : 'active',
    account.createdAt.slice(0, 10),
  ]);
  const listed = table(
    ['account', 'name', 'email', 'credits', 'paid in total', 'active keys', 'state', 'created'],
    rows,
  );
  return more ? `${listed}\n\nThere are more: give a text to search for, or a higher --limit.` : listed;
}

/** Ends every session of the account, on every browser. */
async function signOutAccount(id: string, options: { json?: boolean }): Promise<void> {
  const ended = await withStores(async (stores) => {
    const { accountId } = await requireAccount(stores, id);
    const sessions = new Sessions({ store: createSessionStore(stores.sql), clock: { now: Date.now }, randomBytes });
    const members = await createMemberStore(stores.sql).members(accountId);
    const counts = await Promise.all(members.map(({ personId }) => sessions.endAll(personId, null, OPERATOR)));
    return counts.reduce((sum, count) => sum + count, 0);
  });
  answer(
    { account_id: id, sessions_ended: ended },
    options.json,
    () =>
      `${counted(ended, 'session')} signed out. Keys keep working, and links already sent can still be used to sign in.`,
  );
}

/** Stops the keys of the account, or makes them work again. */
async function freezeAccount(id: string, frozen: boolean, options: { json?: boolean }): Promise<void> {
  await withStores(async (stores) => {
    await requireAccount(stores, id);
    await stores.accounts.freeze(id, frozen);
  });
  answer({ account_id: id, frozen }, options.json, () =>
    frozen
      ? 'Account frozen: none of its keys works on any node. Run `perch account thaw` to undo this.'
      : 'Account thawed: its keys work again.',
  );
}
