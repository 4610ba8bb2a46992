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
