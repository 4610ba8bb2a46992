import type { Debit } from '../../src/ports/truth.js';
import type { Sql } from './sql.js';

/** What the statement did with one debit. `crowded`: earlier ones of the same statement took what it needed. */
export interface DebitRow {
  readonly outcome: 'posted' | 'balance' | 'key_cap' | 'crowded' | 'missing';
  readonly balance_after: number | null;
}

/**
 * Posts a batch of debits as one statement, which is one durable commit; rows in the order of the batch. Fails whole, with a
 * unique violation, when one of the request ids is posted already.
 *
 * A debit that the wallet or the cap does not cover by itself takes nothing and leaves room for the others. Of the rest, in
 * order of arrival, all go through that fit beside those before them; at least the first of each wallet does.
 */
export async function postDebits(sql: Sql, debits: readonly Debit[]): Promise<DebitRow[]> {
  return sql<DebitRow[]>`
    with input as materialized (${rowsOf(sql, debits)}),
    ${lockedRows(sql)},
    ${judgedRows(sql)},
    entries as (
      insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
        operation, items, cache_hits, lines, at)
      select account_id, wallet_id, seq, request_id, 'debit', amount, balance_after, key_id,
        operation, items, cache_hits, lines::jsonb,
        -- One that began before midnight and waited for one from after it counts to the new day, and says so.
        greatest(now(), began)
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
    spent as (
      update keys k set spent_thousandths = p.spent, counted_thousandths = p.spent
      from (
        select key_id, (min(key_spent) + sum(amount))::bigint as spent from judged where outcome = 'posted' group by 1
      ) p
      where k.key_id = p.key_id
    ),
    capped as (
      update spend_caps c set cap_thousandths = p.cap, spent_thousandths = p.spent, period_start = p.began
      from (
        select cap_id, min(cap) as cap, min(began) as began, (min(cap_spent) + sum(amount))::bigint as spent
        from judged where outcome = 'posted' and cap_id is not null group by 1
      ) p
      where c.cap_id = p.cap_id
    )
    select outcome, balance_after::bigint from judged order by ord`;
}

/** The batch as rows, numbered by `ord`. */
const rowsOf = (sql: Sql, debits: readonly Debit[]) => sql`
  select * from unnest(
    ${debits.map((debit) => debit.accountId)}::uuid[],
    ${debits.map((debit) => debit.walletId)}::uuid[],
    ${debits.map((debit) => debit.keyId)}::uuid[],
    ${debits.map((debit) => debit.requestId)}::uuid[],
    ${debits.map((debit) => debit.operation)}::text[],
    ${debits.map((debit) => debit.amount)}::bigint[],
    ${debits.map((debit) => debit.items)}::int[],
    ${debits.map((debit) => debit.cacheHits)}::int[],
    ${debits.map((debit) => JSON.stringify(debit.lines))}::text[]
  ) with ordinality as i(account_id, wallet_id, key_id, request_id, operation, amount, items, cache_hits, lines, ord)`;

/**
 * The wallets, keys and caps, locked; always in this order and each in the order of their ids, so that nodes never wait for
 * each other in a ring. Joins here are on one column: on two, Postgres expects a single row and nests loops over the batch.
 */
const lockedRows = (sql: Sql) => sql`
  wallet as materialized (
    select w.account_id, w.wallet_id, w.balance_thousandths as balance, w.last_seq
    from (select distinct account_id from input) i join wallets w using (account_id)
    order by w.account_id for no key update of w
  ),
  key as materialized (
    select k.key_id, k.account_id, k.wallet_id, k.spent_thousandths as key_spent, k.cap_id
    from (select distinct key_id from input) i join keys k using (key_id)
    where (select count(*) from wallet) > 0
    order by k.key_id for no key update of k
  ),
  held_cap as materialized (
    select c.cap_id, c.cap_thousandths as cap, c.spent_thousandths, c.period, c.period_start
    from (select distinct cap_id from key where cap_id is not null) k join spend_caps c using (cap_id)
    order by c.cap_id for no key update of c
  ),
  cap as materialized (
    select cap_id, cap, greatest(period_start, period_began(period, now())) as began,
      case when period_start >= period_began(period, now()) then spent_thousandths else 0 end as cap_spent
    from held_cap
  )`;

/** Each debit with its outcome; those posted with the entry's number and the balance after it. */
const judgedRows = (sql: Sql) => sql`
  judged as materialized (
    select *,
      last_seq + count(*) filter (where outcome = 'posted') over earlier as seq,
      balance - sum(amount) filter (where outcome = 'posted') over earlier as balance_after
    from (
      select *, coalesce(refusal, case
        when sum(amount) filter (where refusal is null) over (partition by account_id order by ord) > balance then 'crowded'
        when cap_spent + sum(amount) filter (where refusal is null) over (partition by cap_id order by ord) > cap
          then 'crowded'
        else 'posted' end) as outcome
      from (
        select i.*, w.balance, w.last_seq, k.key_spent, k.cap_id, c.cap, c.cap_spent, c.began, case
          when (w.wallet_id, k.account_id, k.wallet_id) is distinct from (i.wallet_id, i.account_id, i.wallet_id) then 'missing'
          when i.amount > w.balance then 'balance'
          when c.cap_spent + i.amount > c.cap then 'key_cap'
          -- The key got its cap while this statement waited for its row, and does not see it: the next one does.
          when k.cap_id is not null and c.cap_id is null then 'crowded' end as refusal
        from input i left join wallet w using (account_id) left join key k using (key_id) left join cap c using (cap_id)
      ) alone
    ) together
    window earlier as (partition by account_id order by ord)
  )`;

/** The balances after those of the debits that are posted already, by position. */
export async function findPosted(sql: Sql, debits: readonly Debit[]): Promise<(number | undefined)[]> {
  const rows = await sql<{ position: number; balance_after: number }[]>`
    select i.ord - 1 as position, e.balance_after
    from unnest(
      ${debits.map((debit) => debit.accountId)}::uuid[],
      ${debits.map((debit) => debit.requestId)}::uuid[]
    ) with ordinality as i(account_id, request_id, ord)
    join ledger_entries e using (account_id, request_id)`;
  const found: (number | undefined)[] = debits.map(() => undefined);
  for (const row of rows) found[row.position] = row.balance_after;
  return found;
}
