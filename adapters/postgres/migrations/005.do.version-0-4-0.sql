-- From 0.3.0 to 0.4.0 in one step, in which every entry of the ledger is rewritten. Nothing of 0.3.0 may run meanwhile or
-- afterwards (docs/deploying.md#upgrading).

-- In the order in which debits lock them, so that one that is still on its way and this step never wait for each other.
lock table wallets, keys, spend_caps, ledger_entries in access exclusive mode;

-- The ledger.

-- What let nodes of the version before run beside those of 0.3.0.
drop trigger mirror_cap on keys;
drop trigger count_older_debits on keys;
drop function mirror_cap, count_older_debits;
alter table keys drop column cap_thousandths, drop column counted_thousandths;

-- Every statement names the account with a wallet, a key or a cap, and finds it by the primary key.
drop index wallets_by_id, keys_by_id, spend_caps_by_id;
create or replace function tell_cap_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('perch_key_change', encode(hash, 'hex')) from keys where account_id = new.account_id and cap_id = new.cap_id;
  return null;
end
$$;

-- The first of all ids that requests of that moment can have.
create function first_id_at(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The wallets in an order of their own, and what debits call a key: with its id, every debit would be 12 bytes longer.
alter table wallets add column wallet_number bigint generated always as identity;
create unique index wallets_by_number on wallets (wallet_number);
alter table keys add column key_number bigint generated always as identity;
create unique index keys_by_number on keys (account_id, key_number);

-- Whose key a hash is, which never changes: on Citus each server has a copy, while keys are on the server of their account.
create table key_directory (
  hash bytea primary key,
  account_id uuid not null,
  unique (hash, account_id)
);
insert into key_directory (hash, account_id) select hash, account_id from keys;
alter table keys add foreign key (hash, account_id) references key_directory (hash, account_id);

-- A debit is found by its request id, whose first bits are its time (UUID version 7): a month is a range of ids. No foreign
-- keys, and of what could be an index only the one that keeps a request from being charged twice: the statement that inserts
-- has the wallet's row locked, and numbers the entries.
create table debits (
  request_id uuid not null,
  seq bigint not null check (seq > 0),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  balance_after bigint not null check (balance_after >= 0),
  at timestamptz not null default now(),
  account_id uuid not null,
  key_number integer not null,
  items integer not null,
  cache_hits integer not null,
  operation text not null,
  -- The receipt: `user profile hit 1 500;user.tweets tweet miss 20 1000`, which is path, unit, cache, items, price of one. A
  -- path that is the operation is left out: ` profile hit 1 500`.
  lines text not null,
  primary key (account_id, request_id)
) partition by range (request_id);
create trigger append_only before update or delete or truncate on debits
  for each statement execute function refuse_change();

-- For ids that are no times, and for a month that nobody opened in time: it works like the others. Restoring an archive takes
-- those of its month out.
create table debits_of_no_month partition of debits default;
create trigger append_only before update or delete or truncate on debits_of_no_month for each statement
  when (coalesce(current_setting('perch.moving', true), '') <> 'on') execute function refuse_change();

-- What has a table of its own is named by its time: a month, `2026-11`; or, where there would be too much in that, each of its
-- four weeks, `2026-11-w1`, the last of which goes on to the end of the month; or each of its days, `2026-11-27`.
create function span_began(span text) returns timestamptz language sql immutable parallel safe as $$
  select make_date(left(span, 4)::int, substr(span, 6, 2)::int, case
      when span like '%-w_' then 7 * right(span, 1)::int - 6
      when length(span) = 7 then 1
      else right(span, 2)::int end)::timestamp at time zone 'UTC'
$$;
create function span_ended(span text) returns timestamptz language sql immutable parallel safe as $$
  select case
      when span like '%-w4' or length(span) = 7
        then (make_date(left(span, 4)::int, substr(span, 6, 2)::int, 1)::timestamp + interval '1 month') at time zone 'UTC'
      when span like '%-w_' then ((span_began(span) at time zone 'UTC') + interval '7 days') at time zone 'UTC'
      else ((span_began(span) at time zone 'UTC') + interval '1 day') at time zone 'UTC' end
$$;

-- Opens a span; false if that can't be done any more, because it has debits among those of no month. Attached when it is
-- complete: that locks no partition but the one of no month, for a moment.
create function open_span(span text) returns boolean language plpgsql as $$
declare
  name text := 'debits_' || replace(span, '-', '_');
  first uuid := first_id_at(span_began(span));
  next uuid := first_id_at(span_ended(span));
begin
  if exists (select 1 from debits_of_no_month where request_id >= first and request_id < next) then
    return false;
  end if;
  execute format('create table %I (like debits including all)', name);
  -- On Citus, for the trigger: a setting without a meaning elsewhere.
  perform set_config('citus.enable_unsafe_triggers', 'on', true);
  execute format('create trigger append_only before update or delete or truncate on %I
    for each statement execute function refuse_change()', name);
  if exists (select from pg_extension where extname = 'citus') then
    if exists (select from pg_dist_partition where logicalrelid = 'debits'::regclass) then
      -- Before it is attached, because charges wait for that.
      perform create_distributed_table(name::regclass, 'account_id', colocate_with => 'debits');
    end if;
  end if;
  execute format('alter table debits attach partition %I for values from (%L) to (%L)', name, first, next);
  return true;
end
$$;

-- The tables of debits there are, but for the one of no month.
create view debit_spans as
  select relid, translate(substr(relid::regclass::text, 8), '_', '-') as span from pg_partition_tree('debits')
  where level = 1 and relid::regclass::text ~ '^debits_[0-9]{4}_[0-9]{2}(_w[1-4]|_[0-9]{2})?$';

-- Opens the month that `at` lies in, unless it or a part of it is open.
create function open_month(at timestamptz) returns boolean language sql as $$
  select case when exists (select from debit_spans where span like month || '%') then true else open_span(month) end
  from (select to_char(at at time zone 'UTC', 'YYYY-MM') as month) m
$$;

-- Credits that came or went other than by a read: few, and kept forever.
create table statement_entries (
  account_id uuid not null,
  seq bigint not null check (seq > 0),
  request_id uuid not null,
  kind text not null check (kind in ('grant', 'purchase', 'reversal', 'hold', 'return')),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  balance_after bigint not null check (balance_after >= 0),
  reason text not null,
  at timestamptz not null default now(),
  primary key (account_id, seq),
  unique (account_id, request_id)
);
create trigger append_only before update or delete or truncate on statement_entries
  for each statement execute function refuse_change();

-- Entries of 0.3.0 move over, in the order of the index, which then grows at its end only. A request may be of the day before
-- its debit. A path of a receipt with a space or a semicolon gets `_` in its place.
select open_month(day), open_month(day - interval '1 day')
from (select distinct date_trunc('day', at, 'UTC') as day from ledger_entries where kind = 'debit') days;
insert into debits (account_id, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits,
  operation, lines)
select e.account_id, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits, operation, (
    select coalesce(string_agg(concat_ws(' ', case when line ->> 'path' = operation then ''
        else translate(line ->> 'path', ' ;', '__') end,
      line ->> 'unit', line ->> 'cache', line ->> 'items', line ->> 'unitPrice'), ';' order by nth), '')
    from jsonb_array_elements(lines) with ordinality as l(line, nth)
  )
from ledger_entries e left join keys k using (account_id, key_id)
where kind = 'debit' order by e.account_id, request_id;
analyze debits;
insert into statement_entries (account_id, seq, request_id, kind, amount_thousandths, balance_after, reason, at)
select account_id, seq, request_id, kind, amount_thousandths, balance_after, reason, at
from ledger_entries where kind <> 'debit';
drop table ledger_entries;

create function receipt_lines(lines text, operation text) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_agg(jsonb_build_object('path', coalesce(nullif(word[1], ''), operation), 'unit', word[2], 'cache', word[3],
    'items', word[4]::bigint, 'unitPrice', word[5]::bigint) order by nth), '[]')
  from string_to_table(lines, ';') with ordinality as line(line, nth), string_to_array(line, ' ') as word
$$;

-- Every entry of the ledger.
create view ledger_entries as
  select d.account_id, w.wallet_id, d.seq, d.request_id, 'debit' as kind, d.amount_thousandths, d.balance_after, k.key_id,
    d.operation, d.items, d.cache_hits, receipt_lines(d.lines, d.operation) as lines, null as reason, d.at
  from debits d left join wallets w using (account_id) left join keys k using (account_id, key_number)
  union all
  select s.account_id, w.wallet_id, s.seq, s.request_id, s.kind, s.amount_thousandths, s.balance_after, null, null, null, null,
    null, s.reason, s.at
  from statement_entries s left join wallets w using (account_id);

-- How spans that are over ended, once they were checked: `perch ledger check` goes on from here, and does not read their debits
-- again. Of a month in the database it may be forgotten at any time, and made anew.
create table checked_months (
  -- The span's name.
  month text primary key,
  rows bigint not null check (rows >= 0),
  amount_thousandths numeric not null check (amount_thousandths >= 0),
  at timestamptz not null default now()
);

-- Entries of a wallet that follow each other without another in between are one row: its place in the chain of entries.
-- Grants and debits of other months, posted among them, begin a new one.
create table checked_debits (
  month text not null references checked_months,
  account_id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null check (last_seq >= first_seq),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  -- After the last one.
  balance_after bigint not null check (balance_after >= 0),
  primary key (month, account_id, first_seq)
);

-- What their debits are in the sums of usage and keys.
create table checked_usage (
  month text not null references checked_months,
  account_id uuid not null,
  day date not null,
  endpoint text not null,
  key_id uuid not null,
  requests bigint not null,
  items bigint not null,
  cache_hits bigint not null,
  amount_thousandths bigint not null,
  primary key (month, account_id, day, endpoint, key_id)
);

-- Checked months whose debits were written to files and left the database. A restore forgets them.
create table ledger_archives (
  month text primary key,
  rows bigint not null check (rows >= 0),
  amount_thousandths numeric not null check (amount_thousandths >= 0),
  file text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  at timestamptz not null default now()
);

create trigger append_only before update or delete or truncate on checked_months for each statement
  when (coalesce(current_setting('perch.moving', true), '') <> 'on') execute function refuse_change();
create trigger append_only before update or delete or truncate on checked_debits for each statement
  when (coalesce(current_setting('perch.moving', true), '') <> 'on') execute function refuse_change();
create trigger append_only before update or delete or truncate on checked_usage for each statement
  when (coalesce(current_setting('perch.moving', true), '') <> 'on') execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_archives for each statement
  when (coalesce(current_setting('perch.moving', true), '') <> 'on') execute function refuse_change();

-- Sums.

-- What debits sum up to, so that questions about the past cost what they answer. An hour's sums are kept for the last days,
-- then they are folded into its day's: usage is both together, at any moment.
create table usage_hours (
  account_id uuid not null,
  -- Begin of the hour that the entries' `at` lies in, UTC.
  hour timestamptz not null,
  -- The operation, at most 64 characters of it: entries of 0.3.0 may have longer ones.
  endpoint text not null,
  key_id uuid not null,
  requests bigint not null,
  items bigint not null,
  cache_hits bigint not null,
  amount_thousandths bigint not null,
  primary key (account_id, hour, endpoint, key_id)
  -- Room in each page keeps the updates of a hot wallet inside it.
) with (fillfactor = 50);
create index usage_hours_by_hour on usage_hours (hour);

create table usage_days (
  account_id uuid not null,
  day date not null,
  endpoint text not null,
  key_id uuid not null,
  requests bigint not null,
  items bigint not null,
  cache_hits bigint not null,
  amount_thousandths bigint not null,
  primary key (account_id, day, endpoint, key_id)
);

-- Sums are made every few minutes: usage, and what a key has spent, are sums and what came after them. `summed_to`: debits
-- with smaller ids are in the sums. One that is posted with such an id all the same is added at once. `summed_seq`: while
-- `last_seq` is above it, there may be something to sum up. `caps_version` rises when a key of the wallet gets a cap or loses
-- one: a debit that was begun before, and saw none, starts again.
do $$
begin
  execute format('alter table wallets
    add column summed_to uuid not null default %L,
    add column summed_seq bigint not null default 0,
    add column caps_version integer not null default 0', first_id_at(now()));
end
$$;

-- Ids from 2100 on, to which nearly all random ones belong, are added to the sums at once as well. By the index of each
-- wallet (`offset 0`), whatever is known of a month that fills.
create view unsummed_debits as
  select w.account_id, d.* from wallets w cross join lateral (
    select request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits, operation, lines from debits d
    where d.account_id = w.account_id and d.request_id >= w.summed_to
      and d.request_id < '03bb2cc3-d800-0000-0000-000000000000'
    offset 0
  ) d;

-- Of the entries of 0.3.0. It counted what a key spent with each debit: those of clocks that were ahead are summed up later.
with sums as materialized (
  select account_id, hour, endpoint, key_id, requests, items, cache_hits, amount
  from (
    select account_id, key_number, date_trunc('hour', at, 'UTC') as hour, left(operation, 64) as endpoint,
      count(*) as requests, sum(items) as items, sum(cache_hits) as cache_hits, sum(amount_thousandths) as amount
    from debits where request_id < first_id_at(now()) or request_id >= '03bb2cc3-d800-0000-0000-000000000000'
    group by 1, 2, 3, 4
  ) grouped join keys using (account_id, key_number)
),
recent as (
  insert into usage_hours (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
  select * from sums where hour >= date_trunc('day', now(), 'UTC') - interval '8 days'
)
insert into usage_days (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
select account_id, (hour at time zone 'UTC')::date, endpoint, key_id, sum(requests), sum(items), sum(cache_hits), sum(amount)
from sums where hour < date_trunc('day', now(), 'UTC') - interval '8 days' group by 1, 2, 3, 4;
update keys k set spent_thousandths = k.spent_thousandths - d.amount
from (select account_id, key_number, sum(amount_thousandths)::bigint as amount from unsummed_debits group by 1, 2) d
where k.account_id = d.account_id and k.key_number = d.key_number;

-- What keys have spent since the period began that is running. In steps that one server each can work out.
create function keys_spent(account uuid, key_ids uuid[], period text) returns bigint language plpgsql stable as $$
declare
  began timestamptz := period_began(period, now());
  summed bigint;
  unsummed bigint;
begin
  if period = 'total' then
    select coalesce(sum(spent_thousandths), 0) into summed from keys where account_id = account and key_id = any(key_ids);
  else
    select coalesce(sum(amount_thousandths), 0) into summed from (
      select key_id, amount_thousandths from usage_hours where account_id = account and hour >= began
      union all
      select key_id, amount_thousandths from usage_days where account_id = account and day >= (began at time zone 'UTC')::date
    ) sums where key_id = any(key_ids);
  end if;
  select coalesce(sum(d.amount_thousandths), 0) into unsummed
  from unsummed_debits d join keys k using (account_id, key_number)
  where d.account_id = account and k.key_id = any(key_ids) and d.at >= began;
  return summed + unsummed;
end
$$;

-- A key that gets or loses a cap: debits that saw it otherwise find another version. For changes by hand: what changes caps
-- (adapters/postgres/ledger/caps.ts) sees to it itself, as there are no triggers on Citus, and because adding up what all keys
-- of a cap spent for each of them takes too long where they are many. It says so with `perch.capping`.
create function change_caps() returns trigger language plpgsql as $$
begin
  update wallets set caps_version = caps_version + 1 where account_id = new.account_id;
  update spend_caps c set spent_thousandths = keys_spent(new.account_id,
      (select array_agg(key_id) from keys where account_id = new.account_id and cap_id = new.cap_id), c.period)
    where c.account_id = new.account_id and c.cap_id = new.cap_id;
  return null;
end
$$;
create trigger change_caps after update of cap_id on keys for each row
  when (new.cap_id is distinct from old.cap_id and coalesce(current_setting('perch.capping', true), '') <> 'on')
  execute function change_caps();

-- Names that an account gave its own operations, at most 100 a day. Those of days before yesterday go away.
create table operation_names (
  account_id uuid not null,
  day date not null,
  names text[] not null,
  primary key (account_id, day)
);
create index operation_names_by_day on operation_names (day);

-- What posts to the ledger. `shard_account`: any account of the shard that all of the batch belong to, where Citus distributes the
-- tables, which then runs the whole function on the shard's server; null in one Postgres. To that end each statement names the
-- batch's accounts besides, writes one table, and names the schema.

-- The plain debits of a batch, payer by payer (adapters/postgres/ledger/plain-debits.ts). Written for plans that are made once
-- and always fit:
-- - Debits are found by their position in the arrays: a join would be planned by a guess of how many there are.
-- - Arrays are unnested in a select list, because functions in `from` store their rows first.
-- - Conditions such as `amount > 0 and count > 0` are always true, but make the planner expect so few rows that it finds each
--   wallet by its index, in the order in which they are sent, and has no reason to plan anew for each length of the arrays.
create function post_plain_debits(shard_account uuid, payers uuid[], caps_versions integer[], amounts bigint[], counts integer[],
  firsts integer[], leasts integer[], ids uuid[], amounts_to bigint[], key_numbers integer[], kinds integer[],
  kind_amounts bigint[], kind_items integer[], kind_hits integer[], kind_operations text[], kind_lines text[],
  out paid_firsts text, out balances text, out seqs text) language plpgsql as $$
declare
  -- As long as another node's commit usually takes; a wallet that is locked for longer fails the whole (55P03).
  limited constant text := set_config('lock_timeout', '10', true);
  paid_accounts uuid[];
  paid_from integer[];
  paid_counts integer[];
  paid_balances bigint[];
  paid_seqs bigint[];
begin
  with paid as (
    update public.wallets w
    set balance_thousandths = w.balance_thousandths - p.amount, last_seq = w.last_seq + p.count
    from (
      select * from (
        select unnest(payers) as account_id, unnest(caps_versions) as caps_version, unnest(amounts) as amount,
          unnest(counts) as count, unnest(firsts) as first, unnest(leasts) as least
      ) p
      where amount > 0 and count > 0
    ) p
    where w.account_id = p.account_id and (shard_account is null or w.account_id = any(payers))
      and w.balance_thousandths >= p.amount and w.summed_to <= ids[p.least] and w.caps_version = p.caps_version
    returning w.account_id, p.first, p.count, w.balance_thousandths + p.amount as balance, w.last_seq - p.count as seq
  )
  select array_agg(account_id), array_agg(first), array_agg(count), array_agg(balance), array_agg(seq)
  into paid_accounts, paid_from, paid_counts, paid_balances, paid_seqs from paid;
  if paid_accounts is null then
    return;
  end if;
  insert into public.debits (account_id, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
    operation, lines)
  select account_id, ids[n], seq + n - first + 1, kind_amounts[kind], balance - amounts_to[n], key_numbers[n],
    kind_items[kind], kind_hits[kind], kind_operations[kind], kind_lines[kind]
  from (
      select * from (
        select unnest(paid_accounts) as account_id, unnest(paid_from) as first, unnest(paid_counts) as count,
          unnest(paid_balances) as balance, unnest(paid_seqs) as seq
      ) p
      where first > 0 and count > 0
    ) p
    cross join lateral (
      select n, kinds[n] as kind from (select generate_series(first, first + count - 1) as n) i offset 0
    ) i;
  paid_firsts := paid_from::text;
  balances := paid_balances::text;
  seqs := paid_seqs::text;
end
$$;

-- Any debits, with the outcome of each (adapters/postgres/ledger/debit-statement.ts). Of the debits of one wallet, and of one
-- key, `payer_of` and `key_of` have the position of the first; `payers` and `keys` have each of these once, in the order in which
-- rows are locked: wallets by account, then keys and caps by id. What is known of a wallet or key is kept at that position.
create function post_any_debits(shard_account uuid, skip_locked boolean, payers integer[], keys integer[], payer_of integer[],
  key_of integer[], accounts uuid[], wallet_ids uuid[], key_ids uuid[], ids uuid[], operations text[], amounts bigint[],
  items integer[], cache_hits integer[], lines text[],
  out outcomes text[], out seqs bigint[], out balances bigint[]) language plpgsql as $$
declare
  -- From 2100 on, an id is not the time of its request (`unsummed_debits`).
  no_time constant uuid := '03bb2cc3-d800-0000-0000-000000000000';
  limited constant text := set_config('lock_timeout', '300', true);
  size constant integer[] := array[cardinality(ids)];
  row record;
  wallets uuid[] := array_fill(null::uuid, size);
  balance bigint[] := array_fill(null::bigint, size);
  last_seq bigint[] := array_fill(null::bigint, size);
  summed_to uuid[] := array_fill(null::uuid, size);
  key_wallets uuid[] := array_fill(null::uuid, size);
  numbers integer[] := array_fill(null::integer, size);
  spent bigint[] := array_fill(null::bigint, size);
  caps uuid[] := array_fill(null::uuid, size);
  cap bigint[] := array_fill(null::bigint, size);
  cap_spent bigint[] := array_fill(null::bigint, size);
  cap_began timestamptz[] := array_fill(null::timestamptz, size);
  late integer[];
  is_capped boolean := false;
begin
  -- One that waits has each lock before it reads the row below, which it then finds as the one before it left it.
  if not skip_locked then
    perform from (select unnest(payers) as n) i cross join lateral (
      select 1 from public.wallets w
      where w.account_id = accounts[n] and (shard_account is null or w.account_id = any(accounts)) for no key update
    ) w;
  end if;
  for row in
    select n, w.* from (select unnest(payers) as n) i cross join lateral (
      select w.wallet_id, w.balance_thousandths, w.last_seq, w.summed_to from public.wallets w
      where w.account_id = accounts[n] and (shard_account is null or w.account_id = any(accounts))
      for no key update skip locked
    ) w
    where n > 0 and amounts[n] > 0
  loop
    wallets[row.n] := row.wallet_id;
    balance[row.n] := row.balance_thousandths;
    last_seq[row.n] := row.last_seq;
    summed_to[row.n] := row.summed_to;
  end loop;

  if not skip_locked then
    perform from (select unnest(keys) as n) i cross join lateral (
      select 1 from public.keys k
      where k.account_id = accounts[n] and k.key_id = key_ids[n]
        and (shard_account is null or k.account_id = any(accounts)) for no key update
    ) k;
  end if;
  for row in
    select n, k.* from (select unnest(keys) as n) i cross join lateral (
      select k.wallet_id, k.key_number, k.spent_thousandths, k.cap_id from public.keys k
      where k.account_id = accounts[n] and k.key_id = key_ids[n]
        and (shard_account is null or k.account_id = any(accounts))
      for no key update skip locked
    ) k
    where n > 0 and amounts[n] > 0
  loop
    key_wallets[row.n] := row.wallet_id;
    numbers[row.n] := row.key_number;
    spent[row.n] := row.spent_thousandths;
    caps[row.n] := row.cap_id;
    is_capped := is_capped or row.cap_id is not null;
  end loop;

  if is_capped and not skip_locked then
    perform from (select n from unnest(keys) n where caps[n] is not null order by caps[n]) i cross join lateral (
      select 1 from public.spend_caps c
      where c.account_id = accounts[n] and c.cap_id = caps[n]
        and (shard_account is null or c.account_id = any(accounts)) for no key update
    ) c;
  end if;
  if is_capped then
    for row in
      select n, c.* from (select n from unnest(keys) n where caps[n] is not null order by caps[n]) i cross join lateral (
        select c.cap_thousandths, c.spent_thousandths, c.period_start, public.period_began(c.period, now()) as began
        from public.spend_caps c
        where c.account_id = accounts[n] and c.cap_id = caps[n]
          and (shard_account is null or c.account_id = any(accounts))
        for no key update skip locked
      ) c
    loop
      cap[row.n] := row.cap_thousandths;
      cap_spent[row.n] := case when row.period_start >= row.began then row.spent_thousandths else 0 end;
      cap_began[row.n] := greatest(row.period_start, row.began);
    end loop;
  end if;

  select array_agg(j.outcome order by j.n), array_agg(j.seq order by j.n), array_agg(j.balance_after order by j.n)
  into outcomes, seqs, balances
  from (
    select n, outcome, last_seq[payer] + count(*) filter (where outcome = 'posted') over earlier as seq,
      (balance[payer] - sum(amount) filter (where outcome = 'posted') over earlier)::bigint as balance_after
    from (
      select *, coalesce(refusal, case
        when sum(amount) filter (where refusal is null) over (partition by payer order by n) > balance[payer] then 'retry'
        when cap_spent[key] + sum(amount) filter (where refusal is null) over (partition by caps[key] order by n) > cap[key]
          then 'retry'
        else 'posted' end) as outcome
      from (
        select *, case
            when skip_locked and (wallets[payer] is null or key_wallets[key] is null) then 'locked'
            when (wallets[payer], key_wallets[key]) is distinct from (wallet_id, wallet_id) then 'missing'
            when amount > balance[payer] then 'balance'
            when cap_spent[key] + amount > cap[key] then 'key_cap'
            when caps[key] is not null and cap[key] is null then 'locked' end as refusal
        from unnest(payer_of, key_of, wallet_ids, amounts) with ordinality as i(payer, key, wallet_id, amount, n)
      ) alone
    ) together
    window earlier as (partition by payer order by n)
  ) j;
  if not ('posted' = any(outcomes)) then
    return;
  end if;

  insert into public.debits (account_id, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
    operation, lines, at)
  -- One that began before midnight and waited for one from after it counts to the new day, and says so.
  select i.account_id, i.id, i.seq, i.amount, i.balance_after, numbers[i.key], i.items, i.hits, i.operation, i.lines,
    greatest(now(), cap_began[i.key])
  from unnest(outcomes, accounts, ids, seqs, amounts, balances, key_of, items, cache_hits, operations, lines)
    as i(outcome, account_id, id, seq, amount, balance_after, key, items, hits, operation, lines)
  where i.outcome = 'posted';

  update public.wallets w set balance_thousandths = p.balance_after, last_seq = p.seq
  from (
    select account_id, min(i.balance_after) as balance_after, max(i.seq) as seq
    from unnest(outcomes, accounts, seqs, balances) as i(outcome, account_id, seq, balance_after)
    where i.outcome = 'posted' group by 1
  ) p
  where w.account_id = p.account_id and (shard_account is null or w.account_id = any(accounts));

  -- Sums are made beyond its id already, or never will be: it is added now.
  late := array(
    select n::integer from unnest(outcomes, ids, payer_of) with ordinality as i(outcome, id, payer, n)
    where outcome = 'posted' and (id < summed_to[payer] or id >= no_time)
  );
  if cardinality(late) > 0 then
    update public.keys k set spent_thousandths = p.spent
    from (
      select accounts[key_of[n]] as account_id, key_ids[key_of[n]] as key_id,
        (min(spent[key_of[n]]) + sum(amounts[n]))::bigint as spent
      from unnest(late) n group by 1, 2
    ) p
    where k.account_id = p.account_id and k.key_id = p.key_id and (shard_account is null or k.account_id = any(accounts));
    insert into public.usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    select accounts[n] as account_id, date_trunc('hour', greatest(now(), cap_began[key_of[n]]), 'UTC') as hour,
      left(operations[n], 64) as endpoint, key_ids[n] as key_id, count(*), sum(items[n]), sum(cache_hits[n]), sum(amounts[n])
    from unnest(late) n group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (account_id, hour, endpoint, key_id) do update set
      requests = u.requests + excluded.requests,
      items = u.items + excluded.items,
      cache_hits = u.cache_hits + excluded.cache_hits,
      amount_thousandths = u.amount_thousandths + excluded.amount_thousandths;
  end if;

  if is_capped then
    update public.spend_caps c set cap_thousandths = p.cap, spent_thousandths = p.spent, period_start = p.began
    from (
      select account_id, caps[key] as cap_id, min(cap[key]) as cap, min(cap_began[key]) as began,
        (min(cap_spent[key]) + sum(amount))::bigint as spent
      from unnest(outcomes, accounts, key_of, amounts) as i(outcome, account_id, key, amount)
      where outcome = 'posted' and caps[key] is not null group by 1, 2
    ) p
    where c.account_id = p.account_id and c.cap_id = p.cap_id and (shard_account is null or c.account_id = any(accounts));
  end if;
end
$$;

-- Those debits of a batch that are posted, with their places in it, from 1.
create function find_posted(shard_account uuid, accounts uuid[], ids uuid[])
  returns table (place bigint, balance bigint, seq bigint, amount bigint) language plpgsql stable as $$
begin
  return query
    select i.n, e.balance_after, e.seq, e.amount_thousandths
    from unnest(accounts, ids) with ordinality as i(account_id, id, n) cross join lateral (
      select d.balance_after, d.seq, d.amount_thousandths from public.debits d
      where d.account_id = i.account_id and d.request_id = i.id and (shard_account is null or d.account_id = any(accounts))
      offset 0
    ) e;
end
$$;

-- Credits for an account, once for each request; the balance after it, or null where there is no such account.
create function grant_credits(account uuid, id uuid, amount bigint, why text, by_who text, by_address text, by_person uuid)
  returns bigint language plpgsql as $$
declare
  wallet record;
  before bigint;
begin
  select w.balance_thousandths + amount as balance, w.last_seq + 1 as seq into wallet
  from public.wallets w where w.account_id = account for no key update;
  if not found then
    return null;
  end if;
  select e.balance_after into before from public.statement_entries e where e.account_id = account and e.request_id = id;
  if found then
    return before;
  end if;
  insert into public.statement_entries (account_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
  values (account, wallet.seq, id, 'grant', amount, wallet.balance, why);
  update public.wallets w set balance_thousandths = wallet.balance, last_seq = wallet.seq where w.account_id = account;
  insert into public.audit_log (account_id, what, who, address, person_id, detail)
  values (account, 'credits.granted', by_who, by_address, by_person,
    jsonb_build_object('credits', amount / 1000.0, 'reason', why));
  return wallet.balance;
end
$$;

-- Keeps names of an account's operations, at most so many a day; returns those that are kept, whichever nodes claim at the same
-- time.
create function claim_names(account uuid, on_day date, wanted text[], most integer) returns text[] language plpgsql as $$
declare
  kept text[];
  fresh text[];
begin
  insert into public.operation_names (account_id, day, names) values (account, on_day, '{}')
  on conflict (account_id, day) do nothing;
  select n.names into kept from public.operation_names n where n.account_id = account and n.day = on_day for no key update;
  fresh := array(
    select name from unnest(wanted) with ordinality as w(name, nth) where name <> all(kept)
    order by nth limit greatest(0, most - cardinality(kept))
  );
  if cardinality(fresh) > 0 then
    update public.operation_names n set names = kept || fresh where n.account_id = account and n.day = on_day;
  end if;
  return kept || fresh;
end
$$;

-- Adds debits with ids before `settled` to the sums of usage and of keys, of each of the accounts that are due at most so many;
-- returns those that still are: those with more, and, unless it waits for locks, those whose wallet is locked. Each statement
-- sees what was there when it began: debits that were posted before their wallet was locked, and none comes after that. By the
-- index of each wallet (`offset 0`), whatever is known of the current month.
create function sum_debits(
  shard_account uuid, due uuid[], settled uuid, most integer, kept_from timestamptz, waits boolean
) returns uuid[]
  language plpgsql as $$
declare
  accounts uuid[];
  locked uuid[];
  begins uuid[];
  ends uuid[];
  have_more boolean[];
  last_seqs bigint[];
  payers uuid[];
  hours timestamptz[];
  endpoints text[];
  key_ids uuid[];
  requests bigint[];
  items bigint[];
  hits bigint[];
  amounts bigint[];
begin
  if waits then
    select array_agg(l.account_id) into accounts from (
      select w.account_id from public.wallets w
      where w.account_id = any(due) and w.last_seq > w.summed_seq and w.summed_to < settled
      order by w.account_id for no key update
    ) l;
  else
    select array_agg(l.account_id) into accounts from (
      select w.account_id from public.wallets w
      where w.account_id = any(due) and w.last_seq > w.summed_seq and w.summed_to < settled
      order by w.account_id for no key update skip locked
    ) l;
    if coalesce(cardinality(accounts), 0) < cardinality(due) then
      select array_agg(w.account_id) into locked from public.wallets w
      where w.account_id = any(due) and w.account_id <> all(coalesce(accounts, '{}'))
        and w.last_seq > w.summed_seq and w.summed_to < settled;
    end if;
  end if;
  if accounts is null then
    return coalesce(locked, '{}');
  end if;
  select array_agg(s.account_id), array_agg(s.summed_to), array_agg(coalesce(s.next_id, settled)),
    array_agg(s.next_id is not null), array_agg(s.last_seq)
  into accounts, begins, ends, have_more, last_seqs
  from (
    select w.account_id, w.summed_to, w.last_seq, n.next_id
    from public.wallets w left join lateral (
      select d.request_id as next_id from public.debits d
      where d.account_id = w.account_id and d.request_id >= w.summed_to and d.request_id < settled
      order by d.request_id offset most limit 1
    ) n on true
    where w.account_id = any(accounts)
  ) s;
  select array_agg(e.account_id), array_agg(e.hour), array_agg(e.endpoint), array_agg(e.key_id), array_agg(e.requests),
    array_agg(e.items), array_agg(e.hits), array_agg(e.amount)
  into payers, hours, endpoints, key_ids, requests, items, hits, amounts
  from (
    select d.account_id, date_trunc('hour', d.at, 'UTC') as hour, left(d.operation, 64) as endpoint, k.key_id,
      count(*) as requests, sum(d.items) as items, sum(d.cache_hits) as hits, sum(d.amount_thousandths)::bigint as amount
    from (select unnest(accounts) as account_id, unnest(begins) as since, unnest(ends) as until) s
      cross join lateral (
        select d.* from public.debits d
        where d.account_id = s.account_id and d.request_id >= s.since and d.request_id < s.until
          and (shard_account is null or d.account_id = any(accounts)) offset 0
      ) d
      join public.keys k on k.account_id = d.account_id and k.key_number = d.key_number
        and (shard_account is null or k.account_id = any(accounts))
    group by 1, 2, 3, 4
  ) e;
  if payers is not null then
    insert into public.usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    select * from (
      select unnest(payers) as account_id, unnest(hours) as hour, unnest(endpoints) as endpoint, unnest(key_ids) as key_id,
        unnest(requests), unnest(items), unnest(hits), unnest(amounts)
    ) e
    where e.hour >= kept_from order by 1, 2, 3, 4
    on conflict (account_id, hour, endpoint, key_id) do update set requests = u.requests + excluded.requests,
      items = u.items + excluded.items, cache_hits = u.cache_hits + excluded.cache_hits,
      amount_thousandths = u.amount_thousandths + excluded.amount_thousandths;
    insert into public.usage_days as u (account_id, day, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
    select e.account_id, (e.hour at time zone 'UTC')::date, e.endpoint, e.key_id, sum(e.requests), sum(e.items), sum(e.hits),
      sum(e.amount)
    from (
      select unnest(payers) as account_id, unnest(hours) as hour, unnest(endpoints) as endpoint, unnest(key_ids) as key_id,
        unnest(requests) as requests, unnest(items) as items, unnest(hits) as hits, unnest(amounts) as amount
    ) e
    where e.hour < kept_from group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (account_id, day, endpoint, key_id) do update set requests = u.requests + excluded.requests,
      items = u.items + excluded.items, cache_hits = u.cache_hits + excluded.cache_hits,
      amount_thousandths = u.amount_thousandths + excluded.amount_thousandths;
    update public.keys k set spent_thousandths = k.spent_thousandths + p.amount
    from (
      select e.account_id, e.key_id, sum(e.amount)::bigint as amount
      from (select unnest(payers) as account_id, unnest(key_ids) as key_id, unnest(amounts) as amount) e group by 1, 2 order by 2
    ) p
    where k.account_id = p.account_id and k.key_id = p.key_id and (shard_account is null or k.account_id = any(accounts));
  end if;
  update public.wallets w set summed_to = s.until,
    -- While some are left that could be summed up, the wallet stays due.
    summed_seq = case when s.has_more then w.summed_seq else s.last_seq - (
      select count(*) from public.debits d
      where d.account_id = w.account_id and d.request_id >= s.until and d.request_id < '03bb2cc3-d800-0000-0000-000000000000'
        and (shard_account is null or d.account_id = any(accounts))
    ) end
  from (
    select unnest(accounts) as account_id, unnest(ends) as until, unnest(have_more) as has_more, unnest(last_seqs) as last_seq
  ) s
  where w.account_id = s.account_id and (shard_account is null or w.account_id = any(accounts));
  return array(select m.account_id from unnest(accounts, have_more) as m(account_id, has_more) where m.has_more) || locked;
end
$$;

-- The corpus and the invented network.

-- The corpus is searched by words that Perch cuts itself (adapters/networks/corpus/search), the same on every server. A row
-- where `search` is null is found by no search yet: one of 0.3.0, or written by hand. The service indexes such rows while it
-- serves. To change a row by hand, set its `search` to null.
alter table corpus_tweets drop column search;
alter table corpus_users drop column search;
drop function corpus_tweet_terms;
-- Likes and the like alone; `rank` (search/rank.ts) takes time into account.
alter table corpus_tweets drop column engagement;
-- Handles are the same in upper and lower case. In a Turkish database, the lower case of I is not i.
do $$
begin
  if lower('I') <> 'i' then
    alter table corpus_users alter column handle type text collate "C";
  end if;
end
$$;

-- An edited tweet has an id for each of its versions, and lists have the latest one alone. `earlier_ids` is what a source says
-- of the latest; `edited_to` follows from it after each import: the latest version that is there, null for that one.
-- What is in a tweet besides text and media; null: not known.
--   audio: [{url, alt_text}]   poll: {options: [{text, votes}], ends_at}   articles: [{title, url}]
alter table corpus_users add column search tsvector;
alter table corpus_tweets add column search tsvector, add column rank bigint, add column earlier_ids bigint[],
  add column edited_to bigint, add column audio jsonb, add column poll jsonb, add column articles jsonb;

-- The invented network, which test keys read whatever network the service reads: filled when the first of them reads it. Not
-- the corpus, whose rows are live data.
create table invented_users (like corpus_users including all);
create table invented_tweets (like corpus_tweets including all);
create table invented_follows (like corpus_follows including all);

-- Indexes of the corpus that are to be built, in this order, while it is served: what is asked by them waits for it. They are
-- those of a corpus of 0.3.0, and those that a large first import leaves out until its end.
create table missing_indexes (
  name text primary key,
  number integer generated always as identity,
  table_name text not null,
  definition text not null
);
insert into missing_indexes (name, table_name, definition) values
  ('corpus_tweets_edited', 'corpus_tweets', 'CREATE INDEX corpus_tweets_edited ON corpus_tweets (id) WHERE earlier_ids IS NOT NULL'),
  ('corpus_tweets_unindexed', 'corpus_tweets', 'CREATE INDEX corpus_tweets_unindexed ON corpus_tweets (id) WHERE search IS NULL'),
  ('corpus_users_unindexed', 'corpus_users', 'CREATE INDEX corpus_users_unindexed ON corpus_users (id) WHERE search IS NULL'),
  ('corpus_tweets_rank', 'corpus_tweets', 'CREATE INDEX corpus_tweets_rank ON corpus_tweets (rank DESC, id DESC)'),
  ('corpus_tweets_search', 'corpus_tweets', 'CREATE INDEX corpus_tweets_search ON corpus_tweets USING gin (search)'),
  ('corpus_users_search', 'corpus_users', 'CREATE INDEX corpus_users_search ON corpus_users USING gin (search)');
do $$
declare
  missing missing_indexes;
  filled boolean;
begin
  for missing in select * from missing_indexes order by number loop
    execute replace(missing.definition, 'corpus_', 'invented_');
    execute format('select exists (select from %I)', missing.table_name) into filled;
    if not filled then
      execute missing.definition;
      delete from missing_indexes where name = missing.name;
    end if;
  end loop;
end
$$;

-- By which version of the index (adapters/networks/corpus/import/index-corpus.ts) the rows of a table are found. Those of an
-- earlier version are indexed again: of those that are not, the ids are above `reached`.
create table search_index (
  table_name text primary key,
  version integer not null,
  -- Null: there are none.
  reached bigint,
  -- False until all rows that the index began with are in it: searches would leave some out, and are refused.
  complete boolean not null
);
insert into search_index
  select 'corpus_users', 2, null::bigint, not exists (select from corpus_users)
  union all select 'corpus_tweets', 2, null, not exists (select from corpus_tweets);

-- Imports that are not complete. Given again, each resumes at its place.
create table unfinished_imports (
  -- A digest of the names of its files, and one of what the files were when it began.
  import_id text primary key,
  content text not null,
  paths text[] not null,
  -- Of the process that continues it.
  claim uuid not null,
  -- How many rows, faults and omissions of its files are dealt with, and what came of them.
  place bigint not null default 0,
  summary jsonb,
  begun_at timestamptz not null default now(),
  written_at timestamptz not null default now()
);

-- Customers.

-- Test mode: a customer's account has a second one, its test account, with a wallet of play credits and keys of its own. Keys,
-- receipts, usage, caps and limits go by account, so what is done in test mode is apart from what is done live.

-- The customer's account that a test account belongs to; null for a customer's own.
alter table accounts add column test_of uuid references accounts check (test_of <> account_id);
create unique index accounts_test_of on accounts (test_of) where test_of is not null;
-- Of a test account: the UTC day of the last refill.
alter table wallets add column refilled_on date;

-- Who freezes an account freezes its test keys, and they have its rate.
create or replace function tell_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('perch_key_change', encode(hash, 'hex')) from keys
    where (account_id = new.account_id or account_id in (select account_id from accounts where test_of = new.account_id))
      and revoked_at is null and (expires_at is null or expires_at > now());
  return null;
end
$$;

-- A link that changes the mail address of an account works once as well.
alter table one_time_tokens drop constraint one_time_tokens_kind_check;
alter table one_time_tokens add constraint one_time_tokens_kind_check
  check (kind in ('sign_in', 'passkey', 'code', 'email_change'));

-- A mailbox, however its address is written: case, what follows a plus, and at Gmail dots and the older name of the domain.
create function mailbox_of(email text) returns text language sql immutable strict parallel safe as $$
  select case when domain in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com'
    else name || '@' || domain end
  from (
    select coalesce(nullif(split_part(local, '+', 1), ''), local) as name, domain
    from (
      select regexp_replace(lower(email collate "C"), '@[^@]*$', '') as local,
        regexp_replace(lower(email collate "C"), '^.*@', '') as domain
    ) parts
  ) named
$$;

-- Mailboxes that an account received its starting credits for: once each.
create table starting_credits (
  mailbox text primary key,
  account_id uuid not null
);
insert into starting_credits (mailbox, account_id)
select distinct on (mailbox_of(a.email)) mailbox_of(a.email), a.account_id
from accounts a
where a.email is not null and exists (
  select from statement_entries e where e.account_id = a.account_id and e.request_id = a.account_id
)
order by mailbox_of(a.email), a.created_at, a.account_id;

-- Who signs in: people, and not accounts. An account has members, one of them its owner, and a person may be a member of several
-- accounts. The id of a person who opened an account is that account's; of accounts that shared a mail address, the oldest one's.
-- Mail addresses are compared in lower case, which is that of "C" in every database: in a Turkish one, that of I is not i.
create table people (
  person_id uuid primary key,
  email text collate "C",
  created_at timestamptz not null default now()
);
create unique index people_by_email on people (lower(email)) where email is not null;
insert into people (person_id, email, created_at)
select distinct on (coalesce(lower(email collate "C"), account_id::text)) account_id, email, created_at
from accounts order by coalesce(lower(email collate "C"), account_id::text), created_at, account_id;

create table members (
  account_id uuid not null references accounts,
  person_id uuid not null references people,
  role text not null check (role in ('owner', 'billing', 'developer', 'reader')),
  joined_at timestamptz not null default now(),
  primary key (account_id, person_id)
);
create unique index members_one_owner on members (account_id) where role = 'owner';
create index members_by_person on members (person_id);
insert into members (account_id, person_id, role, joined_at)
select a.account_id, p.person_id, 'owner', a.created_at
from accounts a
join people p on coalesce(lower(p.email), p.person_id::text) = coalesce(lower(a.email collate "C"), a.account_id::text);

alter table sessions drop constraint sessions_account_id_fkey;
alter table passkeys drop constraint passkeys_account_id_fkey;
update sessions s set account_id = m.person_id from members m where m.account_id = s.account_id and m.person_id <> s.account_id;
update passkeys s set account_id = m.person_id from members m where m.account_id = s.account_id and m.person_id <> s.account_id;
alter table sessions rename column account_id to person_id;
alter table passkeys rename column account_id to person_id;
alter table sessions add foreign key (person_id) references people on delete cascade;
alter table passkeys add foreign key (person_id) references people on delete cascade;
-- The account that its pages show; null until the person chooses one.
alter table sessions add column account_id uuid;

-- What belongs to a person and was the account's before. A deleted account has no members and no keys that work: what stays of it
-- is what the ledger, sales and the log refer to.
alter table accounts drop column email, add column deleted_at timestamptz;
create view account_owners as
  select account_id, person_id, email from members join people using (person_id) where role = 'owner';

-- To somebody's mail address, for one account; only the hash of what the link has.
create table invitations (
  account_id uuid not null references accounts,
  invitation_id uuid not null default gen_random_uuid(),
  hash bytea not null unique check (octet_length(hash) = 32),
  email text collate "C" not null,
  role text not null check (role in ('billing', 'developer', 'reader')),
  invited_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  withdrawn_at timestamptz,
  primary key (account_id, invitation_id)
);
create unique index invitations_open on invitations (account_id, lower(email))
  where accepted_at is null and withdrawn_at is null;
create index invitations_by_end on invitations (expires_at);

-- Who created a key, or allowed a client; null: an operator, or somebody before 0.4.0.
alter table keys add column created_by uuid;
alter table oauth_grants add column created_by uuid;
-- What a key is limited to: kinds of reads (src/domain/lists.ts) and addresses it is used from, as CIDR; null: no limit.
-- `replaced_at`: another key took its place, and it ends at its expiry. One with an expiry of its own goes on until then.
alter table keys add column scopes text[] check (cardinality(scopes) between 1 and 20),
  add column allowed_from text[] check (cardinality(allowed_from) between 1 and 20), add column replaced_at timestamptz;
update keys set replaced_at = now() where expires_at is not null and grant_id is null;
drop trigger tell_key_change on keys;
create trigger tell_key_change after insert or update of cap_id, expires_at, revoked_at, scopes, allowed_from on keys
  for each row execute function tell_key_change();
-- Who made a change: of several operators it is shown to operators only.
alter table audit_log add column person_id uuid;

-- Alerts that customers set, and notices on their way: written down together with what they tell of, so that a process that
-- ends in between loses none.
create table alerts (
  account_id uuid not null references accounts,
  alert_id uuid not null default gen_random_uuid(),
  kind text not null check (kind in ('balance_below', 'day_spend_above')),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  by_mail boolean not null,
  webhook_url text,
  -- The last crossing that was told: a top-up's number, or a day. Each is told once.
  crossing text,
  crossed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, alert_id),
  check (by_mail or webhook_url is not null)
);

-- The processes that follow watches, and until when they hold theirs: a row a process, so that holding them costs no more the
-- more there are.
create table watch_holders (
  holder uuid primary key,
  held_to timestamptz not null
);

-- Lists that are followed for a customer: what is new is charged, and written down as a delivery together with how far the
-- list has come.
create table watches (
  account_id uuid not null references accounts,
  watch_id uuid not null,
  -- Pays for what is new. A key that takes its place takes its watches.
  key_id uuid not null,
  kind text not null,
  -- As it was asked for: a handle or id, a tweet's id, or a query.
  subject text not null check (length(subject) <= 1024),
  -- The same by its one name: the id of a user or tweet, or the query.
  subject_id text not null,
  product text,
  -- Items of a delivery.
  count smallint not null check (count > 0),
  webhook_url text not null,
  -- Of a UTC day; null: no limit of its own.
  daily_thousandths bigint check (daily_thousandths > 0),
  -- `waiting`: until `due_at`, for credits or room. `paused`: until somebody resumes it. `ended`: only what was delivered is kept,
  -- and at `due_at` a process looks for what was charged and not stored.
  state text not null check (state in ('active', 'waiting', 'paused', 'ended')),
  reason text,
  state_at timestamptz not null,
  due_at timestamptz,
  -- The last position that is paid for (src/live/positions.ts).
  position text not null,
  -- The last delivery's number, and what all of them cost.
  number bigint not null default 0,
  spent_thousandths bigint not null default 0,
  -- What it spent on the UTC day of its last charge.
  spent_on date,
  spent_that_day_thousandths bigint not null default 0,
  newest_at timestamptz,
  -- As the process that follows it last said.
  checked_at timestamptz,
  every_ms integer,
  failed text,
  -- The process that follows it, for as long as its row of `watch_holders` says.
  holder uuid,
  created_at timestamptz not null,
  primary key (account_id, watch_id),
  foreign key (account_id, key_id) references keys,
  check (reason is not null or state in ('active', 'ended')),
  check (due_at is not null or state <> 'waiting')
  -- With each delivery its row is rewritten, on the same page and without its indexes while there is room.
) with (fillfactor = 50);
create index watches_to_follow on watches (holder, due_at) where state in ('active', 'waiting');
create index watches_ended_due on watches (due_at) where state = 'ended' and due_at is not null;
create index watches_by_holder on watches (holder) where holder is not null;
create index watches_by_key on watches (account_id, key_id);
create index watches_going on watches (account_id) where state <> 'ended';
create index watches_ended on watches (account_id, state_at) where state = 'ended';

create table deliveries (
  account_id uuid not null references accounts,
  -- Of a watch's items: the id of the request that they were charged for.
  delivery_id uuid not null default gen_random_uuid(),
  -- Null, as is `watch_id`: a notice that every customer gets.
  alert_id uuid,
  watch_id uuid,
  -- The place among its watch's: each is sent once the ones before it were delivered or given up. Null for a notice.
  number bigint,
  items integer,
  charged_thousandths bigint,
  channel text not null check (channel in ('mail', 'webhook')),
  -- The mail address, or the URL.
  target text not null,
  subject text,
  body text not null,
  created_at timestamptz not null default now(),
  tries integer not null default 0,
  -- Null once it was delivered or given up.
  due_at timestamptz,
  -- False while one before it, of its watch, is on its way. Changed by who has the watch's row locked.
  in_turn boolean not null default true,
  delivered_at timestamptz,
  tried_at timestamptz,
  -- What the receiver answered last, with how its answer began, or why there was no answer.
  status integer,
  excerpt text,
  fault text,
  primary key (account_id, delivery_id),
  foreign key (account_id, alert_id) references alerts on delete cascade,
  foreign key (account_id, watch_id) references watches on delete cascade,
  unique (account_id, watch_id, number)
);
create index webhooks_due on deliveries (account_id, due_at) where channel = 'webhook' and in_turn and due_at is not null;
create index mails_due on deliveries (least(tries, 1), account_id, due_at) where channel = 'mail' and due_at is not null;
create index deliveries_by_alert on deliveries (account_id, alert_id, created_at) where alert_id is not null;
create index deliveries_by_age on deliveries (created_at);
create index deliveries_taken on deliveries (delivered_at) where watch_id is not null and delivered_at is not null;
create index deliveries_in_order on deliveries (watch_id, number) where number is not null and due_at is not null;

-- Moves watches that these holders hold from one position to the next, each watch once, and writes what is new down as deliveries.
-- Returns those that were moved: with `skip_locked`, not those that somebody has locked. They are locked by a statement of its own,
-- so that the next one sees which of their deliveries are on their way.
create function step_watches(accounts uuid[], watches uuid[], holders uuid[], since text[], reached text[], requests uuid[],
  counts integer[], amounts bigint[], heads text[], pages text[], page_numbers integer[], tails text[], days date[],
  newest timestamptz[], at timestamptz[], skip_locked boolean)
returns uuid[] language plpgsql as $$
declare
  free uuid[];
  moved uuid[];
begin
  if not skip_locked then
    perform from public.watches w join unnest(accounts, watches) as n(account_id, watch_id) using (account_id, watch_id)
    for no key update of w;
  end if;
  free := array(
    select w.watch_id from unnest(accounts, watches, holders, since) as n(account_id, watch_id, holder, since)
      join public.watches w using (account_id, watch_id)
    where w.holder = n.holder and w.position = n.since
    for no key update of w skip locked
  );
  with n as (
    select * from unnest(accounts, watches, reached, requests, counts, amounts, heads, page_numbers, tails, days, newest, at)
        as n(account_id, watch_id, reached, request_id, items, amount, head, page, tail, day, newest_at, at)
      join unnest(free) as f(watch_id) using (watch_id)
  ), stepped as (
    update public.watches w set position = n.reached, number = number + 1, spent_thousandths = spent_thousandths + n.amount,
      spent_that_day_thousandths = n.amount + case when spent_on = n.day then spent_that_day_thousandths else 0 end,
      spent_on = n.day, newest_at = greatest(w.newest_at, n.newest_at)
    from n where w.account_id = n.account_id and w.watch_id = n.watch_id
    returning w.account_id, w.watch_id, w.number, w.webhook_url, w.reason
  ), written as (
    insert into public.deliveries (account_id, watch_id, delivery_id, number, items, charged_thousandths, channel, target, body,
      created_at, due_at, in_turn)
    select account_id, watch_id, n.request_id, s.number, n.items, n.amount, 'webhook', s.webhook_url,
      n.head || pages[n.page] || n.tail, n.at, n.at,
      -- A value, not a condition: never a look at what all watches have on its way.
      s.reason is distinct from 'undelivered' and coalesce((
        select false from public.deliveries d
        where d.watch_id = s.watch_id and d.number is not null and d.due_at is not null limit 1), true)
    from stepped s join n using (account_id, watch_id)
  )
  select array_agg(watch_id) into moved from stepped;
  return coalesce(moved, '{}');
end
$$;

-- The newest requests of each account, for its members: no ledger, so rows go when there are too many. Texts are cut before they
-- are written, so that a row has less than 1.5 KB.
create table request_log (
  account_id uuid not null,
  request_id uuid not null,
  at timestamptz not null,
  key_id uuid,
  interface text not null,
  operation text check (length(operation) <= 64),
  -- Of HTTP; 0: the caller left.
  status smallint not null,
  code text,
  message text check (length(message) <= 300),
  asked text not null check (length(asked) <= 500),
  ms integer not null,
  charged_thousandths bigint not null,
  primary key (account_id, request_id)
);
create index request_log_by_age on request_log (at);

-- Sales.

-- For receipts of purchases: what was paid in all, with tax, and the processor's own receipt. Null for sales of 0.3.0.
-- Sales follow the processor's latest word: disputed credits are set aside while a dispute is open, and a verdict can be
-- overturned. `held_thousandths` is a part of what was taken back so far; it is set when a sale is next looked up. `look`: the
-- number of the look that was applied last.
alter table sales add column total_cents bigint, add column receipt_url text,
  add column held_thousandths bigint not null default 0 check (held_thousandths >= 0),
  add column look bigint not null default 0;
create index sales_by_day on sales (paid_at) where state = 'paid';

-- In the order in which looks begin.
create sequence payment_looks;

-- The account is frozen because this dispute was lost, and not by an operator.
alter table sale_disputes add column freezes boolean not null default false;
update sale_disputes d set freezes = true from accounts a
  where a.account_id = d.account_id and a.frozen_at is not null and d.state = 'lost' and (
    select who from audit_log l where l.account_id = d.account_id and what = 'account.frozen' order by event_id desc limit 1
  ) = 'payments';

-- The operator.

-- What operators write down about a customer: never shown to the customer.
alter table accounts add column note text check (length(note) <= 2000);
create index audit_log_by_operators on audit_log (event_id) where who = 'operator';

-- Lists of accounts begin with the newest.
create index accounts_by_creation on accounts (created_at, account_id);

-- Which questions of a network's own check were asked, by all processes together: each is asked once a day.
create table network_checks (
  -- A digest of the credentials and of what is asked.
  question text primary key check (length(question) = 43),
  asked_at timestamptz not null default now(),
  -- Whether the answer was good; null until it is there. A refusal is not kept: it costs nothing to ask again.
  is_good boolean
);

-- What reads earned and cost: sums by UTC day, network and operation. Not the ledger, which is exact.
create table read_costs (
  day date not null,
  network text not null,
  operation text not null,
  answers bigint not null,
  items bigint not null,
  cache_hits bigint not null,
  charged_thousandths bigint not null,
  calls bigint not null,
  tweets bigint not null,
  users bigint not null,
  cost_micro_usd bigint not null,
  -- On the day when its price did not cover its cost: one process warns of it.
  warned boolean not null default false,
  primary key (day, network, operation)
);

-- What reads did, for the status page: sums by UTC day and family, written once a minute by each process.
create table status_days (
  day date not null,
  family text not null,
  minutes bigint not null,
  degraded bigint not null,
  down bigint not null,
  calls bigint not null,
  failures bigint not null,
  read_ms bigint not null,
  items bigint not null,
  cache_hits bigint not null,
  primary key (day, family)
);

-- Minutes with trouble, from which incidents are put together.
create table status_minutes (
  minute timestamptz not null,
  family text not null,
  down boolean not null,
  calls bigint not null,
  failures bigint not null,
  primary key (minute, family)
);

-- Requests: sums by UTC hour, written once a minute by each process.
create table traffic_hours (
  hour timestamptz not null,
  interface text not null,
  -- Empty where no operation was determined.
  operation text not null,
  -- Of HTTP; 0: the caller left.
  status smallint not null,
  -- The error code, or empty.
  code text not null,
  -- Of a histogram of times: src/domain/traffic.ts.
  bucket smallint not null,
  requests bigint not null,
  items bigint not null,
  cache_hits bigint not null,
  primary key (hour, interface, operation, status, code, bucket)
);

-- Refusals by a limit, by UTC day. The account is that of zeros for callers without a valid key.
create table limits_met (
  day date not null,
  account_id uuid not null,
  limit_name text not null,
  refusals bigint not null,
  primary key (day, account_id, limit_name)
);

-- Batches of sums that were written in the last days: one whose acknowledgement was lost is counted once.
create table sum_batches (
  batch_id uuid primary key,
  written_at timestamptz not null default now()
);
create index sum_batches_by_age on sum_batches (written_at);
