-- A mailbox, however its address is written: case, what follows a plus, and at Gmail dots and the older name of the domain.
create function mailbox_of(email text) returns text language sql immutable strict parallel safe as $$
  select case when domain in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com'
    else name || '@' || domain end
  from (
    select coalesce(nullif(split_part(local, '+', 1), ''), local) as name, domain
    from (
      select regexp_replace(lower(email), '@[^@]*$', '') as local, regexp_replace(lower(email), '^.*@', '') as domain
    ) parts
  ) named
$$;

-- Mailboxes that an account received its starting credits for: once each.
create table starting_credits (
  mailbox text primary key,
  account_id uuid not null
);

insert into starting_credits (mailbox, account_id)
select distinct on (mailbox_of(a.email)) mailbox_of(a.email), a.account_id
from accounts a
where a.email is not null and exists (
  select from ledger_entries e where e.account_id = a.account_id and e.request_id = a.account_id
)
order by mailbox_of(a.email), a.created_at, a.account_id;
