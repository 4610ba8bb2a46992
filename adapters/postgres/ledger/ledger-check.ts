import type { LedgerFault } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';
import { NO_TIME } from './plain-debits.js';
import { keptFrom } from './sums.js';

/** The most faults that are named: the first few show what happened, and a million would only fill the memory. */
const MOST_FAULTS = 1000;

/** Checks every invariant over the whole database, in one snapshot; safe beside a running service. */
export async function checkLedger(sql: Sql): Promise<{ wallets: number; entries: number; faults: LedgerFault[] }> {
  return sql.begin('isolation level repeatable read read only', async (moment) => {
    // An operator's query over the whole database.
    await moment`select set_config('statement_timeout', '0', true)`;
    const [counts] = await moment<{ wallets: number; entries: number }[]>`
      select (select count(*) from wallets) as wallets, (select count(*) from ledger_entries) as entries`;
    const faults = await moment<LedgerFault[]>`${invariants(sql)} limit ${MOST_FAULTS}`;
    return { wallets: counts?.wallets ?? 0, entries: counts?.entries ?? 0, faults: [...faults] };
  });
}

/** One branch per invariant, each selecting the rows that break it. */
const invariants = (sql: Sql) => sql`
  with ${sums(sql)},
  fault(invariant, "walletId", detail) as (
    ${entryFaults(sql)} union all ${lineFaults(sql)} union all ${walletFaults(sql)} union all ${keyFaults(sql)}
    union all ${saleFaults(sql)} union all ${usageFaults(sql)} union all ${archiveFaults(sql)}
  )
  select invariant, coalesce("walletId"::text, 'none') as "walletId", detail from fault`;

/** What an entry adds to its wallet. */
const signed = (sql: Sql) =>
  sql`case when kind in ('debit', 'reversal', 'hold') then -amount_thousandths else amount_thousandths end`;

const sums = (sql: Sql) => sql`
  link as (
    select account_id, wallet_id, seq as first_seq, seq, kind, amount_thousandths, balance_after from ledger_entries
    union all
    select account_id, wallet_id, first_seq, a.last_seq, 'debit', amount_thousandths, balance_after
    from archived_debits a left join wallets using (wallet_number)
  ),
  chain as (
    select *, lag(seq, 1, 0::bigint) over earlier as seq_before, lag(balance_after, 1, 0::bigint) over earlier as balance_before
    from link window earlier as (partition by account_id, wallet_id order by first_seq)
  ),
  line as (
    select account_id, wallet_id, seq, sum((line ->> 'items')::numeric) as items,
      sum((line ->> 'items')::numeric * (line ->> 'unitPrice')::numeric) as amount,
      coalesce(sum((line ->> 'items')::numeric) filter (where line ->> 'cache' = 'hit'), 0) as hits
    from ledger_entries, jsonb_array_elements(lines) as line group by 1, 2, 3
  ),
  total as (
    select account_id, wallet_id, max(seq) as last_seq, (array_agg(balance_after order by seq desc))[1] as last_balance,
      sum(${signed(sql)}) as balance
    from link group by 1, 2
  ),
  by_key as (
    select account_id, wallet_id, key_id, sum(amount_thousandths) as spent
    from (
      select account_id, wallet_id, key_id, amount_thousandths from ledger_entries where kind = 'debit'
      union all
      select account_id, wallet_id, key_id, amount_thousandths from archived_usage left join wallets using (account_id)
    ) debit group by 1, 2, 3
  ),
  unsummed as (
    select account_id, key_id, sum(amount_thousandths) as spent
    from unsummed_debits join keys using (account_id, key_number) group by 1, 2
  ),
  by_hour as (
    select account_id, date_trunc('hour', at, 'UTC') as hour, left(operation, 64) as endpoint, key_id, count(*) as requests,
      sum(items) as items, sum(cache_hits) as hits, sum(amount_thousandths) as amount
    from debits join wallets using (wallet_number) join keys using (account_id, key_number)
    where request_id < summed_to or request_id >= ${NO_TIME}::uuid group by 1, 2, 3, 4
  ),
  summed_hour as (
    select account_id, hour, endpoint, key_id, requests, items, cache_hits as hits, amount_thousandths as amount from usage_hours
  )`;

