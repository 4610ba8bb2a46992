import { expect, it } from 'vitest';
import { loadInTurns } from '../../../adapters/networks/corpus/import/load.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { runOn } from '../../../adapters/networks/corpus/run.js';
import { createPostgresIndex } from '../../../adapters/networks/corpus/search/postgres-index.js';
import { parseQuery } from '../../../adapters/networks/search/parse.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { type IndexUnderTest, tweetIndexSuite } from './tweet-index.suite.js';

/** Loads the rows as one import, into partitions of this many. */
async function open(rows: readonly CorpusRow[], mostRows: number, least: number): Promise<IndexUnderTest> {
  const { sql, drop } = await freshDatabase({ max: 6 });
  const identity = { id: 'suite', content: 'suite', paths: ['suite.ndjson'] };
  await loadInTurns(sql, rows, identity, { batches: 1, mostRows });
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from pg_inherits where inhparent = 'corpus_tweets'::regclass`;
  expect(row?.count).toBeGreaterThanOrEqual(least);
  return { index: createPostgresIndex(runOn(sql)), drop };
}

tweetIndexSuite('one table', (rows) => open(rows, 1_000_000, 0));
tweetIndexSuite('partitions, in the order of ids', (rows) => open(rows, 800, 3));
tweetIndexSuite('partitions, in another order', (rows) =>
  open(
    rows.map((_, index) => rows[(index * 5003) % rows.length] as CorpusRow),
    800,
    3,
  ),
);

it('plans a search of words once, whatever the words', async () => {
  const { sql, drop } = await freshDatabase({ max: 1 });
  const index = createPostgresIndex(runOn(sql));
  const find = (q: string, order: 'time' | 'rank') =>
    index.find({ query: parseQuery(q), order, after: null, limit: 20 }, new AbortController().signal);
  for (let nth = 0; nth < 8; nth += 1) {
    for (const q of [`word${nth}`, `two${nth} words${nth}`, `#tag${nth} -other${nth}`]) {
      for (const order of ['time', 'rank'] as const) await find(q, order);
    }
  }
  const kept = await sql<{ generic: number; custom: number }[]>`
    select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
    where statement like '%corpus_tweets%' and statement like '%position%' and statement not like '%pg_prepared%'`;
  // In the list's own order and by the index, for each of two orders. The first five plans are made for the actual
  // words.
  expect(kept).toEqual(Array.from({ length: 4 }, () => ({ generic: 19, custom: 5 })));
  await drop();
});
