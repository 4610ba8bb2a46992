import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Stores } from '../../app/stores.js';
import { Keys } from '../../src/account/keys.js';
import type { Config } from '../../src/config/config.js';
import { OPERATOR } from '../../src/domain/audit.js';
import type { Thousandths } from '../../src/domain/credits.js';
import { localUrl } from '../../src/lib/local-url.js';
import type { AccountRecord } from '../../src/ports/accounts.js';
import { SignInLinks, signInLink } from '../../src/sign-in/links.js';
import { createEmailAccounts } from '../postgres/accounts/email-accounts.js';
import { MOST_LISTED_KEYS } from '../postgres/accounts/keys.js';
import { createOneTimeTokens } from '../postgres/customers/one-time-tokens.js';
import type { ListedKeys } from './account-view.js';
import { Failure } from './failure.js';

/** Returns the account. Throws Failure (exit code 1) if this database has none with the id. */
export async function requireAccount({ accounts }: Stores, id: string): Promise<AccountRecord> {
  const account = await accounts.get(id);
  if (account === undefined) throw new Failure(`no account ${id} in this database; \`perch account list\` shows them`);
  return account;
}

/** The keys that `Accounts.keys` lists, and whether the account has more. */
export async function listedKeys({ accounts }: Stores, accountId: string): Promise<ListedKeys> {
  const keys = await accounts.keys(accountId, MOST_LISTED_KEYS + 1);
  return keys.length > MOST_LISTED_KEYS
    ? { keys: await accounts.keys(accountId, MOST_LISTED_KEYS), more: true }
    : { keys, more: false };
}

/** The key service on these stores, for changes that an operator makes. */
export const operatorKeys = ({ accounts, secrets }: Stores): Keys =>
  new Keys({ accounts, pepper: secrets.pepper, clock: { now: Date.now }, randomBytes });

/**
 * Adds credits as a row of the ledger and returns the new balance. Repeating a grant with the same id has no effect.
 */
export const grant = (
  { ledger }: Stores,
  given: { accountId: string; amount: Thousandths; reason: string; requestId?: string | undefined },
): Promise<Thousandths> => ledger.grant({ ...given, requestId: given.requestId ?? v7() });

export interface NewAccount {
  readonly name: string;
  readonly email: string | null;
  readonly paidUsd: number;
  readonly qpsOverride: number | null;
  /** Thousandths of a credit; 0 leaves the wallet empty. */
  readonly credits: Thousandths;
  readonly reason: string;
  readonly keyName: string;
  readonly key?: string;
}

/** Creates an account with its starting credits and its first key. */
export async function openAccount(
  stores: Stores,
  given: NewAccount,
): Promise<{ accountId: string; walletId: string; key: string }> {
  const { name, email, paidUsd, qpsOverride } = given;
  const { accountId, walletId } = await stores.accounts.create({ name, email, paidUsd, qpsOverride });
  return { accountId, walletId, key: await equipAccount(stores, accountId, given) };
}

/** Gives an account its starting credits, and last its first key, so the key never works without them. */
export async function equipAccount(
  stores: Stores,
  accountId: string,
  { credits, reason, keyName, key: wanted }: Pick<NewAccount, 'credits' | 'reason' | 'keyName' | 'key'>,
): Promise<string> {
  if (credits > 0) await grant(stores, { accountId, amount: credits, reason });
  const { key } = await operatorKeys(stores).create(accountId, { name: keyName, cap: null, key: wanted }, OPERATOR);
  return key;
}

/** A link that signs in the account's owner once, within a day. `url` is the address of the sign-in page. */
export async function newSignInLink({ sql }: Stores, accountId: string, url: string): Promise<string> {
  const stores = { tokens: createOneTimeTokens(sql), accounts: createEmailAccounts(sql) };
  const links = new SignInLinks({ ...stores, clock: { now: Date.now }, randomBytes });
  return signInLink(url, await links.forAccount(accountId));
}

/** The address where the configured service signs people in, as far as it is known before the service listens. */
export const signInUrl = ({ authUrl, host, port }: Config): string => authUrl ?? localUrl(host, port);
