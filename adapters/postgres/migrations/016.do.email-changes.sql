-- A link that changes the mail address of an account works once as well. Checked for new rows only, so that nothing waits.
alter table one_time_tokens drop constraint one_time_tokens_kind_check;
alter table one_time_tokens add constraint one_time_tokens_kind_check
  check (kind in ('sign_in', 'passkey', 'code', 'email_change')) not valid;
