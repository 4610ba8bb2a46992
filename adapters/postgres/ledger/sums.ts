import { HOURLY_DAYS } from '../../../src/domain/usage.js';
import type { Sql, Transaction } from '../sql.js';
import { NO_TIME } from './plain-debits.js';

/** Hourly sums are kept for a day longer than they can be queried, for a query at midnight by a different clock. */
const HOURS_KEPT = `${HOURLY_DAYS} days`;

/** The most in one transaction (of debits: for each wallet), so that no other waits long: 100 ms on a small machine. */
const WALLETS_AT_ONCE = 50;
const DEBITS_AT_ONCE = 1_000;

/** Requests that began within this time may still be posted: their debits are left for the next time, in seconds. */
const SETTLING_S = 60;

/** The first id of requests that began too lately to be summed up: they may still be posted. */
export async function settledTo(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select first_id_at(now() - ${SETTLING_S} * interval '1 second') as id`;
  return row?.id ?? '';
}

/**
 * Sums up debits that came after the sums, those before an id, of some wallets and a thousand each: usage by hour, and
 * what keys have spent. Returns the number of wallets.
 */
export async function sumDebits(tx: Transaction, settled: string): Promise<number> {
  // In a statement of its own: the next one sees every debit that was posted before the lock, and none is posted after it.
  const wallets = await tx<{ accountId: string }[]>`
    select account_id as "accountId" from wallets where last_seq > summed_seq and summed_to < ${settled}
    limit ${WALLETS_AT_ONCE} for no key update skip locked`;
  const accountIds = wallets.map(({ accountId }) => accountId);
  if (accountIds.length > 0) await sumUpTo(tx, accountIds, settled);
  return accountIds.length;
}

/** Of locked wallets. By the index of each (`offset 0`), whatever the planner knows of the current month. */
async function sumUpTo(tx: Transaction, accountIds: readonly string[], settled: string): Promise<void> {
  await tx`
    with span as materialized (
      select w.account_id, w.wallet_number, w.summed_to, w.last_seq, next_id, coalesce(next_id, ${settled}::uuid) as until
      from wallets w left join lateral (
        select request_id as next_id from debits d
        where d.wallet_number = w.wallet_number and d.request_id >= w.summed_to and d.request_id < ${settled}
        order by request_id offset ${DEBITS_AT_ONCE} limit 1
      ) n on true
      where w.account_id = any(${[...accountIds]}::uuid[])
    ),
    entry as materialized (
      select s.account_id, date_trunc('hour', d.at, 'UTC') as hour, left(d.operation, 64) as endpoint, k.key_id,
        count(*) as requests, sum(d.items) as items, sum(d.cache_hits) as cache_hits, sum(d.amount_thousandths) as amount
      from span s
        cross join lateral (
          select * from debits d
          where d.wallet_number = s.wallet_number and d.request_id >= s.summed_to and d.request_id < s.until offset 0
        ) d
        join keys k on k.account_id = s.account_id and k.key_number = d.key_number
      group by 1, 2, 3, 4
    ),
    recent as (
      insert into usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, hour, endpoint, key_id, requests, items, cache_hits, amount
      from entry where hour >= ${keptFrom(tx)} order by 1, 2, 3, 4
      on conflict (account_id, hour, endpoint, key_id) do update set ${plus(tx)}
    ),
    past as (
      insert into usage_days as u (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, (hour at time zone 'UTC')::date, endpoint, key_id, sum(requests), sum(items), sum(cache_hits), sum(amount)
      from entry where hour < ${keptFrom(tx)} group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account_id, day, endpoint, key_id) do update set ${plus(tx)}
    ),
    spent as (
      update keys k set spent_thousandths = k.spent_thousandths + p.amount, counted_thousandths = k.counted_thousandths + p.amount
      from (select account_id, key_id, sum(amount)::bigint as amount from entry group by 1, 2 order by 2) p
      where k.account_id = p.account_id and k.key_id = p.key_id
    )
    update wallets w set summed_to = s.until,
      -- While some are left that could be summed up, the wallet stays due.
      summed_seq = case when s.next_id is not null then w.summed_seq else s.last_seq - (
        select count(*) from debits d
        where d.wallet_number = s.wallet_number and d.request_id >= s.until and d.request_id < ${NO_TIME}::uuid
      ) end
    from span s where w.account_id = s.account_id`;
}

/** Hours from here on are not folded into days yet. */
export const keptFrom = (tx: Sql | Transaction) => tx`date_trunc('day', now(), 'UTC') - ${HOURS_KEPT}::interval`;

/** In an upsert: adds what comes to what there is. */
export const plus = (tx: Transaction) => tx`
  requests = u.requests + excluded.requests, items = u.items + excluded.items,
  cache_hits = u.cache_hits + excluded.cache_hits,
  amount_thousandths = u.amount_thousandths + excluded.amount_thousandths`;
