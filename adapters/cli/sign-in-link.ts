import { randomBytes } from 'node:crypto';
import type { Stores } from '../../app/stores.js';
import type { Config } from '../../src/config/config.js';
import { localUrl } from '../../src/lib/local-url.js';
import { SignInLinks, signInLink } from '../../src/sign-in/links.js';
import { createOneTimeTokens } from '../postgres/customers/one-time-tokens.js';

/** A link that signs in the account's owner, once, within a day. `url`: the address of sign-in. */
export async function newSignInLink({ sql }: Stores, accountId: string, url: string): Promise<string> {
  const links = new SignInLinks({ tokens: createOneTimeTokens(sql), clock: { now: Date.now }, randomBytes });
  return signInLink(url, await links.forAccount(accountId));
}

/** The sign-in address of a configuration's service, as far as it is known before the service listens. */
export const signInUrl = ({ authUrl, host, port }: Config): string => authUrl ?? localUrl(host, port);
