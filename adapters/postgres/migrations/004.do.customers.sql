-- What customers touch beside reads: sign-in, caps with a period, sales, OAuth grants, and the log of all of it.

-- A cap is a thing of its own, so that a rotated key goes on under the one it had (A10), overlap included. `spent` counts
-- from `period_start` on: for a cap on the total from the beginning of time.
create table spend_caps (
  account_id uuid not null references accounts,
  cap_id uuid not null default gen_random_uuid(),
  cap_thousandths bigint not null check (cap_thousandths >= 0),
  period text not null default 'total' check (period in ('total', 'month', 'day')),
  period_start timestamptz not null default '-infinity',
  spent_thousandths bigint not null default 0 check (spent_thousandths >= 0),
  primary key (account_id, cap_id),
  check (spent_thousandths <= cap_thousandths)
) with (fillfactor = 50);
create index spend_caps_by_id on spend_caps (cap_id);

-- When the period that `at` lies in began; calendar days and months of UTC.
create function period_began(period text, at timestamptz) returns timestamptz language sql stable parallel safe as $$
  select case period when 'day' then date_trunc('day', at, 'UTC') when 'month' then date_trunc('month', at, 'UTC')
    else '-infinity'::timestamptz end
$$;

-- `family_id`: the first of the keys that replaced each other.
alter table keys add column cap_id uuid, add column grant_id uuid, add column family_id uuid;
update keys set cap_id = gen_random_uuid() where cap_thousandths is not null;
insert into spend_caps (account_id, cap_id, cap_thousandths, spent_thousandths)
  select account_id, cap_id, cap_thousandths, spent_thousandths from keys where cap_id is not null;
alter table keys add foreign key (account_id, cap_id) references spend_caps;

-- Nodes of the version before run on this for the time of an upgrade: they know a key's own cap and spending, and neither
-- periods nor that keys can share one. What follows, up to the indexes, goes with them: the column mirrors the cap, the
-- counter tells what they have spent beside the cap's own.
alter table keys drop constraint keys_check;
alter table keys add column counted_thousandths bigint not null default 0;
update keys set counted_thousandths = spent_thousandths;
create function mirror_cap() returns trigger language plpgsql as $$
begin
  if new.cap_id is null and new.cap_thousandths is not null and tg_op = 'INSERT' then
    insert into spend_caps (account_id, cap_thousandths) values (new.account_id, new.cap_thousandths)
      returning cap_id into new.cap_id;
  else
    select cap_thousandths into new.cap_thousandths from spend_caps where cap_id = new.cap_id;
  end if;
  return new;
end
$$;
create trigger mirror_cap before insert or update of cap_id on keys for each row execute function mirror_cap();
create function count_older_debits() returns trigger language plpgsql as $$
begin
  update spend_caps set period_start = greatest(period_start, period_began(period, now())),
    spent_thousandths = new.spent_thousandths - old.spent_thousandths +
      case when period_start >= period_began(period, now()) then spent_thousandths else 0 end
    where cap_id = new.cap_id;
  new.counted_thousandths := new.spent_thousandths;
  return new;
end
$$;
create trigger count_older_debits before update of spent_thousandths on keys for each row
  when (new.counted_thousandths <> new.spent_thousandths) execute function count_older_debits();

create index keys_by_cap on keys (cap_id) where cap_id is not null;
create index keys_by_family on keys (family_id) where family_id is not null;
create index keys_by_grant on keys (grant_id) where grant_id is not null;
drop trigger tell_key_change on keys;
create trigger tell_key_change after insert or update of cap_id, expires_at, revoked_at on keys
  for each row execute function tell_key_change();

create function tell_cap_change() returns trigger language plpgsql as $$
begin
  update keys set cap_thousandths = new.cap_thousandths where cap_id = new.cap_id;
  perform pg_notify('perch_key_change', encode(hash, 'hex')) from keys where cap_id = new.cap_id;
  return null;
end
$$;
create trigger tell_cap_change after update on spend_caps for each row
  when ((old.cap_thousandths, old.period) is distinct from (new.cap_thousandths, new.period))
  execute function tell_cap_change();

-- Only of keys that still work: an account may have had many.
create or replace function tell_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('perch_key_change', encode(hash, 'hex')) from keys
    where account_id = new.account_id and revoked_at is null and (expires_at is null or expires_at > now());
  return null;
end
$$;

create index accounts_by_email on accounts (lower(email)) where email is not null;

-- Credits also come in by a purchase, go back with a refund or a dispute, and come again when a dispute is won (W6, W7).
alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check
  check (kind in ('debit', 'grant', 'purchase', 'reversal', 'return'));
