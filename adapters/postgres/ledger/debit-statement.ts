import type { Debit } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';
import type { FlushMode } from './group-commit-options.js';
import { type Entry, NO_TIME, receiptText } from './plain-debits.js';

/**
 * What the statement did with one debit. `retry`: earlier debits of the same statement took what it needed, or its key
 * got a cap meanwhile. `locked`: another transaction has locked its wallet, key or cap, or one of these does not exist; a
 * statement that waits finds out which.
 */
export interface DebitRow {
  readonly outcome: 'posted' | 'balance' | 'key_cap' | 'retry' | 'locked' | 'missing';
  readonly seq: number;
  readonly balance_after: number | null;
}

/** What the statement does where a row is locked. */
export type LockMode = Exclude<FlushMode, 'plain'>;

/** The longest that a statement waits for one lock before it fails, having done nothing (55P03). */
const LOCK_TIMEOUT_MS = 300;

/**
 * Posts a batch of debits as one statement, which is one durable commit; rows in the order of the batch. The whole
 * statement fails with a unique violation when one of the request ids is already posted.
 *
 * A debit that its wallet or cap does not cover on its own takes nothing and leaves room for the others. The rest are
 * posted in order of arrival where they fit beside those before them; at least the first of each wallet is posted.
 *
 * With `skipLocked` it waits for no locked row; with `waitForLock`, at most 300 ms for each.
 */
export async function postDebits(sql: Sql, debits: readonly Debit[], mode: LockMode): Promise<DebitRow[]> {
  return sql<DebitRow[]>`
    with input as materialized (${debitRows(sql, debits)}),
    ${lockedRows(sql, mode)},
    ${judgedRows(sql, mode)},
    entries as (
      insert into debits (account_id, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
        operation, lines, at)
      select account_id, request_id, seq, amount, balance_after, key_number, items, cache_hits, operation, lines, at
      from judged where outcome = 'posted'
    ),
    -- Whole values out of the locked rows, not differences: constraints are checked against this statement's older snapshot
    -- before the update finds the row's newest version.
    paid as (
      update wallets w set balance_thousandths = p.balance, last_seq = p.last_seq
      from (
        select account_id, min(balance_after)::bigint as balance, max(seq) as last_seq
        from judged where outcome = 'posted' group by 1
      ) p
      where w.account_id = p.account_id
    ),
    -- Sums are made beyond its id already, or never will be: it is added now.
    late as materialized (
      select * from judged where outcome = 'posted'
        and (request_id < summed_to or request_id >= ${NO_TIME}::uuid)
    ),
    spent as (
      update keys k set spent_thousandths = p.spent
      from (
        select account_id, key_id, (min(key_spent) + sum(amount))::bigint as spent from late group by 1, 2
      ) p
      where k.account_id = p.account_id and k.key_id = p.key_id
    ),
    used as (
      insert into usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
      select account_id, date_trunc('hour', at, 'UTC') as hour, left(operation, 64) as endpoint, key_id,
        count(*), sum(items), sum(cache_hits), sum(amount)
      from late group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (account_id, hour, endpoint, key_id) do update set
        requests = u.requests + excluded.requests,
        items = u.items + excluded.items,
        cache_hits = u.cache_hits + excluded.cache_hits,
        amount_thousandths = u.amount_thousandths + excluded.amount_thousandths
    ),
    capped as (
      update spend_caps c set cap_thousandths = p.cap, spent_thousandths = p.spent, period_start = p.began
      from (
        select account_id, cap_id, min(cap) as cap, min(began) as began, (min(cap_spent) + sum(amount))::bigint as spent
        from judged where outcome = 'posted' and cap_id is not null group by 1, 2
      ) p
      where c.account_id = p.account_id and c.cap_id = p.cap_id
    )
    select outcome, seq::bigint, balance_after::bigint from judged order by ord`;
}

/** The batch as rows, numbered by `ord`. */
const debitRows = (sql: Sql, debits: readonly Debit[]) => sql`
  select * from unnest(
    ${debits.map((debit) => debit.accountId)}::uuid[],
    ${debits.map((debit) => debit.walletId)}::uuid[],
    ${debits.map((debit) => debit.keyId)}::uuid[],
    ${debits.map((debit) => debit.requestId)}::uuid[],
    ${debits.map((debit) => debit.operation)}::text[],
    ${debits.map((debit) => debit.amount)}::bigint[],
    ${debits.map((debit) => debit.items)}::int[],
    ${debits.map((debit) => debit.cacheHits)}::int[],
    ${debits.map((debit) => receiptText(debit))}::text[]
  ) with ordinality as i(account_id, wallet_id, key_id, request_id, operation, amount, items, cache_hits, lines, ord)`;

