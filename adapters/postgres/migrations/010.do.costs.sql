-- What reads earned and cost, for the operator: sums by UTC day, network and operation. Not the ledger, which is exact.
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
