-- The corpus network: profiles, tweets and follow edges as somebody imported them.
--
-- Filling it: INSERT the plain columns (ON CONFLICT on the primary key); every derived column is generated. After a bulk
-- load run VACUUM (ANALYZE) on the three tables: it merges the pending part of the text index and tells the planner.
-- A column that is null is unknown, never zero or false (T10); times are whole milliseconds (T11).

CREATE TABLE corpus_users (
  id bigint PRIMARY KEY,
  handle text NOT NULL,
  name text NOT NULL,
  bio text,
  location text,
  url text,
  avatar_url text,
  banner_url text,
  verified boolean,
  protected boolean,
  followers bigint,
  following bigint,
  tweets bigint,
  likes bigint,
  listed bigint,
  created_at timestamptz(3),
  pinned_tweet_ids bigint[],
  -- The People search: handle, name and bio as words; the handle also whole, since words end at an underscore.
  search tsvector NOT NULL GENERATED ALWAYS AS (
    to_tsvector('simple', left(handle || ' ' || name || ' ' || coalesce(bio, ''), 50000)) || array_to_tsvector(ARRAY[':at=' || lower(left(handle, 100))])
  ) STORED,
  -- How the People search sorts.
  standing bigint NOT NULL GENERATED ALWAYS AS (coalesce(followers, 0)) STORED
);

-- A handle may be claimed twice by imports of different age: the highest id, which is the youngest account, has it.
CREATE INDEX corpus_users_handle ON corpus_users (lower(handle), id DESC);
CREATE INDEX corpus_users_protected ON corpus_users (id) WHERE protected;
CREATE INDEX corpus_users_search ON corpus_users USING gin (search);
CREATE INDEX corpus_users_standing ON corpus_users (standing DESC, id DESC);

-- What a tweet is found by, beside its words, as terms that no word of a text can be:
--   :lang=en  :tag=art  :at=nasa  :cash=tsla  :url=nytimes (each part of an address)
--   :is=reply|retweet|quote|media|image|video|link|tag|mention
--   :likes=100 :retweets=10 :replies=1000 (every power of ten that the counter reaches, from 10 on)
-- Everything in one vector lets one index intersect any mix of operators without touching the table.
-- Tags and mentions that a source did not list are taken from the text for this purpose only.
-- Every imported row comes through here, so: loops over one or two items, which cost less than starting a sub-select.
CREATE FUNCTION corpus_tweet_terms(
  whole text, lang text, media jsonb, urls text[], hashtags text[], mentions text[],
  is_retweet boolean, is_quote boolean, is_reply boolean, likes bigint, retweets bigint, replies bigint
) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- No vector holds more than a megabyte.
  text text := left(whole, 50000);
  terms text[] := '{}';
  tags text[] := hashtags;
  handles text[] := mentions;
  item text;
BEGIN
  IF lang IS NOT NULL THEN terms := terms || (':lang=' || lower(left(lang, 20))); END IF;
  IF is_reply THEN terms := terms || ':is=reply'::text; END IF;
  IF is_retweet THEN terms := terms || ':is=retweet'::text; END IF;
  IF is_quote THEN terms := terms || ':is=quote'::text; END IF;

  IF jsonb_typeof(media) = 'array' AND media <> '[]' THEN
    terms := terms || ':is=media'::text;
    IF media @> '[{"type":"photo"}]' THEN terms := terms || ':is=image'::text; END IF;
    IF media @> '[{"type":"video"}]' THEN terms := terms || ':is=video'::text; END IF;
  END IF;

  IF tags IS NULL AND position('#' IN text) > 0 THEN
    SELECT array_agg(m[1]) INTO tags FROM regexp_matches(text, '#((?:[^\s[:punct:]]|_)+)', 'g') AS m;
  END IF;
  IF cardinality(tags) > 0 THEN
    terms := terms || ':is=tag'::text;
    FOREACH item IN ARRAY tags LOOP
      IF item <> '' THEN terms := terms || (':tag=' || lower(left(item, 100))); END IF;
    END LOOP;
  END IF;

  IF handles IS NULL AND position('@' IN text) > 0 THEN
    SELECT array_agg(m[1]) INTO handles FROM regexp_matches(text, '(?:^|[^[:alnum:]_@])@([A-Za-z0-9_]+)', 'g') AS m;
  END IF;
  IF cardinality(handles) > 0 THEN
    terms := terms || ':is=mention'::text;
    FOREACH item IN ARRAY handles LOOP
      IF item <> '' THEN terms := terms || (':at=' || lower(left(item, 100))); END IF;
    END LOOP;
  END IF;

  IF position('$' IN text) > 0 THEN
    terms := terms || ARRAY(SELECT ':cash=' || lower(m[1]) FROM regexp_matches(text, '\$([A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?)\M', 'g') AS m);
  END IF;

  IF cardinality(urls) > 0 THEN
    terms := terms || ':is=link'::text;
    FOREACH item IN ARRAY urls LOOP
      item := regexp_replace(lower(left(item, 2000)), '[^a-z0-9]+', ' :url=', 'g');
      IF length(item) > 100 THEN item := regexp_replace(item, '[a-z0-9]{101,}', '', 'g'); END IF;
      terms := terms || string_to_array(':url=' || item, ' ');
    END LOOP;
    terms := array_remove(array_remove(array_remove(terms, ':url='), ':url=http'), ':url=https');
  ELSIF urls IS NULL AND text ~ 'https?://' THEN
    terms := terms || ':is=link'::text;
  END IF;

  IF likes >= 10 THEN
    terms := terms || ('{:likes=10,:likes=100,:likes=1000,:likes=10000,:likes=100000,:likes=1000000,:likes=10000000}'::text[])[:length(likes::text) - 1];
  END IF;
  IF retweets >= 10 THEN
    terms := terms || ('{:retweets=10,:retweets=100,:retweets=1000,:retweets=10000,:retweets=100000,:retweets=1000000,:retweets=10000000}'::text[])[:length(retweets::text) - 1];
  END IF;
  IF replies >= 10 THEN
    terms := terms || ('{:replies=10,:replies=100,:replies=1000,:replies=10000,:replies=100000,:replies=1000000,:replies=10000000}'::text[])[:length(replies::text) - 1];
  END IF;

  RETURN to_tsvector('simple', text) || array_to_tsvector(terms);
