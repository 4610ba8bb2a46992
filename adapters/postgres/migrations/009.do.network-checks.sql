-- Which questions of a network's own check were asked, by all processes together: each is asked once a day.
create table network_checks (
  -- A digest of the credentials and of what is asked.
  question text primary key check (length(question) = 43),
  asked_at timestamptz not null default now(),
  -- Whether the answer was good; null until it is there. A refusal is not kept: it costs nothing to ask again.
  is_good boolean
);
