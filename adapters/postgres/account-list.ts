import type { Thousandths } from '../../src/core/credits.js';
import type { Sql } from './sql.js';

/** An account as a list of accounts shows it. */
export interface ListedAccount {
  readonly accountId: string;
  readonly name: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  readonly paidUsd: number;
  readonly frozen: boolean;
  /** Keys that work now. */
  readonly keys: number;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** Characters of a key that are kept: a whole key is found by them. */
const PREFIX_CHARS = 17;

/**
 * The newest accounts, `limit` at most; test accounts are found by the account they belong to. `matching`: a part of the name or of the mail address, in any case, an account's
 * id, or a key or its prefix. Reads every account: for an operator, not for a request.
 */
export async function listAccounts(
  sql: Sql,
  { matching, limit }: { readonly matching: string | undefined; readonly limit: number },
): Promise<ListedAccount[]> {
  const text = (matching ?? '').toLowerCase();
  return [
    ...(await sql<ListedAccount[]>`
      select a.account_id as "accountId", a.name, a.email, w.balance_thousandths as balance, a.paid_usd as "paidUsd",
        a.frozen_at is not null as frozen, to_char(a.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "createdAt",
        (select count(*) from keys k where k.account_id = a.account_id
          and (k.revoked_at is null or k.revoked_at > now()) and (k.expires_at is null or k.expires_at > now())) as keys
      from accounts a join wallets w using (account_id)
      where a.test_of is null and (${text === ''} or a.account_id::text = ${text} or strpos(lower(a.name), ${text}) > 0
        or strpos(lower(a.email), ${text}) > 0
        or a.account_id in (select account_id from keys where prefix = ${(matching ?? '').slice(0, PREFIX_CHARS)})
        or a.account_id in (select t.test_of from accounts t join keys k using (account_id)
          where k.prefix = ${(matching ?? '').slice(0, PREFIX_CHARS)}))
      order by a.created_at desc, a.account_id limit ${limit}`),
  ];
}
