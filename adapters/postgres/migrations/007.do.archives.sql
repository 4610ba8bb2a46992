-- Months of debits that were written to files and left the database (`archives.ts`), with what the books need to stay exact
-- without them: `perch ledger check` goes on from these sums, and `perch ledger restore` takes them out again.

create table ledger_archives (
  -- Its first day, UTC.
  month date primary key check (extract(day from month) = 1),
  rows bigint not null check (rows >= 0),
  amount_thousandths numeric not null check (amount_thousandths >= 0),
  file text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  at timestamptz not null default now()
);

-- Archived entries of a wallet that follow each other without another in between are one row: its place in the chain of
-- entries. Grants and debits of other months, posted among them, begin a new one.
create table archived_debits (
  month date not null references ledger_archives,
  wallet_number integer not null,
  first_seq bigint not null,
  last_seq bigint not null check (last_seq >= first_seq),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  -- After the last one.
  balance_after bigint not null check (balance_after >= 0),
  primary key (month, wallet_number, first_seq)
);

-- What archived debits are in the sums of usage and keys.
create table archived_usage (
  month date not null references ledger_archives,
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

-- Deleted by a restore only. So is a debit of no month: one that was posted for a month after it was archived.
do $$
declare
  name text;
begin
  drop trigger append_only on debits_of_no_month;
  foreach name in array array['ledger_archives', 'archived_debits', 'archived_usage', 'debits_of_no_month'] loop
    execute format('create trigger append_only before update or delete or truncate on %I for each statement
      when (coalesce(current_setting(''perch.moving'', true), '''') <> ''on'') execute function refuse_change()', name);
  end loop;
end
$$;
