-- The ledger in two slim tables: debits, by the month, and everything else. A debit takes a third of the bytes that it took, and
-- is found by its request id, whose first bits are its time (UUID version 7): a month is a range of ids.
--
-- Nodes of the version before go on for the time of an upgrade, on the view `ledger_entries`. What they post, and what was
-- posted before, is in `older_entries` until it is moved behind everybody's back (`older-entries.ts`).

-- In the order in which debits lock them: otherwise both could wait for each other.
lock table wallets, keys, spend_caps, ledger_entries in access exclusive mode;

-- The first of all ids that a moment's requests can have.
create function first_id_at(at timestamptz) returns uuid language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- What debits call a wallet and a key: with their ids, every debit and its index would be 40 bytes longer.
alter table wallets add column wallet_number integer generated always as identity;
create unique index wallets_by_number on wallets (wallet_number);
alter table keys add column key_number integer generated always as identity;
create unique index keys_by_number on keys (account_id, key_number);

-- Plain SQL reads it as well as ever: one row per charge. No foreign keys, and of what could be an index only the one that
-- keeps a request from being charged twice: the statement that inserts has the wallet's row locked, and numbers the entries.
create table debits (
  request_id uuid not null,
  seq bigint not null check (seq > 0),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  balance_after bigint not null check (balance_after >= 0),
  at timestamptz not null default now(),
  wallet_number integer not null,
  key_number integer not null,
  items integer not null,
  cache_hits integer not null,
  operation text not null,
  -- The receipt: `user profile hit 1 500;user.tweets tweet miss 20 1000`, which is path, unit, cache, items, price of one. A
  -- path that is the operation is left out: ` profile hit 1 500`.
  lines text not null,
  primary key (wallet_number, request_id)
) partition by range (request_id);
create trigger append_only before update or delete or truncate on debits
  for each statement execute function refuse_change();

-- For ids that are no times, and for a month that nobody opened in time: it works like the others.
create table debits_of_no_month partition of debits default;
create trigger append_only before update or delete or truncate on debits_of_no_month
  for each statement execute function refuse_change();

-- Opens the month that `at` lies in; false if that can't be done any more, because it has debits among those of no month.
-- Attached when it is complete: that locks no partition but the one of no month, for a moment.
create function open_month(at timestamptz) returns boolean language plpgsql as $$
declare
  begins timestamptz := date_trunc('month', at, 'UTC');
  ends timestamptz := date_trunc('month', begins + interval '40 days', 'UTC');
  name text := to_char(begins at time zone 'UTC', '"debits_"YYYY_MM');
begin
  if to_regclass(name) is not null then
    return true;
  end if;
  if exists (select from debits_of_no_month where request_id >= first_id_at(begins) and request_id < first_id_at(ends)) then
    return false;
  end if;
  execute format('create table %I (like debits including all)', name);
  execute format('create trigger append_only before update or delete or truncate on %I
    for each statement execute function refuse_change()', name);
  execute format('alter table debits attach partition %I for values from (%L) to (%L)', name, first_id_at(begins),
    first_id_at(ends));
  return true;
end
$$;

-- Credits that came or went other than by a read: few, and kept forever.
create table statement_entries (
  account_id uuid not null,
  seq bigint not null check (seq > 0),
  request_id uuid not null,
  kind text not null check (kind in ('grant', 'purchase', 'reversal', 'return')),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  balance_after bigint not null check (balance_after >= 0),
  reason text not null,
  at timestamptz not null default now(),
  primary key (account_id, seq),
  unique (account_id, request_id)
);
create trigger append_only before update or delete or truncate on statement_entries
  for each statement execute function refuse_change();

-- Sums are no longer made with each debit but every few minutes: usage, and what a key has spent, are sums and what came
-- after them. `summed_to`: debits with smaller ids are in the sums. One that is posted with such an id all the same is added
-- at once. `summed_seq`: while `last_seq` is above it, there may be something to sum up. `caps_version` rises when a key of
-- the wallet gets a cap or loses one: a debit that was begun before, and saw none, starts again.
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
    select * from debits d
    where d.wallet_number = w.wallet_number and d.request_id >= w.summed_to
      and d.request_id < '03bb2cc3-d800-0000-0000-000000000000'
    offset 0
  ) d;

