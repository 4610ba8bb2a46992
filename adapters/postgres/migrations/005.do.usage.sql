-- What debits sum up to, so that questions about the past cost what they answer. An hour's sums are kept for the last days,
-- then they are folded into its day's (`tidy.ts`): usage is both together, at any moment.
create table usage_hours (
  account_id uuid not null,
  -- Begin of the hour that the entries' `at` lies in, UTC.
  hour timestamptz not null,
  -- The operation, at most 64 characters of it: entries of older versions may have longer ones.
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

-- Whoever inserts a debit holds its wallet's row locked, so nobody else sums for that account; and in one order, so that two
-- statements never wait for each other in a ring. A trigger: nodes of the version before sum as well, without knowing it.
create function sum_usage() returns trigger language plpgsql as $$
begin
  insert into usage_hours as u (account_id, hour, endpoint, key_id, requests, items, cache_hits, amount_thousandths)
  select account_id, date_trunc('hour', at, 'UTC') as hour, left(operation, 64) as endpoint, key_id,
    count(*), sum(items), sum(cache_hits), sum(amount_thousandths)
  from inserted where kind = 'debit' group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (account_id, hour, endpoint, key_id) do update set
    requests = u.requests + excluded.requests,
    items = u.items + excluded.items,
    cache_hits = u.cache_hits + excluded.cache_hits,
    amount_thousandths = u.amount_thousandths + excluded.amount_thousandths;
  return null;
end
$$;
-- This waits for the debits that are on their way and lets no other begin until the migration is committed.
create trigger sum_usage after insert on ledger_entries referencing new table as inserted
  for each statement execute function sum_usage();

-- What was posted before the trigger: of each wallet the entries after `summed_seq`, up to `until_seq`. One short row per
-- wallet is all that debits wait for; summing up goes on behind their backs, in steps, and ends with the row. Until then
-- questions count the rest in the ledger.
create table usage_unsummed (
  account_id uuid not null,
  wallet_id uuid not null,
  summed_seq bigint not null default 0,
  until_seq bigint not null,
  primary key (account_id, wallet_id)
);
insert into usage_unsummed (account_id, wallet_id, until_seq)
  select account_id, wallet_id, last_seq from wallets where last_seq > 0;

-- Names that an account gave its own operations, at most 100 a day (M30). Yesterday's rows go away (`tidy.ts`).
create table operation_names (
  account_id uuid not null,
  day date not null,
  names text[] not null,
  primary key (account_id, day)
);
create index operation_names_by_day on operation_names (day);
