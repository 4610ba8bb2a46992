import { v7 } from 'uuid';
import type { Stores } from '../../../app/stores.js';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { counted, figure } from '../../../src/domain/figures.js';
import type { AccountRecord } from '../../../src/ports/accounts.js';
import { createEmailAccounts } from '../../postgres/accounts/email-accounts.js';
import { accountJson, KEY_HEADER, keyRow, tierOf } from '../account-view.js';
import { Failure } from '../failure.js';
import { grant, openAccount } from '../new-key.js';
import { answer, facts, note, table } from '../print.js';
import { newSignInLink, signInUrl } from '../sign-in-link.js';
import { withStores } from '../with-stores.js';

interface CreateOptions {
  readonly name: string;
  readonly email?: string;
  readonly credits?: Thousandths;
  readonly paidUsd: number;
  readonly qps?: number;
  readonly json?: boolean;
}

export async function createAccount(options: CreateOptions): Promise<void> {
  const made = await withStores(async (stores, config) => {
    // M27: what an account starts with, unless the operator gives an amount.
    const credits = options.credits ?? config.startingThousandths;
    const other = options.email === undefined ? undefined : await createEmailAccounts(stores.sql).find(options.email);
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
      note(`perch: account ${other} also has this email address; sign-in links sent to it will open that account`);
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

/** The account, or exit code 1: its id may be from another database. */
export async function accountOf({ accounts }: Stores, id: string): Promise<AccountRecord> {
  const account = await accounts.get(id);
  if (account === undefined) throw new Failure(`no account ${id} in this database; \`perch account list\` shows them`);
  return account;
}

/** The account with this mail address: the oldest, as for links by mail. */
async function idOf({ sql }: Stores, email: string): Promise<string> {
  const id = await createEmailAccounts(sql).find(email);
  if (id === undefined)
    throw new Failure(
      `no account with the email address ${email} in this database; \`perch account find\` looks for others`,
    );
  return id;
}

export async function signInAccount(
  id: string | undefined,
  { email, json }: { email?: string; json?: boolean },
): Promise<void> {
  if ((id === undefined) === (email === undefined)) {
    throw new Failure('give either the id of an account or --email; `perch account list` shows both');
  }
  const { accountId, link } = await withStores(async (stores, config) => {
    const account = await accountOf(stores, id ?? (await idOf(stores, email ?? '')));
    // A test account is seen from the account that it belongs to.
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

export async function showAccount(id: string, options: { json?: boolean }): Promise<void> {
  const account = await withStores((stores) => accountOf(stores, id));
  const now = Date.now();
  answer(accountJson(account, now), options.json, () =>
    [
      facts([
        ['Account', account.accountId],
        ['Wallet', account.walletId],
        ['Name', account.name],
        ['Email', account.email],
        ['Balance', counted(toCredits(account.balance), 'credit')],
        ['Paid', `$${figure(account.paidUsd)}`],
        ['Rate limit', rateOf(account)],
        ['Frozen', account.frozen ? 'yes: all keys are disabled' : null],
      ]),
      account.keys.length === 0
        ? 'No keys.'
        : table(
            KEY_HEADER,
            account.keys.map((key) => keyRow(key, now)),
          ),
    ].join('\n\n'),
  );
}

function rateOf({ qps, paidUsd }: AccountRecord): string {
  const { requestsPerSecond, paidUsd: from } = tierOf(paidUsd);
  const tier = `its tier ($${from} or more paid) has ${requestsPerSecond}`;
  return `${counted(qps, 'request')} per second (${qps === requestsPerSecond ? `$${from} or more paid` : `set by the operator; ${tier}`})`;
}

interface CreditOptions {
  readonly account: string;
  readonly credits: Thousandths;
  readonly reason: string;
  readonly requestId?: string;
  readonly json?: boolean;
}

export async function creditWallet(options: CreditOptions): Promise<void> {
  const { account: accountId, credits: amount, reason, requestId = v7() } = options;
  const { walletId, balance } = await withStores(async (stores) => {
    const account = await accountOf(stores, accountId);
    return { walletId: account.walletId, balance: await grant(stores, { accountId, amount, reason, requestId }) };
  });
  const result = {
    account_id: accountId,
    wallet_id: walletId,
    credits: toCredits(amount),
    balance: toCredits(balance),
    request_id: requestId,
  };
  answer(result, options.json, () =>
    facts([
      ['Account', accountId],
      ['Credited', counted(toCredits(amount), 'credit')],
      ['Balance', counted(toCredits(balance), 'credit')],
      ['Ledger entry', requestId],
    ]),
  );
}