END
$$;

CREATE TABLE corpus_tweets (
  id bigint PRIMARY KEY,
  text text NOT NULL,
  lang text,
  created_at timestamptz(3) NOT NULL,
  author_id bigint NOT NULL,
  conversation_id bigint,
  in_reply_to_id bigint,
  in_reply_to_user_id bigint,
  quoted_id bigint,
  retweeted_id bigint,
  replies bigint,
  retweets bigint,
  likes bigint,
  quotes bigint,
  bookmarks bigint,
  views bigint,
  -- An array of {type, url, preview_url, width, height}; what is unknown is left out.
  media jsonb,
  urls text[],
  hashtags text[],
  -- Handles, without the @.
  mentions text[],
  is_retweet boolean,
  is_quote boolean,
  is_reply boolean,
  source text,
  search tsvector NOT NULL GENERATED ALWAYS AS (
    corpus_tweet_terms(text, lang, media, urls, hashtags, mentions,
      coalesce(is_retweet, retweeted_id IS NOT NULL), coalesce(is_quote, quoted_id IS NOT NULL),
      coalesce(is_reply, in_reply_to_id IS NOT NULL), likes, retweets, replies)
  ) STORED,
  -- How Top sorts. A retweet carries the counters of its original, so it has none of its own and comes last.
  engagement bigint NOT NULL GENERATED ALWAYS AS (
    CASE WHEN coalesce(is_retweet, retweeted_id IS NOT NULL) THEN -1
    ELSE coalesce(likes, 0) + 2 * coalesce(retweets, 0) + 2 * coalesce(quotes, 0) + coalesce(replies, 0) END
  ) STORED
);

CREATE INDEX corpus_tweets_time ON corpus_tweets (created_at DESC, id DESC);
CREATE INDEX corpus_tweets_engagement ON corpus_tweets (engagement DESC, id DESC);
CREATE INDEX corpus_tweets_author ON corpus_tweets (author_id, created_at DESC, id DESC);
CREATE INDEX corpus_tweets_reply ON corpus_tweets (in_reply_to_id, created_at, id) WHERE in_reply_to_id IS NOT NULL;
CREATE INDEX corpus_tweets_reply_user ON corpus_tweets (in_reply_to_user_id, created_at DESC, id DESC) WHERE in_reply_to_user_id IS NOT NULL;
CREATE INDEX corpus_tweets_conversation ON corpus_tweets (conversation_id, created_at DESC, id DESC) WHERE conversation_id IS NOT NULL;
CREATE INDEX corpus_tweets_quote ON corpus_tweets (quoted_id, created_at DESC, id DESC) WHERE quoted_id IS NOT NULL;
CREATE INDEX corpus_tweets_retweet ON corpus_tweets (retweeted_id, created_at DESC, id DESC) WHERE retweeted_id IS NOT NULL;
-- For min_faves: and its kin far up the scale; few rows are that high.
CREATE INDEX corpus_tweets_likes ON corpus_tweets (likes) WHERE likes >= 1000;
CREATE INDEX corpus_tweets_retweets ON corpus_tweets (retweets) WHERE retweets >= 1000;
CREATE INDEX corpus_tweets_replies ON corpus_tweets (replies) WHERE replies >= 1000;
CREATE INDEX corpus_tweets_search ON corpus_tweets USING gin (search);

CREATE TABLE corpus_follows (
  follower_id bigint NOT NULL,
  followed_id bigint NOT NULL,
  -- The line of the imported file, first line first, in both directions; an edge keeps its first one (C20).
  ordinal bigint NOT NULL,
  PRIMARY KEY (follower_id, followed_id)
);

CREATE INDEX corpus_follows_following ON corpus_follows (follower_id, ordinal, followed_id);
CREATE INDEX corpus_follows_followers ON corpus_follows (followed_id, ordinal, follower_id);