const entryFaults = (sql: Sql) => sql`
  select 'seq_gapless', wallet_id, format('entry %s follows %s', first_seq, seq_before)
  from chain where first_seq <> seq_before + 1
  union all
  select 'balance_chain', wallet_id, format('entry %s: %s, then %s %s, but %s after', seq, balance_before, kind,
    amount_thousandths, balance_after)
  from chain where balance_after <> balance_before + ${signed(sql)}
  union all
  select 'amount_positive', wallet_id, format('entry %s: %s', seq, amount_thousandths)
  from ledger_entries where amount_thousandths <= 0
  union all
  select 'never_negative', wallet_id, format('entry %s: %s after', seq, balance_after)
  from ledger_entries where balance_after < 0`;

const lineFaults = (sql: Sql) => sql`
  select 'lines_amount', e.wallet_id, format('entry %s: lines of %s, amount %s', e.seq, l.amount, e.amount_thousandths)
  from ledger_entries e left join line l using (account_id, wallet_id, seq)
  where e.kind = 'debit' and l.amount is distinct from e.amount_thousandths
  union all
  select 'lines_items', e.wallet_id, format('entry %s: lines of %s items, %s of them hits, but %s and %s', e.seq, l.items,
    l.hits, e.items, e.cache_hits)
  from ledger_entries e left join line l using (account_id, wallet_id, seq)
  where e.kind = 'debit' and (l.items, l.hits) is distinct from (e.items::numeric, e.cache_hits::numeric)`;

const walletFaults = (sql: Sql) => sql`
  select 'never_negative', wallet_id, format('the wallet holds %s', balance_thousandths)
  from wallets where balance_thousandths < 0
  union all
  select 'wallet_last', coalesce(w.wallet_id, t.wallet_id), format('the wallet is at %s with %s, its entries at %s with %s',
    w.last_seq, w.balance_thousandths, t.last_seq, t.last_balance)
  from wallets w full join total t on w.account_id = t.account_id and w.wallet_id = t.wallet_id
  where (w.last_seq, w.balance_thousandths) is distinct from (coalesce(t.last_seq, 0), coalesce(t.last_balance, 0))
  union all
  select 'wallet_sum', w.wallet_id, format('the wallet holds %s, what came in less what went out is %s', w.balance_thousandths,
    coalesce(t.balance, 0))
  from wallets w left join total t using (account_id, wallet_id)
  where w.balance_thousandths <> coalesce(t.balance, 0)`;

const keyFaults = (sql: Sql) => sql`
  select 'key_spent', coalesce(k.wallet_id, s.wallet_id), format('key %s: %s noted, %s in debits',
    coalesce(k.prefix, s.key_id::text), k.spent_thousandths + coalesce(u.spent, 0), coalesce(s.spent, 0))
  from keys k full join by_key s
    on k.account_id = s.account_id and k.wallet_id = s.wallet_id and k.key_id = s.key_id
    left join unsummed u on u.account_id = k.account_id and u.key_id = k.key_id
  where k.spent_thousandths + coalesce(u.spent, 0) is distinct from coalesce(s.spent, 0)
  union all
  select 'key_cap', w.wallet_id, format('cap %s: %s of %s', cap_id, c.spent_thousandths, cap_thousandths)
  from spend_caps c join wallets w using (account_id) where c.spent_thousandths > cap_thousandths
  union all
  select 'cap_spent', w.wallet_id, format('cap %s: %s noted, %s in debits', cap_id, c.spent_thousandths, s.spent)
  from spend_caps c join wallets w using (account_id) cross join lateral (
    select coalesce(sum(amount_thousandths), 0) as spent from (
      select e.amount_thousandths from keys k join ledger_entries e using (account_id, key_id)
      where k.cap_id = c.cap_id and e.kind = 'debit' and e.at >= c.period_start
      union all
      -- All periods begin with a day.
      select a.amount_thousandths from keys k join archived_usage a using (account_id, key_id)
      where k.cap_id = c.cap_id and a.day >= (c.period_start at time zone 'UTC')::date
    ) debit
  ) s
  where c.spent_thousandths <> s.spent`;

