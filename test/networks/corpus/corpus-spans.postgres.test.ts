import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import { computeRank } from '../../../adapters/networks/corpus/search/rank.js';
import { type Corpus, freshCorpus } from './corpus-fixture.js';

/** More matches than can fill a page when they are looked at in order. */
const RECENT = 1100;
const SHORT_MS = 2 ** 31;
const LONG_MS = 2 ** 35;

interface Row {
  readonly id: number;
  readonly at: number;
  readonly likes: number;
  readonly retweet: boolean;
  readonly odd: boolean;
}

/** Words that were common long ago, and at the edges of every span; newer tweets have other words. */
const rows: Row[] = [];
const add = (at: number, { likes = 0, retweet = false } = {}): void => {
  const id = 1000 + rows.length;
  rows.push({ id, at, likes, retweet, odd: id % 2 === 1 });
};
const random = fc.sample(fc.tuple(fc.nat(), fc.nat(), fc.double({ min: 0, max: 1, noNaN: true })), {
  seed: 7,
  numRuns: 900,
});
// A long span with many, some of them simultaneous, in its first short span and the last four.
for (const [time, likes] of random) add(36 * LONG_MS - 1 - (time % (4 * SHORT_MS)), { likes: likes % 1000 });
for (const [, likes] of random.slice(0, 20)) add(35 * LONG_MS + 5000, { likes: likes % 10 });
// Both sides of the edges of long and short spans, and before 1970.
for (const edge of [0, SHORT_MS, 3 * SHORT_MS, LONG_MS, 20 * LONG_MS, 30 * LONG_MS + SHORT_MS, 44 * LONG_MS])
  for (const beside of [-1, 0, 1]) add(edge + beside, { likes: (edge / SHORT_MS) % 7 });
for (const [time] of random.slice(0, 300)) add(-(time % (3 * LONG_MS)));
for (const [time] of random.slice(0, 260)) add(40 * LONG_MS + (time % LONG_MS), { retweet: true });

const byTime = (a: Row, b: Row): number => b.at - a.at || b.id - a.id;
const rank = ({ at, likes, retweet }: Row): number =>
  computeRank({ createdAt: new Date(at).toISOString(), likesCount: likes, isRetweet: retweet });
const byRank = (a: Row, b: Row): number => rank(b) - rank(a) || b.id - a.id;

describe('a word that was common long ago', () => {
  let corpus: Corpus;
  beforeAll(async () => {
    corpus = await freshCorpus();
    await corpus.user({ id: 1 });
    const values = rows.map(({ id, at, likes, retweet, odd }) => ({
      id,
      text: odd ? 'bygone days' : 'days bygone',
      created_at: new Date(at).toISOString(),
      author_id: 1,
      likes,
      is_retweet: retweet,
    }));
    for (let from = 0; from < values.length; from += 500) {
      await corpus.sql`insert into corpus_tweets ${corpus.sql(values.slice(from, from + 500))}`;
    }
    await corpus.sql`insert into corpus_tweets (id, text, created_at, author_id, likes)
      select 900000 + n, 'days of today', timestamptz '2026-01-01' + n * interval '1 second', 1, 1000000
      from generate_series(1, ${RECENT}) n`;
    await indexCorpus(corpus.sql);
    // As after an import: the planner knows the table, independently of when the database analyzes it by itself.
    await corpus.sql`vacuum (analyze) corpus_tweets`;
  }, 120_000);
  afterAll(() => corpus?.drop());

  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const [since, until] = [35 * LONG_MS + SHORT_MS, 41 * LONG_MS];
  const atDay = (ms: number): number => Date.parse(day(ms));

  it.each<[string, (row: Row) => boolean]>([
    ['bygone', () => true],
    ['"bygone days"', ({ odd }) => odd],
    [`bygone since:${day(since)}`, ({ at }) => at >= atDay(since)],
    [`bygone until:${day(until)} -filter:retweets`, ({ at, retweet }) => at < atDay(until) && !retweet],
    ['bygone since_id:1400', ({ id }) => id > 1400],
    ['bygone min_faves:100', ({ likes }) => likes >= 100],
    ['bygone min_faves:500', ({ likes }) => likes >= 500],
    ['bygone from:user1', () => true],
  ])(
    'is found whole and once by %s, in both orders',
    async (q, matches) => {
      const expected = rows.filter(matches);
      for (const [product, order] of [
        ['Latest', byTime],
        ['Top', byRank],
      ] as const) {
        const { ids } = await corpus.walk({ kind: 'search', subject: q, product });
        expect(ids, product).toEqual([...expected].sort(order).map(({ id }) => String(id)));
      }
    },
    60_000,
  );
});
