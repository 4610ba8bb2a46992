import { ServiceError } from '../../src/core/errors.js';
import { HOURLY_DAYS } from '../../src/core/usage.js';
import { lockingTransaction } from './locking-transaction.js';
import type { Sql, Transaction } from './sql.js';

/** Sums by hour are kept for a day more than they are asked for: whoever asks at midnight, by another clock, finds them. */
export const HOURS_KEPT = `${HOURLY_DAYS} days`;

/** Rows of one transaction, so that nobody waits long for one of them: some 100 ms on a small machine. */
const HOURS_AT_ONCE = 5_000;
const ENTRIES_AT_ONCE = 20_000;
const NAMES_AT_ONCE = 5_000;

/** Transactions of one run at most: what is left is done by the next one. */
const MOST_STEPS = 2_000;

/** Longest that a statement of it runs, milliseconds: it is ended by the database, and tried again in the next run. */
const STATEMENT_MS = 30_000;

/** Held for the length of a transaction: one node at a time, whichever comes first. */
const MAINTENANCE_LOCK = 0x74696479;

type Step = (tx: Transaction) => Promise<number>;

/**
 * The ledger's own housekeeping, on whichever node gets the lock: what was posted before there were sums is summed up, old hours
 * are folded into days, names of days before yesterday are dropped. In short transactions; after any of them usage is the same.
 */
export async function maintainLedger(sql: Sql, signal?: AbortSignal): Promise<void> {
  let steps = 0;
  for (const step of [sumNextWallet, foldHours, dropNames]) {
    for (; steps < MOST_STEPS && !signal?.aborted; steps += 1) {
      if ((await alone(sql, step)) === 0) break;
    }
  }
}

/** Longest that a request sums up what was posted before there were sums, milliseconds: the next one goes on from there. */
const LONGEST_SUMMING_MS = 5_000;

/** Sums up all that one account posted before there were sums: nothing to do, as a rule. 503 `settling` where it takes long. */
export async function sumAccount(sql: Sql, accountId: string, withinMs = LONGEST_SUMMING_MS): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while ((await lockingTransaction(sql, (tx) => sumSome(tx, accountId))) > 0) {
    if (performance.now() >= untilMs) {
      throw new ServiceError(
        'upstream_rate_limited',
        'The usage totals of this account are still being calculated, so nothing was done. Try again in 2 s.',
        { reason: 'settling', retryAfter: 2 },
      );
    }
  }
}

/** One step, unless another node is at it; gives how much there was to do. */
function alone(sql: Sql, step: Step): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) as taken`;
    return lock?.taken ? step(tx) : 0;
  });
}

const sumNextWallet: Step = (tx) => sumSome(tx, null);

/** Some entries of one wallet, of that account or of any. Rows are written in the order in which debits write theirs. */
async function sumSome(tx: Transaction, accountId: string | null): Promise<number> {
  const [wallet] = await tx<{ accountId: string; walletId: string; from: number; to: number; until: number }[]>`
    select account_id as "accountId", wallet_id as "walletId", summed_seq as "from",
      least(summed_seq + ${ENTRIES_AT_ONCE}, until_seq) as "to", until_seq as "until"
    from usage_unsummed ${accountId === null ? tx`` : tx`where account_id = ${accountId}`}
    order by account_id, wallet_id limit 1 for update ${accountId === null ? tx`skip locked` : tx``}`;
  if (wallet === undefined) return 0;
  const { walletId, from, to, until } = wallet;
  await tx`
    with entry as materialized (
      select account_id, date_trunc('hour', at, 'UTC') as hour, left(operation, 64) as endpoint, key_id,
        count(*) as requests, sum(items) as items, sum(cache_hits) as cache_hits, sum(amount_thousandths) as amount
      from ledger_entries
      where account_id = ${wallet.accountId} and wallet_id = ${walletId} and seq > ${from} and seq <= ${to} and kind = 'debit'
      group by 1, 2, 3, 4
    ),
    recent as (
      insert into usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, hour, endpoint, key_id, requests, items, cache_hits, amount
      from entry where hour >= ${keptFrom(tx)} order by 1, 2, 3, 4
      on conflict (account_id, hour, endpoint, key_id) do update set ${added(tx)}
    )
    insert into usage_days as u (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    select account_id, (hour at time zone 'UTC')::date, endpoint, key_id, sum(requests), sum(items), sum(cache_hits), sum(amount)
    from entry where hour < ${keptFrom(tx)} group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (account_id, day, endpoint, key_id) do update set ${added(tx)}`;
  if (to < until) {
    await tx`
      update usage_unsummed set summed_seq = ${to}
      where account_id = ${wallet.accountId} and wallet_id = ${walletId}`;
  } else await tx`delete from usage_unsummed where account_id = ${wallet.accountId} and wallet_id = ${walletId}`;
  return 1;
}

const foldHours: Step = async (tx) => {
  const [row] = await tx<{ moved: number }[]>`
    with old as (
      select account_id, hour, endpoint, key_id from usage_hours where hour < ${keptFrom(tx)}
      order by hour, account_id, endpoint, key_id limit ${HOURS_AT_ONCE} for update skip locked
    ),
    moved as (
      delete from usage_hours u using old o
      where (u.account_id, u.hour, u.endpoint, u.key_id) = (o.account_id, o.hour, o.endpoint, o.key_id)
      returning u.*
    ),
    folded as (
      insert into usage_days as u (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, (hour at time zone 'UTC')::date, endpoint, key_id, sum(requests), sum(items), sum(cache_hits),
        sum(amount_thousandths)
      from moved group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account_id, day, endpoint, key_id) do update set ${added(tx)}
    )
    select count(*) as moved from moved`;
  return row?.moved ?? 0;
};

const dropNames: Step = async (tx) => {
  const dropped = await tx`
    delete from operation_names where (account_id, day) in (
      select account_id, day from operation_names where day < (now() at time zone 'UTC')::date - 1 limit ${NAMES_AT_ONCE}
    )`;
  return dropped.count;
};

const keptFrom = (tx: Transaction) => tx`date_trunc('day', now(), 'UTC') - ${HOURS_KEPT}::interval`;

const added = (tx: Transaction) => tx`
  requests = u.requests + excluded.requests, items = u.items + excluded.items,
  cache_hits = u.cache_hits + excluded.cache_hits,
  amount_thousandths = u.amount_thousandths + excluded.amount_thousandths`;
