-- Sales follow the processor's latest word (W7, W13): disputed credits are set aside while a dispute is open, and a verdict can
-- be overturned. `held_thousandths` is a part of what was taken back so far; it is set when a sale is next looked up.
alter table statement_entries drop constraint statement_entries_kind_check;
alter table statement_entries add constraint statement_entries_kind_check
  check (kind in ('grant', 'purchase', 'reversal', 'hold', 'return'));
alter table sales add column held_thousandths bigint not null default 0 check (held_thousandths >= 0),
  -- The number of the look that was applied last.
  add column look bigint not null default 0;

-- In the order in which looks begin.
create sequence payment_looks;

-- The account is frozen because this dispute was lost, and not by an operator.
alter table sale_disputes add column freezes boolean not null default false;
update sale_disputes d set freezes = true from accounts a
  where a.account_id = d.account_id and a.frozen_at is not null and d.state = 'lost' and (
    select who from audit_log l where l.account_id = d.account_id and what = 'account.frozen' order by event_id desc limit 1
  ) = 'payments';
