import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createSessionStore } from '../../adapters/postgres/customers/sessions.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import type { Secrets } from '../../app/secrets.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { toThousandths } from '../../src/domain/credits.js';
import { Sessions } from '../../src/sign-in/sessions.js';

export interface OpenAccount {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface AccountOptions {
  readonly credits?: number;
  readonly qps?: number;
  readonly cap?: number;
}

/**
 * Does what `perch account create` does, but in this process: for tests whose service runs in another process with the
 * same database and secrets.
 */
export async function openAccount(
  sql: Sql,
  { pepper }: Secrets,
  { credits = 1000, qps = 100_000, cap }: AccountOptions = {},
): Promise<OpenAccount> {
  const accounts = createAccounts(sql);
  const made = await accounts.create({ name: 'test', email: null, paidUsd: 0, qpsOverride: qps });
  const { accountId } = made;
  const key = mintKey(randomBytes);
  const { keyId } = await accounts.addKey({
    accountId,
    hash: hashKey(key, pepper),
    prefix: keyPrefix(key),
    name: 'test',
    cap: cap === undefined ? null : { amount: toThousandths(cap), period: 'total' },
  });
  if (credits > 0) {
    const amount = toThousandths(credits);
    await createLedger(sql).grant({ requestId: v7(), accountId, amount, reason: 'test' });
  }
  return { ...made, keyId, key };
}

/** Signs in the owner of an account as a mailed link does; returns the value of the cookie `perch`. */
export async function signIn(sql: Sql, accountId: string, now = Date.now): Promise<string> {
  const sessions = new Sessions({ store: createSessionStore(sql), clock: { now }, randomBytes });
  return (await sessions.start(accountId, { method: 'link', userAgent: null, address: null })).token;
}
