import { isUuid } from '../../../src/lib/uuid.js';
import type { CapPeriod } from '../../../src/ports/accounts.js';
import type { Client, ClientStore, GrantRecord, GrantStore } from '../../../src/ports/grants.js';
import type { BeforeKey } from '../accounts/key-changes.js';
import { unsummedSpending } from '../accounts/keys.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql } from '../sql.js';
import { approve, isRefreshable, redeem } from './oauth-codes.js';
import { endGrant } from './oauth-grant-end.js';
import { refresh } from './oauth-refresh.js';

/** Grants, their codes and their refresh tokens, in Postgres. */
export const createGrantStore = (sql: Sql, beforeKey?: BeforeKey): GrantStore => ({
  approve: (code, by) => approve(sql, code, by),
  redeem: (request, issue) => redeem(sql, request, issue, beforeKey),
  refresh: (request) => refresh(sql, request, beforeKey),
  findByToken: (hashes) => findByToken(sql, hashes),
  async revoke(of, by, now) {
    if (!isUuid(of.grantId) || !isUuid(of.accountId)) return false;
    if (await lockingTransaction(sql, (tx) => endGrant(tx, of, by, { now, why: 'asked' }))) return true;
    const [ended] = await sql`
      select from oauth_grants where account_id = ${of.accountId} and grant_id = ${of.grantId}`;
    return ended !== undefined;
  },
  list: (accountId, limit) => list(sql, accountId, limit),
  sweep: (before) => sweep(sql, before),
});

async function findByToken(sql: Sql, { keyHash, refreshHash }: Parameters<GrantStore['findByToken']>[0]) {
  const [row] = await sql<{ accountId: string; grantId: string; clientId: string }[]>`
    select account_id as "accountId", grant_id as "grantId", client_id as "clientId"
    from oauth_grants where (account_id, grant_id) in (
      select account_id, grant_id from oauth_refresh_tokens where hash = ${refreshHash}
      union all select account_id, grant_id from keys where hash = ${keyHash}
    )`;
  return row;
}

interface Row {
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly isConnected: boolean;
  readonly keyPrefix: string;
  readonly amount: number | null;
  readonly period: CapPeriod | null;
  readonly capSpent: number | null;
  readonly spent: number;
}

async function list(sql: Sql, accountId: string, limit: number): Promise<GrantRecord[]> {
  const rows = await sql<Row[]>`
    with unsummed as materialized (${unsummedSpending(sql, accountId)}),
    key as materialized (
      select k.grant_id, sum(k.spent_thousandths + coalesce(u.spent, 0))::bigint as spent,
        (array_agg(k.prefix order by k.created_at desc))[1] as prefix,
        (array_agg(k.cap_id order by k.created_at desc))[1] as cap_id,
        bool_or(k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) as works
      from keys k left join unsummed u using (key_number)
      where k.account_id = ${accountId} and k.grant_id is not null group by k.grant_id
    ),
    cap as materialized (
      select cap_id, cap_thousandths, period,
        case when period_start >= period_began(period, now()) then spent_thousandths else 0 end as spent
      from spend_caps where account_id = ${accountId}
    ),
    shown as materialized (
      select grant_id, client_id, client_name, created_at, revoked_at,
        ${isRefreshable(sql, sql`now()`)} as refreshable
      from oauth_grants g where account_id = ${accountId}
      order by refreshable desc, created_at desc, grant_id limit ${limit}
    )
    select g.grant_id as "grantId", g.client_id as "clientId", g.client_name as "clientName",
      g.created_at as "createdAt", g.revoked_at as "revokedAt", g.refreshable or k.works as "isConnected", k.prefix as "keyPrefix",
      c.cap_thousandths as amount, c.period, c.spent as "capSpent", k.spent
    from shown g join key k using (grant_id) left join cap c using (cap_id)
    order by g.created_at desc, g.grant_id`;
  return rows.map(({ amount, period, capSpent, createdAt, revokedAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    cap: amount === null || period === null ? null : { amount, period, spent: capSpent ?? 0 },
  }));
}

/** Registered clients that no customer has ever approved: at most 160 MB of them. */
const MOST_UNUSED = 20_000;

/** A client is kept while it can still refresh a token. */
async function sweep(sql: Sql, { endedBefore, idleSince }: Parameters<GrantStore['sweep']>[0]) {
  await sql`delete from one_time_tokens where kind = 'code' and expires_at < ${endedBefore}`;
  await sql`delete from oauth_refresh_tokens where expires_at < ${endedBefore}`;
  const { count } = await sql`
    delete from oauth_clients c where coalesce(c.used_at, c.created_at) < ${idleSince} and not exists (
      select from oauth_grants g join oauth_refresh_tokens t using (account_id, grant_id)
      where g.client_id = c.client_id and g.revoked_at is null
    )`;
  // One person with many IP addresses may register many clients, so the oldest are deleted, and no new client is
  // refused.
  const unused = await sql`
    delete from oauth_clients where client_id in (
      select client_id from oauth_clients where used_at is null order by created_at desc offset ${MOST_UNUSED}
    )`;
  return { clients: count + unused.count };
}

/** Clients that registered themselves, in Postgres. */
export const createClientStore = (sql: Sql): ClientStore => ({
  async add({ clientId, name, uri, redirectUris }, at) {
    await sql`
      insert into oauth_clients (client_id, name, uri, redirect_uris, created_at)
      values (${clientId}, ${name}, ${uri}, ${[...redirectUris]}::text[], ${at})`;
  },
  async find(clientId) {
    const [row] = await sql<Client[]>`
      select client_id as "clientId", name, uri, redirect_uris as "redirectUris"
      from oauth_clients where client_id = ${clientId}`;
    return row;
  },
});
