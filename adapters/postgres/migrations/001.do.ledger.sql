-- Accounts, their wallet and keys, and the ledger. Amounts are thousandths of a credit (M3). Every table begins with
-- account_id, so a sharded Postgres can distribute them by it; there the unique index on the hash becomes a plain one.

create table accounts (
  account_id uuid primary key default gen_random_uuid(),
  name text not null,
  email text,
  paid_usd integer not null default 0 check (paid_usd >= 0),
  qps_override integer check (qps_override > 0),
  -- A lost dispute: all keys stop (W8).
  frozen_at timestamptz,
  created_at timestamptz not null default now()
);

-- One wallet per account, shared by its keys. Room in each page keeps the updates of a hot wallet inside it.
create table wallets (
  account_id uuid not null references accounts,
  wallet_id uuid not null default gen_random_uuid(),
  -- Never below zero, and never past what a JSON number holds exactly.
  balance_thousandths bigint not null default 0 check (balance_thousandths between 0 and 9007199254740991),
  last_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  primary key (account_id, wallet_id),
  unique (account_id)
) with (fillfactor = 50);
create index wallets_by_id on wallets (wallet_id);

create table keys (
  account_id uuid not null,
  key_id uuid not null default gen_random_uuid(),
  wallet_id uuid not null,
  -- SHA-256; the key itself is never stored (A11).
  hash bytea not null check (octet_length(hash) = 32),
  prefix text not null,
  name text not null,
  cap_thousandths bigint check (cap_thousandths >= 0),
  spent_thousandths bigint not null default 0 check (spent_thousandths >= 0),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (account_id, key_id),
  foreign key (account_id, wallet_id) references wallets,
  check (spent_thousandths <= cap_thousandths)
) with (fillfactor = 50);
create unique index keys_by_hash on keys (hash);
create index keys_by_id on keys (key_id);
create index keys_by_prefix on keys (prefix);

-- No foreign keys: they would cost two look-ups per row on the hottest insert, and the statement that inserts holds the
-- wallet's and the key's row locked anyway. `perch ledger check` proves them.
create table ledger_entries (
  account_id uuid not null,
  wallet_id uuid not null,
  seq bigint not null check (seq > 0),
  request_id uuid not null,
  kind text not null check (kind in ('debit', 'grant')),
  amount_thousandths bigint not null check (amount_thousandths > 0),
  balance_after bigint not null check (balance_after >= 0),
  key_id uuid,
  operation text,
  items integer,
  cache_hits integer,
  lines jsonb,
  reason text,
  at timestamptz not null default now(),
  primary key (account_id, wallet_id, seq),
  unique (account_id, request_id),
  check (kind <> 'debit' or (key_id, operation, items, cache_hits, lines) is not null),
  check (kind <> 'grant' or reason is not null)
);
create index ledger_entries_by_time on ledger_entries (account_id, at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append only: % refused', tg_op using errcode = 'restrict_violation';
end
$$;
create trigger append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();

-- Nodes remember keys for a moment: whatever changes what a key may do is told at once, whoever changes it (A9, L8).
create function tell_key_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('perch_key_change', encode(new.hash, 'hex'));
  return null;
end
$$;
create trigger tell_key_change after insert or update of cap_thousandths, expires_at, revoked_at on keys
  for each row execute function tell_key_change();

create function tell_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('perch_key_change', encode(hash, 'hex')) from keys where account_id = new.account_id;
  return null;
end
$$;
create trigger tell_account_change after update of paid_usd, qps_override, frozen_at on accounts
  for each row execute function tell_account_change();
