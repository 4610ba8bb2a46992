-- A tweet is also found by the spans of time and of rank that it lies in (adapters/networks/corpus/search/spans.ts): those
-- that were indexed without them are indexed anew at the start, as 008 says. After a version before 008 there are none.

UPDATE corpus_tweets SET search = NULL WHERE search IS NOT NULL;