alter table ledger_entries drop constraint ledger_entries_check1;
alter table ledger_entries add constraint ledger_entries_reason check (kind = 'debit' or reason is not null);
-- What is no debit is rare: statements of an account, and what it was last topped up to.
create index ledger_entries_beside_debits on ledger_entries (account_id, seq) where kind <> 'debit';

-- Everything that works once and then never again; only hashes. `subject` is its kind's own.
create table one_time_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text not null check (kind in ('sign_in', 'passkey', 'code')),
  subject jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  spent_at timestamptz
);
create index one_time_tokens_by_end on one_time_tokens (expires_at);

create table sessions (
  account_id uuid not null references accounts,
  session_id uuid not null default gen_random_uuid(),
  hash bytea not null unique check (octet_length(hash) = 32),
  method text not null check (method in ('link', 'passkey')),
  user_agent text,
  address text,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, session_id)
);

create table passkeys (
  account_id uuid not null references accounts,
  -- base64url, as browsers give it.
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (account_id, credential_id)
);

-- Registered by themselves (RFC 7591). Clients that are documents (A13) have no row.
create table oauth_clients (
  client_id text primary key,
  name text not null,
  uri text,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  created_at timestamptz not null default now(),
  used_at timestamptz
);

create table oauth_grants (
  account_id uuid not null references accounts,
  grant_id uuid not null default gen_random_uuid(),
  client_id text not null,
  client_name text not null,
  resource text,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  primary key (account_id, grant_id)
);
create index oauth_grants_by_client on oauth_grants (client_id) where revoked_at is null;

create table oauth_refresh_tokens (
  hash bytea primary key check (octet_length(hash) = 32),
  account_id uuid not null,
  grant_id uuid not null,
  -- The key that was given together with it.
  key_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (account_id, grant_id) references oauth_grants
);
create index oauth_refresh_tokens_by_grant on oauth_refresh_tokens (grant_id);

-- One row per checkout: the pack as it was sold (W3), and what has come of it.
create table sales (
  account_id uuid not null references accounts,
  sale_id uuid not null default gen_random_uuid(),
  -- Null until the processor has opened its page.
  session_id text unique,
  url text,
  idempotency_key text,
  pack text not null,
  usd integer not null check (usd > 0),
  credits_thousandths bigint not null check (credits_thousandths > 0),
  state text not null default 'open' check (state in ('open', 'paid', 'expired', 'mismatched')),
  payment_intent text,
  created_at timestamptz not null default now(),
  -- With its page: looks are counted from there (W4).
  opened_at timestamptz,
  paid_at timestamptz,
  looked_at timestamptz not null default now(),
  refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  -- Taken back so far, and what the wallet no longer had (W6).
  reversed_thousandths bigint not null default 0 check (reversed_thousandths >= 0),
  shortfall_thousandths bigint not null default 0 check (shortfall_thousandths >= 0),
  primary key (account_id, sale_id),
  check (reversed_thousandths + shortfall_thousandths <= credits_thousandths)
);
create index sales_by_id on sales (sale_id);
create unique index sales_by_idempotency_key on sales (account_id, idempotency_key) where idempotency_key is not null;
create index sales_by_payment on sales (payment_intent) where payment_intent is not null;
create index sales_open on sales (looked_at) where state = 'open';

create table sale_disputes (
  dispute_id text primary key,
  account_id uuid not null,
  sale_id uuid not null,
  state text not null check (state in ('open', 'won', 'lost')),
  amount_cents bigint not null check (amount_cents >= 0),
  foreign key (account_id, sale_id) references sales
);
create index sale_disputes_by_sale on sale_disputes (sale_id);

create table payment_events (
  event_id text primary key,
  type text not null,
  session_id text,
  received_at timestamptz not null default now()
);

-- Which of the notices of a low balance went out, for which top-up.
create table balance_notices (
  account_id uuid not null references accounts,
  topup_seq bigint not null,
  percent integer not null,
  sent_at timestamptz not null default now(),
  primary key (account_id, topup_seq, percent)
);

-- Every change of state, for the customer to read.
create table audit_log (
  account_id uuid not null,
  event_id bigint generated always as identity,
  at timestamptz not null default now(),
  what text not null,
  who text not null check (who in ('customer', 'operator', 'client', 'payments', 'service')),
  address text,
  detail jsonb not null default '{}',
  primary key (account_id, event_id)
);
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append only: % refused', tg_table_name, tg_op using errcode = 'restrict_violation';
end
$$;
create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
