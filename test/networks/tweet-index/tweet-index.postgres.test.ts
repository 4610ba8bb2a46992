import { expect } from 'vitest';
import { loadInTurns } from '../../../adapters/networks/corpus/import/load.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { runOn } from '../../../adapters/networks/corpus/run.js';
import { createPostgresIndex } from '../../../adapters/networks/corpus/search/postgres-index.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { type IndexUnderTest, tweetIndexSuite } from './tweet-index.suite.js';

/** Rows as one import, into partitions of so many. */
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
