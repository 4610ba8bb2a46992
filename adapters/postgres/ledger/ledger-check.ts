import type { LedgerFault } from '../../../src/ports/ledger.js';
import { copyAccounts, slicesOf } from '../shards/copy-accounts.js';
import { isDistributed } from '../shards/shards.js';
import type { Sql, Transaction } from '../sql.js';
import { checkedSpans, checkPastMonths, forgetCheckedMonths, type IdSpan, linesOf } from './checked-months.js';
import { withoutLimits } from './months.js';
import { NO_TIME } from './plain-debits.js';
import { keptFrom } from './sums.js';

/** The most faults that are named: the first few show what happened, and a million would only fill memory. */
const MOST_FAULTS = 1000;

export interface LedgerCheck {
  readonly wallets: number;
  readonly entries: number;
  readonly faults: LedgerFault[];
}

/**
 * Checks every invariant over the whole database; safe beside a running service. Past months are each read once,
 * separately; the rest is checked in one snapshot, starting from how those months ended. `all`: reads past months
 * again.
 */
export async function checkLedger(sql: Sql, { all = false } = {}): Promise<LedgerCheck> {
  const read = (await isDistributed(sql)) ? checkSlices : checkOneServer;
  if (all) await forgetCheckedMonths(sql, 'all');
  await checkPastMonths(sql);
  const found = await read(sql);
  // A debit that was posted late to a checked month is no fault, so such months are read again before faults are
  // reported.
  if (found.faults.length === 0 || all || (await forgetCheckedMonths(sql, 'changed')) === 0) return found;
  await checkPastMonths(sql);
  return read(sql);
}

async function checkOneServer(sql: Sql): Promise<LedgerCheck> {
  return sql.begin('isolation level repeatable read read only', async (moment) => {
    await withoutLimits(moment);
    return together([await checkAccounts(moment, await checkedSpans(moment)), await checkMonths(moment)]);
  });
}

/** How often a slice is read while something in it seems wrong. */
const TRIES = 3;

/**
 * Checks accounts slice by slice, as there are too many for one server. Each server shows the moment at which it is
 * first asked, so something that was written between two such moments may look like a fault; it is gone at the next
 * try.
 */
async function checkSlices(sql: Sql): Promise<LedgerCheck> {
  const months = await sql.begin('isolation level repeatable read read only', async (moment) => {
    await withoutLimits(moment);
    return checkMonths(moment);
  });
  const found: LedgerCheck[] = [months];
  for (const slice of await slicesOf(sql)) {
    let accounts: LedgerCheck | undefined;
    for (let tries = 0; tries < TRIES && accounts?.faults.length !== 0; tries += 1)
      accounts = await sql.begin('isolation level repeatable read', async (moment) => {
        await withoutLimits(moment);
        const spans = await checkedSpans(moment);
        await copyAccounts(moment, slice, uncheckedBy(moment, spans));
        return checkAccounts(moment, spans);
      });
    if (accounts !== undefined) found.push(accounts);
  }
  return together(found);
}

const together = (found: readonly LedgerCheck[]): LedgerCheck => ({
  wallets: found.reduce((sum, { wallets }) => sum + wallets, 0),
  entries: found.reduce((sum, { entries }) => sum + entries, 0),
  faults: found.flatMap(({ faults }) => faults).slice(0, MOST_FAULTS),
});

/** Checks everything except the debits of checked months. */
async function checkAccounts(moment: Transaction, spans: readonly IdSpan[]): Promise<LedgerCheck> {
  // How many rows a part of this statement returns is a guess. Where six are expected and a million come, a nested loop
  // takes days, and a hash join a second. The loops that have no alternative then look so expensive that any plan would
  // be compiled, which takes seconds.
  await moment`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`;
  const unchecked = uncheckedBy(moment, spans);
  const [counts] = await moment<[Pick<LedgerCheck, 'wallets' | 'entries'>]>`
    select (select count(*) from wallets) as wallets, (select count(*) from ${entries(moment, unchecked)}) as entries`;
  const faults = await moment<LedgerFault[]>`${invariants(moment, unchecked)} limit ${MOST_FAULTS}`;
  return { ...counts, faults: [...faults] };
}

async function checkMonths(moment: Transaction): Promise<LedgerCheck> {
  const [counts] = await moment<[Pick<LedgerCheck, 'entries'>]>`
    select coalesce(sum(rows), 0)::bigint as entries from checked_months
    where month not in (select month from ledger_archives)`;
  const faults = await moment<LedgerFault[]>`
    select invariant, 'none' as "walletId", detail from (${archiveFaults(moment)}) f (invariant, wallet_id, detail)
    limit ${MOST_FAULTS}`;
  return { wallets: 0, ...counts, faults: [...faults] };
}

