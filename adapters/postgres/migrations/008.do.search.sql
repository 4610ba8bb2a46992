-- The corpus is searched by words that Perch cuts itself (adapters/networks/corpus/search), the same on every server.
--
-- So `search`, and the order of Top, are no longer generated. A row where `search` is null is found by no search yet: one
-- of an earlier version, or written by hand. Each start indexes such rows before it serves. To change a row by hand, set
-- its `search` to null.

ALTER TABLE corpus_tweets DROP COLUMN search;
ALTER TABLE corpus_users DROP COLUMN search;
DROP FUNCTION corpus_tweet_terms;
-- Likes and the like alone; now `rank` (search/rank.ts) takes time into account.
ALTER TABLE corpus_tweets DROP COLUMN engagement;

ALTER TABLE corpus_tweets ADD COLUMN search tsvector;
ALTER TABLE corpus_users ADD COLUMN search tsvector;

ALTER TABLE corpus_tweets ADD COLUMN rank bigint;

CREATE INDEX corpus_tweets_rank ON corpus_tweets (rank DESC, id DESC);
CREATE INDEX corpus_tweets_search ON corpus_tweets USING gin (search);
CREATE INDEX corpus_users_search ON corpus_users USING gin (search);
CREATE INDEX corpus_tweets_unindexed ON corpus_tweets (id) WHERE search IS NULL;
CREATE INDEX corpus_users_unindexed ON corpus_users (id) WHERE search IS NULL;
