-- What is in a tweet besides text and media (T22). Null: not known.
--   audio: [{url, alt_text}]   poll: {options: [{text, votes}], ends_at}   articles: [{title, url}]
-- Columns without a default take no time, whatever the size of the table.
alter table corpus_tweets add column audio jsonb, add column poll jsonb, add column articles jsonb;
alter table invented_tweets add column audio jsonb, add column poll jsonb, add column articles jsonb;
