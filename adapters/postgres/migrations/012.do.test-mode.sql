-- Test mode: a customer's account has a second one, its test account, with a wallet of play credits and keys of its own. Keys,
-- receipts, usage, caps and limits go by account, so what is done in test mode is apart from what is done live.

-- The customer's account that a test account belongs to; null for a customer's own.
alter table accounts add column test_of uuid references accounts check (test_of <> account_id);
create unique index accounts_test_of on accounts (test_of) where test_of is not null;

-- Of a test account: the UTC day of the last refill.
alter table wallets add column refilled_on date;

-- Who freezes an account freezes its test keys, and they have its rate.
create or replace function tell_account_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('perch_key_change', encode(hash, 'hex')) from keys
    where (account_id = new.account_id or account_id in (select account_id from accounts where test_of = new.account_id))
      and revoked_at is null and (expires_at is null or expires_at > now());
  return null;
end
$$;

-- The invented network, which test keys read whatever network the service reads: filled when the first of them reads it. Not
-- the corpus, whose rows are live data.
create table invented_users (like corpus_users including all);
create table invented_tweets (like corpus_tweets including all);
create table invented_follows (like corpus_follows including all);
