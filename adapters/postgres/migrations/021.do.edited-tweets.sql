-- An edited tweet has an id for each of its versions, and lists have the latest one alone. `earlier_ids` is what a source says
-- of the latest; `edited_to` follows from it after each import: the latest version that is there, null for that one.
alter table corpus_tweets add column earlier_ids bigint[], add column edited_to bigint;
alter table invented_tweets add column earlier_ids bigint[], add column edited_to bigint;
create index corpus_tweets_edited on corpus_tweets (id) where earlier_ids is not null;
create index invented_tweets_edited on invented_tweets (id) where earlier_ids is not null;
