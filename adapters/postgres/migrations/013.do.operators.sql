-- For the operator's pages. Who of several operators made a change: shown to operators, never to the customer.
alter table audit_log add column operator_id uuid;
create index audit_log_by_operators on audit_log (event_id) where who = 'operator';

-- Lists of accounts begin with the newest.
create index accounts_by_creation on accounts (created_at, account_id);