/**
 * The wallets, keys and caps, locked; always in this order and each in the order of their ids, so that nodes never
 * deadlock. Each is found by its account, by the index (`lateral`), whatever the planner knows of the tables.
 */
const lockedRows = (sql: Sql, mode: LockMode) => sql`
  wallet as materialized (
    select w.* from (select distinct account_id from input order by 1) i cross join lateral (
      select w.account_id, w.wallet_id, w.balance_thousandths as balance, w.last_seq, w.summed_to
      from wallets w where w.account_id = i.account_id for no key update ${lockedOnes(sql, mode)}
    ) w
    -- For this statement only, whatever connection or pooler it comes by; it counts from the first lock on.
    where (select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)) is not null
  ),
  key as materialized (
    select k.* from (select distinct key_id, account_id from input order by 1) i cross join lateral (
      select k.key_id, k.account_id, k.wallet_id, k.key_number, k.spent_thousandths as key_spent, k.cap_id
      from keys k where k.account_id = i.account_id and k.key_id = i.key_id for no key update ${lockedOnes(sql, mode)}
    ) k
    where (select count(*) from wallet) > 0
  ),
  held_cap as materialized (
    select c.* from (select distinct cap_id, account_id from key where cap_id is not null order by 1) k cross join lateral (
      select c.cap_id, c.cap_thousandths as cap, c.spent_thousandths, c.period, c.period_start
      from spend_caps c where c.account_id = k.account_id and c.cap_id = k.cap_id for no key update ${lockedOnes(sql, mode)}
    ) c
  ),
  cap as materialized (
    select cap_id, cap, greatest(period_start, period_began(period, now())) as began,
      case when period_start >= period_began(period, now()) then spent_thousandths else 0 end as cap_spent
    from held_cap
  )`;

const lockedOnes = (sql: Sql, mode: LockMode) => (mode === 'skipLocked' ? sql`skip locked` : sql``);

/**
 * Each debit with its outcome; those posted with the entry's number and the balance after it. Joins here are on one column:
 * on two, Postgres expects a single row and nests loops over the batch.
 */
const judgedRows = (sql: Sql, mode: LockMode) => sql`
  judged as materialized (
    select *,
      last_seq + count(*) filter (where outcome = 'posted') over earlier as seq,
      balance - sum(amount) filter (where outcome = 'posted') over earlier as balance_after
    from (
      select *, coalesce(refusal, case
        when sum(amount) filter (where refusal is null) over (partition by account_id order by ord) > balance then 'retry'
        when cap_spent + sum(amount) filter (where refusal is null) over (partition by cap_id order by ord) > cap
          then 'retry'
        else 'posted' end) as outcome
      from (
        select i.*, w.balance, w.last_seq, w.summed_to, k.key_number, k.key_spent, k.cap_id, c.cap, c.cap_spent,
          c.began,
          -- One that began before midnight and waited for one from after it counts to the new day, and says so.
          greatest(now(), c.began) as at, case
          ${mode === 'skipLocked' ? sql`when w.account_id is null or k.key_id is null then 'locked'` : sql``}
          when (w.wallet_id, k.account_id, k.wallet_id) is distinct from (i.wallet_id, i.account_id, i.wallet_id) then 'missing'
          when i.amount > w.balance then 'balance'
          when c.cap_spent + i.amount > c.cap then 'key_cap'
          -- The key got its cap while this statement waited for its row, and does not see it: the next one does.
          when k.cap_id is not null and c.cap_id is null then ${mode === 'skipLocked' ? sql`'locked'` : sql`'retry'`} end as refusal
        from input i left join wallet w using (account_id) left join key k using (key_id) left join cap c using (cap_id)
      ) alone
    ) together
    window earlier as (partition by account_id order by ord)
  )`;

/** As it was posted first: a repeat of an id may have another amount. */
export interface PostedEntry extends Entry {
  readonly amount: number;
}

/** The results of those debits that are already posted, by position. */
export async function findPosted(sql: Sql, debits: readonly Debit[]): Promise<(PostedEntry | undefined)[]> {
  const rows = await sql<(PostedEntry & { position: number })[]>`
    select i.ord - 1 as position, e.balance_after as balance, e.seq, e.amount_thousandths as amount
    from unnest(
      ${debits.map((debit) => debit.accountId)}::uuid[],
      ${debits.map((debit) => debit.requestId)}::uuid[]
    ) with ordinality as i(account_id, request_id, ord)
    join debits e using (account_id, request_id)`;
  const found: (PostedEntry | undefined)[] = debits.map(() => undefined);
  for (const { position, ...entry } of rows) found[position] = entry;
  return found;
}
