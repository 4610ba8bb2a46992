import type { AccountsQuery, ListedAccount } from '../../../src/ports/operator.js';
import type { Sql } from '../sql.js';

/** Characters of a key that are kept, by which a whole key is found. */
const PREFIX_CHARS = 17;
const PREFIXES = ['perch_live_', 'perch_test_'];

/**
 * The newest accounts, at most `limit`. A key of a test account finds the account that it belongs to. A search reads
 * every account, so it is for operators, not for requests.
 */
export async function listAccounts(sql: Sql, { matching = '', after, limit }: AccountsQuery): Promise<ListedAccount[]> {
  // Tables that are on the servers of accounts are each read in a subquery of their own.
  const rows = await sql<ListedAccount[]>`
  with keyed as materialized (${matching === '' ? sql`select null::uuid as account_id limit 0` : ofKeys(sql, matching)}),
  page as materialized (
  select a.account_id, a.name, p.email, a.paid_usd, a.frozen_at, a.created_at
  from accounts a left join account_owners p using (account_id)
  where a.test_of is null and a.deleted_at is null and ${matching === '' ? sql`true` : matches(sql, matching)}
    ${after === undefined ? sql`` : sql`and (a.created_at, a.account_id) < (select created_at, account_id from accounts where account_id = ${after})`}
  order by a.created_at desc, a.account_id desc limit ${limit}
  ),
  wallet as materialized (
    select account_id, balance_thousandths from wallets where account_id in (select account_id from page)
  ),
  working as materialized (
    select account_id, count(*) as keys from keys
    where account_id in (select account_id from page)
      and (revoked_at is null or revoked_at > now()) and (expires_at is null or expires_at > now())
    group by 1
  )
  select account_id as "accountId", name, email, balance_thousandths as balance, paid_usd as "paidUsd",
    frozen_at is not null as frozen, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "createdAt", coalesce(keys, 0) as keys
  from page join wallet using (account_id) left join working using (account_id)
  order by created_at desc, account_id desc`;
  return [...rows];
}

const matches = (sql: Sql, matching: string) => {
  const text = matching.toLowerCase();
  return sql`(a.account_id::text = ${text} or strpos(lower(a.name), lower(${matching})) > 0 or strpos(lower(p.email), ${text}) > 0
    or a.account_id in (select account_id from keyed))`;
};

const ofKeys = (sql: Sql, matching: string) => {
  const prefixes = [matching.slice(0, PREFIX_CHARS), ...PREFIXES.map((prefix) => prefix + matching)];
  return sql`
    select coalesce(o.test_of, o.account_id) as account_id from accounts o join keys k using (account_id)
    where k.prefix = any(${prefixes})`;
};
