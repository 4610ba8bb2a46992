-- By which version of the index (adapters/networks/corpus/import/index-corpus.ts) the rows of the corpus, and those of the
-- invented network of test keys, are found. Those of an earlier version are indexed anew when the tables are opened.
create table search_index (
  tables text primary key check (tables in ('corpus', 'invented')),
  version integer not null
);

-- Every start has indexed the corpus. The invented network was never indexed again: 014 passed it by.
insert into search_index (tables, version) values ('corpus', 1);