/** Purchases, reversals and returns are those of the sales. */
const saleFaults = (sql: Sql) => sql`
  select 'sales_sum', w.wallet_id, format('%s bought and %s taken back by sales, but %s and %s by entries',
    coalesce(s.bought, 0), coalesce(s.taken, 0), coalesce(e.bought, 0), coalesce(e.taken, 0))
  from wallets w left join (
    select account_id, sum(credits_thousandths) filter (where state = 'paid') as bought, sum(reversed_thousandths) as taken
    from sales group by 1
  ) s using (account_id) left join (
    select account_id, sum(amount_thousandths) filter (where kind = 'purchase') as bought,
      sum(case kind when 'return' then -amount_thousandths else amount_thousandths end) filter (where kind <> 'purchase') as taken
    from ledger_entries where kind in ('purchase', 'reversal', 'hold', 'return') group by 1
  ) e using (account_id)
  where (coalesce(s.bought, 0), coalesce(s.taken, 0)) is distinct from (coalesce(e.bought, 0), coalesce(e.taken, 0))`;

/** The sums from which usage is answered, compared with the entries: by day, and by hour while hours are kept. */
const usageFaults = (sql: Sql) => sql`
  ${unlike(sql, sql`day::text`)}
  from (
    select account_id, day, endpoint, key_id, sum(requests) as requests, sum(items) as items, sum(hits) as hits,
      sum(amount) as amount
    from (
      select account_id, (hour at time zone 'UTC')::date as day, endpoint, key_id, requests, items, hits, amount from summed_hour
      union all
      select account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths from usage_days
    ) sums group by 1, 2, 3, 4
  ) s full join (
    select account_id, day, endpoint, key_id, sum(requests) as requests,
      sum(items) as items, sum(hits) as hits, sum(amount) as amount
    from (
      select account_id, (hour at time zone 'UTC')::date as day, endpoint, key_id, requests, items, hits, amount from by_hour
      union all
      select account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths from archived_usage
    ) debit group by 1, 2, 3, 4
  ) e using (account_id, day, endpoint, key_id) left join wallets w using (account_id)
  where (s.requests, s.items, s.hits, s.amount) is distinct from (e.requests, e.items, e.hits, e.amount)
  union all
  ${unlike(sql, sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD HH24:00')`)}
  from (select * from summed_hour where hour >= ${keptFrom(sql)}) s
    full join (select * from by_hour where hour >= ${keptFrom(sql)}) e using (account_id, hour, endpoint, key_id) as h
    left join wallets w using (account_id)
  where (s.requests, s.items, s.hits, s.amount) is distinct from (e.requests, e.items, e.hits, e.amount)
    -- Archives are by day.
    and not exists (
      select from archived_usage a
      where (a.account_id, a.day, a.endpoint, a.key_id) = (h.account_id, (h.hour at time zone 'UTC')::date, h.endpoint, h.key_id)
    )`;

/** The three records of an archived month agree: its total, its wallets' runs of entries, and its usage. */
const archiveFaults = (sql: Sql) => sql`
  select 'archive_sums', null, format('%s: %s debits of %s thousandths archived, but %s of %s by wallets, and %s of %s by usage',
    to_char(month, 'YYYY-MM'), a.rows, a.amount_thousandths, d.rows, d.amount, u.rows, u.amount)
  from ledger_archives a cross join lateral (
    select coalesce(sum(last_seq - first_seq + 1), 0) as rows, coalesce(sum(amount_thousandths), 0) as amount
    from archived_debits d where d.month = a.month
  ) d cross join lateral (
    select coalesce(sum(requests), 0) as rows, coalesce(sum(amount_thousandths), 0) as amount
    from archived_usage u where u.month = a.month
  ) u
  where (a.rows, a.amount_thousandths) is distinct from (d.rows, d.amount)
    or (a.rows, a.amount_thousandths) is distinct from (u.rows, u.amount)`;

const unlike = (sql: Sql, when: ReturnType<Sql>) => sql`
  select 'usage_sums', coalesce(w.wallet_id, account_id), format(
    '%s of key %s at %s: sums of %s requests, %s items, %s hits, %s thousandths, but debits of %s, %s, %s, %s', endpoint, key_id,
    ${when}, coalesce(s.requests, 0), coalesce(s.items, 0), coalesce(s.hits, 0), coalesce(s.amount, 0),
    coalesce(e.requests, 0), coalesce(e.items, 0), coalesce(e.hits, 0), coalesce(e.amount, 0))`;
