import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Corpus, freshCorpus, idsOf, range } from './corpus-fixture.js';

describe('search over more tweets than are looked at in one step', () => {
  const count = 20_000;
  let corpus: Corpus;

  beforeAll(async () => {
    corpus = await freshCorpus();
    await corpus.sql`insert into corpus_users (id, handle, name, followers) select n, 'crowd' || n, 'Crowd', n % 90
      from generate_series(1001, 1300) n`;
    await corpus.sql`insert into corpus_tweets (id, text, created_at, author_id, likes)
      select 100000 + n,
        'common' || case when n % 100 = 0 then ' middling' else '' end || case when n % 4000 = 1 then ' rare' else '' end
        || case when n <= 300 then ' old' else '' end,
        timestamptz '2016-01-01' + (n / 3) * interval '1 minute', 1001 + n % 300, n % 50
      from generate_series(1, ${count}) n`;
    await corpus.sql`analyze corpus_tweets`;
  }, 120_000);
  afterAll(() => corpus.drop());

  it.each<[string, (n: number) => boolean]>([
    ['middling', (n) => n % 100 === 0],
    ['rare', (n) => n % 4000 === 1],
    ['old', (n) => n <= 300],
    ['"common middling"', (n) => n % 100 === 0],
    ['"common rare"', (n) => n % 4000 === 1],
    ['"rare common"', () => false],
    ['"common old" -middling', (n) => n <= 300 && n % 100 !== 0 && n % 4000 !== 1],
    ['common middling -old', (n) => n % 100 === 0 && n > 300],
    ['from:crowd1007', (n) => n % 300 === 6],
    ['common from:crowd1007 since:2016-01-02', (n) => n % 300 === 6 && Math.floor(n / 3) >= 1440],
  ])('finds %s whole and once, newest first, whichever stage finds it (C10, C11)', async (q, matches) => {
    const expected = range(count).filter(matches).reverse();
    const { ids, sizes } = await corpus.walk({ kind: 'search', subject: q, product: 'Latest' });
    expect(ids).toEqual(expected.map((n) => String(100_000 + n)));
    expect(sizes.slice(0, -1).every((size) => size === 50)).toBe(true);
  });

  it('walks Top and People in their order, ties by id, each once', async () => {
    const top = await corpus.walk({ kind: 'search', subject: 'middling OR rare', product: 'Top' });
    const expected = range(count)
      .filter((n) => n % 100 === 0 || n % 4000 === 1)
      .sort((a, b) => (b % 50) - (a % 50) || b - a);
    expect(top.ids).toEqual(expected.map((n) => String(100_000 + n)));

    const people = await corpus.walk({ kind: 'search', subject: 'crowd', product: 'People' });
    const crowd = range(300, 1001).sort((a, b) => (b % 90) - (a % 90) || b - a);
    expect(people.ids).toEqual(crowd.map(String));
    expect(people.sizes).toEqual([50, 50, 50, 50, 50, 50]);
  });

  it('does not shift when something newer is added between two pages (C10)', async () => {
    const before = await corpus.search('middling');
    await corpus.tweet({ id: 900_000, text: 'middling', created_at: '2020-01-01T00:00:00Z' });
    const after = await corpus.search('middling', 'Latest', before.next);
    await corpus.sql`delete from corpus_tweets where id = 900000`;
    expect(idsOf(after)[0]).toBe(String(Number(idsOf(before).at(-1)) - 100));
  });

  it('leaves rows out of Top until they are indexed, and reads on after the page', async () => {
    const list = { kind: 'search', subject: 'from:crowd1007', product: 'Top' } as const;
    const indexed = await corpus.walk(list);
    await corpus.sql`insert into corpus_tweets (id, text, created_at, author_id, likes)
      select 800000 + n, 'written with SQL', timestamptz '2020-01-01', 1007, 1000 from generate_series(1, 60) n`;
    const first = await corpus.network.page(list, null, corpus.context);
    const second = await corpus.network.page(list, first.next, corpus.context);
    await corpus.sql`delete from corpus_tweets where id > 800000`;
    expect([...idsOf(first), ...idsOf(second)]).toEqual(indexed.ids);
  });
});