-- What keys have spent since the period began that is running.
create function keys_spent(account uuid, key_ids uuid[], period text) returns bigint language sql stable as $$
  select (case period
      when 'total' then (
        select coalesce(sum(spent_thousandths), 0) from keys where account_id = account and key_id = any(key_ids))
      else (
        select coalesce(sum(amount_thousandths), 0) from (
          select key_id, amount_thousandths from usage_hours
          where account_id = account and hour >= period_began(period, now())
          union all
          select key_id, amount_thousandths from usage_days
          where account_id = account and day >= (period_began(period, now()) at time zone 'UTC')::date
        ) sums where key_id = any(key_ids))
      end + (
        select coalesce(sum(d.amount_thousandths), 0) from unsummed_debits d join keys k using (account_id, key_number)
        where d.account_id = account and k.key_id = any(key_ids) and d.at >= period_began(period, now()))
    )::bigint
$$;

-- A key that gets or loses a cap: debits that saw it otherwise find another version. Nodes of the version before count what
-- the keys have spent without the wallet's lock: it is counted again under it.
create function change_caps() returns trigger language plpgsql as $$
begin
  update wallets set caps_version = caps_version + 1 where account_id = new.account_id;
  update spend_caps c set spent_thousandths = keys_spent(new.account_id,
      (select array_agg(key_id) from keys where account_id = new.account_id and cap_id = new.cap_id), c.period)
    where c.cap_id = new.cap_id;
  return null;
end
$$;
create trigger change_caps after update of cap_id on keys for each row
  when (new.cap_id is distinct from old.cap_id) execute function change_caps();

alter table ledger_entries rename to older_entries;
-- Moved rows are deleted in the transaction that writes them anew.
drop trigger append_only on older_entries;
create trigger append_only before update or delete or truncate on older_entries for each statement
  when (coalesce(current_setting('perch.moving', true), '') <> 'on') execute function refuse_change();
-- It is emptied at once in the end: until then, cleaning up behind what was moved would only be work.
alter table older_entries set (autovacuum_enabled = false);

create function receipt_lines(lines text, operation text) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_agg(jsonb_build_object('path', coalesce(nullif(word[1], ''), operation), 'unit', word[2], 'cache', word[3],
    'items', word[4]::bigint, 'unitPrice', word[5]::bigint) order by nth), '[]')
  from string_to_table(lines, ';') with ordinality as line(line, nth), string_to_array(line, ' ') as word
$$;

-- Every entry of the ledger, wherever it is.
create view ledger_entries as
  select w.account_id, w.wallet_id, d.seq, d.request_id, 'debit' as kind, d.amount_thousandths, d.balance_after, k.key_id,
    d.operation, d.items, d.cache_hits, receipt_lines(d.lines, d.operation) as lines, null as reason, d.at
  from debits d left join wallets w using (wallet_number)
    left join keys k on k.account_id = w.account_id and k.key_number = d.key_number
  union all
  select s.account_id, w.wallet_id, s.seq, s.request_id, s.kind, s.amount_thousandths, s.balance_after, null, null, null, null,
    null, s.reason, s.at
  from statement_entries s left join wallets w using (account_id)
  union all
  select account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id, operation, items, cache_hits,
    lines, reason, at
  from older_entries;

-- For nodes of the version before, and their sums.
alter view ledger_entries alter column at set default now();
create function post_older() returns trigger language plpgsql as $$
begin
  insert into older_entries select new.*;
  return new;
end
$$;
create trigger post_older instead of insert on ledger_entries for each row execute function post_older();