/**
 * The condition that a debit is of no checked month, written so that Postgres does not read the tables of those months.
 */
function uncheckedBy(sql: Transaction, spans: readonly IdSpan[]) {
  let condition = sql`true`;
  for (const { from, to } of spans)
    condition = sql`${condition} and (request_id < ${from}::uuid or request_id >= ${to}::uuid)`;
  return condition;
}

type Condition = ReturnType<typeof uncheckedBy>;

const entries = (sql: Transaction, unchecked: Condition) =>
  sql`(select * from ledger_entries where kind <> 'debit' or ${unchecked}) as e`;

/** One branch per invariant, each selecting the rows that break it. */
const invariants = (sql: Transaction, unchecked: Condition) => sql`
  with ${sums(sql, unchecked)},
  fault(invariant, "walletId", detail) as (
    ${entryFaults(sql, unchecked)} union all ${lineFaults(sql, unchecked)} union all ${walletFaults(sql)}
    union all ${keyFaults(sql, unchecked)}
    union all ${saleFaults(sql)} union all ${usageFaults(sql)}
  )
  select invariant, coalesce("walletId"::text, 'none') as "walletId", detail from fault`;

/** What an entry adds to its wallet. */
const signed = (sql: Transaction) =>
  sql`case when kind in ('debit', 'reversal', 'hold') then -amount_thousandths else amount_thousandths end`;

const sums = (sql: Transaction, unchecked: Condition) => sql`
  link as (
    select account_id, wallet_id, seq as first_seq, seq, kind, amount_thousandths, balance_after
    from ${entries(sql, unchecked)}
    union all
    select account_id, wallet_id, first_seq, a.last_seq, 'debit', amount_thousandths, balance_after
    from checked_debits a left join wallets using (account_id)
  ),
  chain as (
    select *, lag(seq, 1, 0::bigint) over earlier as seq_before, lag(balance_after, 1, 0::bigint) over earlier as balance_before
    from link window earlier as (partition by account_id, wallet_id order by first_seq)
  ),
  total as (
    select account_id, wallet_id, max(seq) as last_seq, (array_agg(balance_after order by seq desc))[1] as last_balance,
      sum(${signed(sql)}) as balance
    from link group by 1, 2
  ),
  by_key as (
    select account_id, wallet_id, key_id, sum(amount_thousandths) as spent
    from (
      select account_id, wallet_id, key_id, amount_thousandths from ${entries(sql, unchecked)}
      where kind = 'debit'
      union all
      select account_id, wallet_id, key_id, amount_thousandths from checked_usage left join wallets using (account_id)
    ) debit group by 1, 2, 3
  ),
  unsummed as (
    select account_id, key_id, sum(amount_thousandths) as spent
    from unsummed_debits join keys using (account_id, key_number) group by 1, 2
  ),
  by_hour as (
    select account_id, date_trunc('hour', at, 'UTC') as hour, left(operation, 64) as endpoint, key_id, count(*) as requests,
      sum(items) as items, sum(cache_hits) as hits, sum(amount_thousandths) as amount
    from debits join wallets using (account_id) join keys using (account_id, key_number)
    where (request_id < summed_to or request_id >= ${NO_TIME}::uuid) and ${unchecked} group by 1, 2, 3, 4
  ),
  summed_hour as (
    select account_id, hour, endpoint, key_id, requests, items, cache_hits as hits, amount_thousandths as amount from usage_hours
  )`;

const entryFaults = (sql: Transaction, unchecked: Condition) => sql`
  select 'seq_gapless', wallet_id, format('entry %s follows %s', first_seq, seq_before)
  from chain where first_seq <> seq_before + 1
  union all
  select 'balance_chain', wallet_id, format('entry %s: %s, then %s %s, but %s after', seq, balance_before, kind,
    amount_thousandths, balance_after)
  from chain where balance_after <> balance_before + ${signed(sql)}
  union all
  select 'amount_positive', wallet_id, format('entry %s: %s', seq, amount_thousandths)
  from ${entries(sql, unchecked)} where amount_thousandths <= 0
  union all
  select 'never_negative', wallet_id, format('entry %s: %s after', seq, balance_after)
  from ${entries(sql, unchecked)} where balance_after < 0`;

