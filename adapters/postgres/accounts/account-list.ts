import type { AccountsQuery, ListedAccount } from '../../../src/ports/operator.js';
import type { Sql } from '../sql.js';

/** Characters of a key that are kept: a whole key is found by them. */
const PREFIX_CHARS = 17;
const PREFIXES = ['perch_live_', 'perch_test_'];

/**
 * The newest accounts, `limit` at most; test accounts are found by the account they belong to. A search reads every
 * account: for an operator, not for a request.
 */
export async function listAccounts(sql: Sql, { matching = '', after, limit }: AccountsQuery): Promise<ListedAccount[]> {
  const rows = await sql<ListedAccount[]>`
  select a.account_id as "accountId", a.name, p.email, w.balance_thousandths as balance, a.paid_usd as "paidUsd",
    a.frozen_at is not null as frozen, to_char(a.created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "createdAt",
    (select count(*) from keys k where k.account_id = a.account_id
      and (k.revoked_at is null or k.revoked_at > now()) and (k.expires_at is null or k.expires_at > now())) as keys
  from accounts a join wallets w using (account_id) left join account_owners p using (account_id)
  where a.test_of is null and a.deleted_at is null and ${matching === '' ? sql`true` : matches(sql, matching)}
    ${after === undefined ? sql`` : sql`and (a.created_at, a.account_id) < (select created_at, account_id from accounts where account_id = ${after})`}
  order by a.created_at desc, a.account_id desc limit ${limit}`;
  return [...rows];
}

const matches = (sql: Sql, matching: string) => {
  const text = matching.toLowerCase();
  const prefixes = [matching.slice(0, PREFIX_CHARS), ...PREFIXES.map((prefix) => prefix + matching)];
  return sql`(a.account_id::text = ${text} or strpos(lower(a.name), ${text}) > 0 or strpos(lower(p.email), ${text}) > 0
    or a.account_id in (select coalesce(o.test_of, o.account_id) from accounts o join keys k using (account_id)
      where k.prefix = any(${prefixes})))`;
};
