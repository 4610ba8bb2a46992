import { ServiceError } from '../../src/core/errors.js';
import { HOURLY_DAYS } from '../../src/core/usage.js';
import { lockingTransaction } from './locking-transaction.js';
import type { Sql, Transaction } from './sql.js';

/** Hourly sums are kept for a day longer than they can be queried, for a query at midnight by a different clock. */
export const HOURS_KEPT = `${HOURLY_DAYS} days`;

/** The most rows in one transaction, so that no other waits long for them: about 100 ms on a small machine. */
const HOURS_AT_ONCE = 5_000;
const ENTRIES_AT_ONCE = 20_000;
const NAMES_AT_ONCE = 5_000;

/** The most transactions of one run: the next run does the rest. */
const MOST_STEPS = 2_000;

/**
 * The longest that one of its statements runs, in milliseconds: then the database ends it, and the next run tries
 * again.
 */
const STATEMENT_MS = 30_000;

/** Held for the length of a transaction: one node at a time, whichever is first. */
const MAINTENANCE_LOCK = 0x74696479;

type Step = (tx: Transaction) => Promise<number>;

/**
 * The ledger's own housekeeping, on whichever node gets the lock: sums up entries posted before sums existed, folds old
 * hours into days, and drops names from before yesterday. It works in short transactions, none of which changes the
 * usage reported.
 */
export async function maintainLedger(sql: Sql, signal?: AbortSignal): Promise<void> {
  let steps = 0;
  for (const step of [sumNextWallet, foldHours, dropNames]) {
    for (; steps < MOST_STEPS && !signal?.aborted; steps += 1) {
      if ((await alone(sql, step)) === 0) break;
    }
  }
}

/**
 * The longest that a request sums up entries from before sums existed, in milliseconds: the next one continues from
 * there.
 */
const LONGEST_SUMMING_MS = 5_000;

/** Sums up all that one account posted before sums existed: usually nothing. 503 `settling` where it takes long. */
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

/** One step, unless another node is doing it; returns how much there was to do. */
function alone(sql: Sql, step: Step): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select set_config('statement_timeout', ${String(STATEMENT_MS)}, true)`;
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}) as taken`;
    return lock?.taken ? step(tx) : 0;
  });
}

const sumNextWallet: Step = (tx) => sumSome(tx, null);

/** Sums up some entries of one wallet, of that account or of any. Writes rows in the same order as debits do. */
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