const lineFaults = (sql: Transaction, unchecked: Condition) => sql`
  select fault, wallet_id, case fault
    when 'lines_amount' then format('entry %s: lines of %s, amount %s', d.seq, l.amount, d.amount_thousandths)
    else format('entry %s: lines of %s items, %s of them hits, but %s and %s', d.seq, l.items, l.hits, d.items, d.cache_hits)
  end
  from debits d left join wallets using (account_id) cross join lateral ${linesOf(sql)} l
    cross join (values ('lines_amount'), ('lines_items')) f(fault)
  where ${unchecked} and case fault
    when 'lines_amount' then l.amount <> d.amount_thousandths
    else (l.items, l.hits) is distinct from (d.items::numeric, d.cache_hits::numeric)
  end`;

const walletFaults = (sql: Transaction) => sql`
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

const keyFaults = (sql: Transaction, unchecked: Condition) => sql`
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
  select 'cap_spent', w.wallet_id, format('cap %s: %s noted, %s in debits', cap_id, c.spent_thousandths,
    coalesce(s.spent, 0))
  from (
    select account_id, cap_id, sum(amount_thousandths) as spent
    from spend_caps c join keys k using (account_id, cap_id) join (
      select account_id, key_id, at, amount_thousandths from ${entries(sql, unchecked)} where kind = 'debit'
      union all
      -- All periods begin with a day.
      select account_id, key_id, day::timestamp at time zone 'UTC', amount_thousandths from checked_usage
    ) debit using (account_id, key_id)
    where at >= period_start group by 1, 2
  ) s right join spend_caps c using (account_id, cap_id) join wallets w using (account_id)
  where c.spent_thousandths <> coalesce(s.spent, 0)`;

/** The purchases, reversals and returns in the ledger must match the sales. */
const saleFaults = (sql: Transaction) => sql`
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
const usageFaults = (sql: Transaction) => sql`
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
      select account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths from checked_usage
    ) debit group by 1, 2, 3, 4
  ) e using (account_id, day, endpoint, key_id) left join wallets w using (account_id)
  where (s.requests, s.items, s.hits, s.amount) is distinct from (e.requests, e.items, e.hits, e.amount)
  union all
  ${unlike(sql, sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD HH24:00')`)}
  from (select * from summed_hour where hour >= ${keptFrom(sql)}) s
    full join (select * from by_hour where hour >= ${keptFrom(sql)}) e using (account_id, hour, endpoint, key_id) as h
    left join wallets w using (account_id)
  where (s.requests, s.items, s.hits, s.amount) is distinct from (e.requests, e.items, e.hits, e.amount)
    -- What was checked is by day.
    and not exists (
      select from checked_usage a
      where (a.account_id, a.day, a.endpoint, a.key_id) = (h.account_id, (h.hour at time zone 'UTC')::date, h.endpoint, h.key_id)
    )`;

/** The three records of a checked month must agree: its total, its wallets' runs of entries, and its usage. */
const archiveFaults = (sql: Transaction) => sql`
  select 'archive_sums', null, format('%s: %s debits of %s thousandths recorded, but %s of %s by wallets, and %s of %s by usage',
    month, a.rows, a.amount_thousandths, d.rows, d.amount, u.rows, u.amount)
  from (
    select coalesce(c.month, a.month) as month, coalesce(a.rows, c.rows) as rows,
      coalesce(a.amount_thousandths, c.amount_thousandths) as amount_thousandths
    from checked_months c full join ledger_archives a using (month)
  ) a cross join lateral (
    select coalesce(sum(last_seq - first_seq + 1), 0) as rows, coalesce(sum(amount_thousandths), 0) as amount
    from checked_debits d where d.month = a.month
  ) d cross join lateral (
    select coalesce(sum(requests), 0) as rows, coalesce(sum(amount_thousandths), 0) as amount
    from checked_usage u where u.month = a.month
  ) u
  where (a.rows, a.amount_thousandths) is distinct from (d.rows, d.amount)
    or (a.rows, a.amount_thousandths) is distinct from (u.rows, u.amount)`;

const unlike = (sql: Transaction, when: ReturnType<Transaction>) => sql`
  select 'usage_sums', coalesce(w.wallet_id, account_id), format(
    '%s of key %s at %s: sums of %s requests, %s items, %s hits, %s thousandths, but debits of %s, %s, %s, %s', endpoint, key_id,
    ${when}, coalesce(s.requests, 0), coalesce(s.items, 0), coalesce(s.hits, 0), coalesce(s.amount, 0),
    coalesce(e.requests, 0), coalesce(e.items, 0), coalesce(e.hits, 0), coalesce(e.amount, 0))`;
