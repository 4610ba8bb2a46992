import { HOURLY_DAYS } from '../../../src/domain/usage.js';
import type { Sql, Transaction } from '../sql.js';
import { NO_TIME } from './plain-debits.js';

/** Hourly sums are kept for a day longer than they can be queried, for a query at midnight by a different clock. */
const HOURS_KEPT = `${HOURLY_DAYS} days`;

/** The most in one transaction, so that no charge waits long for it: 100 ms on a small machine. */
const WALLETS_AT_ONCE = 500;
const DEBITS_AT_ONCE = 20_000;
/** Of those, of one wallet. */
const DEBITS_OF_A_WALLET = 1_000;

/** Requests that began within this time may still be posted: their debits are left for the next time, in seconds. */
const SETTLING_S = 60;

/** The first id of requests that began too lately to be summed up: they may still be posted. */
export async function settledTo(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select first_id_at(now() - ${SETTLING_S} * interval '1 second') as id`;
  return row?.id ?? '';
}

/** Wallets that are looked through for due ones in one statement, by their numbers, so that no run needs an index of them. */
const WALLETS_IN_SIGHT = 50_000;

/** Wallets with more debits than one transaction sums up, which a run comes back to; others are left for the next run. */
const MOST_AGAIN = 100_000;

/** One transaction of a run, which has its time limits; undefined when there is no time left, or another node is at it. */
export type RunStep = <T>(step: (tx: Transaction) => Promise<T>) => Promise<T | undefined>;

/** An account with something to sum up, and how many debits that is at most. */
interface Due {
  readonly accountId: string;
  readonly debits: number;
}

/**
 * Sums up debits with ids before one, of all wallets: first a thousand of each, then the rest of those that have more. It
 * begins anywhere, so that no wallet is always among those for which no time is left.
 */
export async function sumAllDebits(run: RunStep, settled: string): Promise<void> {
  const again: Due[] = [];
  const sum = async (due: readonly Due[]): Promise<boolean> => {
    for (const batch of batches(due)) {
      const rest = await run((tx) => sumDebits(tx, batch, settled));
      if (rest === undefined) return false;
      for (const accountId of rest.slice(0, MOST_AGAIN - again.length))
        again.push({ accountId, debits: DEBITS_OF_A_WALLET });
    }
    return true;
  };
  const range = await run(rangeOfWallets);
  if (range === undefined) return;
  const views = Math.ceil(range.last / WALLETS_IN_SIGHT);
  for (let nth = 0; nth < views; nth += 1) {
    const view = (Math.floor(range.start * views) + nth) % views;
    const due = await run((tx) => dueWallets(tx, view * WALLETS_IN_SIGHT, settled));
    if (due === undefined || !(await sum(due))) return;
  }
  while (again.length > 0) if (!(await sum(again.splice(0)))) return;
}

/** What one transaction takes on: ids of accounts. */
function* batches(due: readonly Due[]): Generator<string[]> {
  let [batch, debits]: [string[], number] = [[], 0];
  for (const each of due) {
    if (batch.length === WALLETS_AT_ONCE || (batch.length > 0 && debits + each.debits > DEBITS_AT_ONCE)) {
      yield batch;
      [batch, debits] = [[], 0];
    }
    batch.push(each.accountId);
    debits += each.debits;
  }
  if (batch.length > 0) yield batch;
}

async function rangeOfWallets(tx: Transaction): Promise<{ last: number; start: number }> {
  const [row] = await tx<[{ last: number; start: number }]>`
    select coalesce(max(wallet_number), 0) as last, random() as start from wallets`;
  return row;
}

const dueWallets = (tx: Transaction, after: number, settled: string) => tx<Due[]>`
  select account_id as "accountId", least(last_seq - summed_seq, ${DEBITS_OF_A_WALLET}::int)::int as debits from wallets
  where wallet_number > ${after} and wallet_number <= ${after + WALLETS_IN_SIGHT} and last_seq > summed_seq and summed_to < ${settled}
  order by wallet_number`;

/** Sums up at most a thousand debits of each of some wallets: usage by hour, and what keys have spent. Returns those with more. */
async function sumDebits(tx: Transaction, due: readonly string[], settled: string): Promise<string[]> {
  // In a statement of its own: the next one sees every debit that was posted before the lock, and none is posted after it.
  const wallets = await tx<{ accountId: string }[]>`
    select account_id as "accountId" from wallets
    where account_id = any(${[...due]}::uuid[]) and last_seq > summed_seq and summed_to < ${settled}
    order by account_id for no key update skip locked`;
  const accountIds = wallets.map(({ accountId }) => accountId);
  return accountIds.length === 0 ? [] : sumUpTo(tx, accountIds, settled);
}

/** Of locked wallets. By the index of each (`offset 0`), whatever the planner knows of the current month. */
async function sumUpTo(tx: Transaction, accountIds: readonly string[], settled: string): Promise<string[]> {
  const rows = await tx<{ accountId: string; hasMore: boolean }[]>`
    with span as materialized (
      select w.account_id, w.summed_to, w.last_seq, next_id, coalesce(next_id, ${settled}::uuid) as until
      from wallets w left join lateral (
        select request_id as next_id from debits d
        where d.account_id = w.account_id and d.request_id >= w.summed_to and d.request_id < ${settled}
        order by request_id offset ${DEBITS_OF_A_WALLET} limit 1
      ) n on true
      where w.account_id = any(${[...accountIds]}::uuid[])
    ),
    entry as materialized (
      select s.account_id, date_trunc('hour', d.at, 'UTC') as hour, left(d.operation, 64) as endpoint, k.key_id,
        count(*) as requests, sum(d.items) as items, sum(d.cache_hits) as cache_hits, sum(d.amount_thousandths) as amount
      from span s
        cross join lateral (
          select * from debits d
          where d.account_id = s.account_id and d.request_id >= s.summed_to and d.request_id < s.until offset 0
        ) d
        join keys k on k.account_id = s.account_id and k.key_number = d.key_number
      group by 1, 2, 3, 4
    ),
    recent as (
      insert into usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, hour, endpoint, key_id, requests, items, cache_hits, amount
      from entry where hour >= ${keptFrom(tx)} order by 1, 2, 3, 4
      on conflict (account_id, hour, endpoint, key_id) do update set ${addedUp(tx)}
    ),
    past as (
      insert into usage_days as u (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, (hour at time zone 'UTC')::date, endpoint, key_id, sum(requests), sum(items), sum(cache_hits), sum(amount)
      from entry where hour < ${keptFrom(tx)} group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account_id, day, endpoint, key_id) do update set ${addedUp(tx)}
    ),
    spent as (
      update keys k set spent_thousandths = k.spent_thousandths + p.amount
      from (select account_id, key_id, sum(amount)::bigint as amount from entry group by 1, 2 order by 2) p
      where k.account_id = p.account_id and k.key_id = p.key_id
    )
    update wallets w set summed_to = s.until,
      -- While some are left that could be summed up, the wallet stays due.
      summed_seq = case when s.next_id is not null then w.summed_seq else s.last_seq - (
        select count(*) from debits d
        where d.account_id = s.account_id and d.request_id >= s.until and d.request_id < ${NO_TIME}::uuid
      ) end
    from span s where w.account_id = s.account_id
    returning w.account_id as "accountId", s.next_id is not null as "hasMore"`;
  return rows.filter(({ hasMore }) => hasMore).map(({ accountId }) => accountId);
}

/** Hours from here on are not folded into days yet. */
export const keptFrom = (tx: Sql | Transaction) => tx`date_trunc('day', now(), 'UTC') - ${HOURS_KEPT}::interval`;

/** In an upsert: adds what comes to what there is. */
export const addedUp = (tx: Transaction) => tx`
  requests = u.requests + excluded.requests, items = u.items + excluded.items,
  cache_hits = u.cache_hits + excluded.cache_hits,
  amount_thousandths = u.amount_thousandths + excluded.amount_thousandths`;
