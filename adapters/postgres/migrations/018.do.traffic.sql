-- Requests, for the operator: sums by UTC hour, written once a minute by each process.
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

-- Sales of some days, for the operator's page on money.
create index sales_by_day on sales (paid_at) where state = 'paid';
