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

create table deliveries (
  account_id uuid not null references accounts,
  delivery_id uuid not null default gen_random_uuid(),
  -- Null: a notice that every customer gets.
  alert_id uuid,
  channel text not null check (channel in ('mail', 'webhook')),
  -- The mail address, or the URL.
  target text not null,
  subject text,
  body text not null,
  created_at timestamptz not null default now(),
  tries integer not null default 0,
  -- Null once it was delivered or given up.
  due_at timestamptz,
  delivered_at timestamptz,
  -- What the receiver answered last, or why there was no answer.
  status integer,
  fault text,
  primary key (account_id, delivery_id),
  foreign key (account_id, alert_id) references alerts on delete cascade
);
create index deliveries_due on deliveries (channel, due_at) where due_at is not null;
create index deliveries_by_alert on deliveries (account_id, alert_id, created_at);
create index deliveries_by_age on deliveries (created_at);
