import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCorpusNetwork } from '../../../adapters/networks/corpus/network.js';
import type { CorpusPool } from '../../../adapters/networks/corpus/run.js';
import type { ListRef } from '../../../src/domain/lists.js';
import { type Corpus, freshCorpus, idsOf } from './corpus-fixture.js';

const PROFILES = 20_000;
/** More than a page, its authors and the sample of a search need; far fewer than all. */
const FEW = 5_000;

let corpus: Corpus;
beforeAll(async () => {
  corpus = await freshCorpus();
  const { sql } = corpus;
  await sql`insert into corpus_users (id, handle, name, protected, verified)
    select n, 'h' || n, 'N', n > 10, n > 10 from generate_series(1, ${PROFILES}) n`;
  await sql`insert into corpus_tweets (id, text, author_id, created_at, in_reply_to_id, quoted_id, retweeted_id)
    select n, 'tide', n % 20 + 1, timestamptz '2020-01-01' + n * interval '1 minute', 1, 1, 1 from generate_series(2, 400) n`;
  await corpus.tweet({ id: 1, author_id: 1 });
  await corpus.search('tide');
  await sql`analyze`;
});
afterAll(() => corpus.drop());

const search = (subject: string): ListRef => ({ kind: 'search', subject, product: 'Latest' });

it.each<ListRef>([
  { kind: 'timeline', subject: '2' },
  { kind: 'replies', subject: '1' },
  { kind: 'quotes', subject: '1' },
  { kind: 'retweeters', subject: '1' },
  search('tide'),
  search('tide -filter:verified'),
  { kind: 'search', subject: 'tide', product: 'Top' },
])('reads a page without reading every protected or verified profile: $kind $subject $product', async (list) => {
  const read = await corpus.sql.begin(async (sql) => {
    // Includes rows that this connection read before and Postgres has not yet added to its statistics.
    const rowsRead = async () => {
      const [row] = await sql<{ rows: number }[]>`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'corpus_users'`;
      return row?.rows ?? 0;
    };
    const before = await rowsRead();
    const network = createCorpusNetwork(sql as unknown as CorpusPool);
    const page = await network.page(list, null, corpus.context);
    expect(idsOf(page).length).toBeGreaterThan(0);
    return (await rowsRead()) - before;
  });
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(FEW);
});
