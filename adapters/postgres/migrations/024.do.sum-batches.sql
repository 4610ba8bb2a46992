-- Batches of sums that were written in the last days: one whose acknowledgement was lost is counted once (S22).
create table sum_batches (
  batch_id uuid primary key,
  written_at timestamptz not null default now()
);
create index sum_batches_by_age on sum_batches (written_at);
