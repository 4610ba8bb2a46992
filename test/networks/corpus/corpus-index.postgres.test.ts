import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  describeIndexing,
  describeJit,
  INDEX_VERSION,
  indexCorpus,
} from '../../../adapters/networks/corpus/import/index-corpus.js';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { IMPORT_LOCK } from '../../../adapters/networks/corpus/import/sql.js';
import { createCorpusNetwork } from '../../../adapters/networks/corpus/network.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import type { Tables } from '../../../adapters/networks/corpus/run.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { openInventedNetwork } from '../../../app/test-mode/invented-network.js';
import type { Product, Tweet } from '../../../src/domain/model.js';
import type { Network } from '../../../src/ports/network.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { goBackToReleasedSchema } from '../../kit/postgres/released-schema.js';
import { idsOf } from './corpus-fixture.js';

let database: FreshDatabase;
let sql: Sql;
beforeEach(async () => {
  database = await freshDatabase({ max: 4 });
  sql = database.sql;
});
afterEach(() => database.drop());

const search = async (q: string, product: Product = 'Latest'): Promise<string[]> => {
  const context = { signal: new AbortController().signal };
  return idsOf(await createCorpusNetwork(sql).page({ kind: 'search', subject: q, product }, null, context));
};

const insertTweets = (count: number) => sql`
  insert into corpus_tweets (id, text, created_at, author_id)
  select n, '“tide” ' || n, timestamptz '2020-01-01' + n * interval '1 minute', 7 from generate_series(1, ${count}) n`;

const unindexed = async (): Promise<number> =>
  (await sql`select count(*)::int as rows from corpus_tweets where search is null`)[0]?.rows;

describe('a database of an earlier version', () => {
  it('is searchable as before after migration and indexing, which reports its progress', async () => {
    await goBackToReleasedSchema(sql);
    await sql`insert into corpus_users (id, handle, name, bio, followers) values (7, 'Harbour_Watch', 'Ann', 'Tides', 5)`;
    await sql`insert into corpus_tweets (id, text, lang, created_at, author_id, likes, hashtags, media) values
      (1, '“free speech” then…', 'EN', '2015-01-07', 7, 1234, '{Art}', '[{"type":"animated_gif"}]'),
      (2, 'free of charge', null, '2015-01-08', 7, 3, null, null)`;
    await migrate(sql);
    for (const product of ['Latest', 'Top', 'People'] as const)
      await expect(search('free', product)).rejects.toMatchObject({
        code: 'upstream_rate_limited',
        retryAfter: 60,
        detail: { reason: 'indexing' },
      });
    expect(await describeIndexing(sql)).toEqual([
      '2 rows of corpus_tweets not indexed yet, so its searches are refused',
      '1 row of corpus_users not indexed yet, so its searches are refused',
    ]);
    const messages: string[] = [];
    await indexCorpus(sql, { onProgress: (text) => messages.push(text) });
    expect(messages).toContain('Indexing tweets for search: 0% of 2');
    expect(messages).toContain('Building the index corpus_tweets_search');
    const built = await sql`select from pg_index join pg_class on oid = indexrelid where indisvalid and relname in
      ('corpus_tweets_edited', 'corpus_tweets_unindexed', 'corpus_users_unindexed', 'corpus_tweets_rank', 'corpus_tweets_search', 'corpus_users_search')`;
    expect(built).toHaveLength(6);
    expect(await describeIndexing(sql)).toEqual([]);
    expect(await search('free')).toEqual(['2', '1']);
    expect(await search('free', 'Top')).toEqual(['1', '2']);
    expect(await search('"free speech then" #art lang:en min_faves:1000 filter:videos')).toEqual(['1']);
    expect(await search('tides @harbour_watch', 'People')).toEqual(['7']);
  });
});

it('warns an operator when jit is on, which makes searches slow', async () => {
  expect(await describeJit(sql)).toEqual([]);
  const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
  await sql.unsafe(`alter database ${name} set jit = on`);
  const later = connect(database.target);
  expect(await describeJit(later)).toEqual([
    expect.stringMatching(`^jit is on.*: ALTER DATABASE ${name} SET jit = off$`),
  ]);
  await later.end();
});

describe('an index that is missing', () => {
  const DEFINITION = 'CREATE INDEX corpus_tweets_rank ON corpus_tweets (rank DESC, id DESC)';
  beforeEach(async () => {
    await insertTweets(10);
    await indexCorpus(sql);
    await sql`update search_index set complete = false`;
    await sql`drop index corpus_tweets_rank`;
    await sql`insert into missing_indexes (name, table_name, definition) values ('corpus_tweets_rank', 'corpus_tweets', ${DEFINITION})`;
  });
  const isValid = async () =>
    (await sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('corpus_tweets_rank')`)[0]
      ?.valid;
  /** Index builds that wait for a writer. */
  const builds = async () =>
    (await sql`select from pg_locks where mode = 'ShareLock' and relation = 'corpus_tweets'::regclass`).length;

  it('is built by one of several processes, while its table is read, and searches wait for it', async () => {
    const other = connect(database.target, { max: 4 });
    try {
      const building = sql.begin(async (writer) => {
        await writer`update corpus_tweets set lang = 'en' where id = 1`;
        const both = Promise.all([indexCorpus(sql), indexCorpus(other)]);
        await expect.poll(builds).toBe(1);
        await expect(search('tide')).rejects.toMatchObject({ detail: { reason: 'indexing' } });
        const timeline = { kind: 'timeline', subject: '7' } as const;
        const page = await createCorpusNetwork(other).page(timeline, null, { signal: AbortSignal.timeout(5000) });
        expect(page.tweets).toHaveLength(10);
        return { both };
      });
      await (await building).both;
      expect(await isValid()).toBe(true);
      expect(await search('tide')).toHaveLength(10);
    } finally {
      await other.end();
    }
  });

  it('is left to the next start if its build is stopped', async () => {
    const stop = new AbortController();
    await sql.begin(async (writer) => {
      await writer`update corpus_tweets set lang = 'en' where id = 1`;
      const indexing = indexCorpus(sql, { signal: stop.signal });
      await expect.poll(builds).toBe(1);
      stop.abort(new Error('stopping'));
      await expect(indexing).rejects.toThrow('stopping');
    });
    expect(await isValid()).toBe(undefined);
    await indexCorpus(sql);
    expect(await isValid()).toBe(true);
  });
});

describe('indexing', () => {
  it('waits while an import runs, and ends when it is aborted', async () => {
    await insertTweets(1);
    const stop = new AbortController();
    await sql.begin(async (importing) => {
      await importing`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
      const indexing = indexCorpus(sql, { signal: stop.signal });
      stop.abort(new Error('stopped'));
      await expect(indexing).rejects.toThrow(/stopped|aborted/);
    });
    expect(await unindexed()).toBe(1);
  });

  it('of the network of test keys, and its filling, do not wait for an import', async () => {
    await sql.begin(async (importing) => {
      await importing`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
      await loadCorpus(sql, [{ kind: 'user', user: { id: '7', handle: 'gull', name: 'Gull' } }], {
        tables: 'invented',
      });
      await openInventedNetwork(sql);
    });
  });

  it('resumes where it was interrupted', async () => {
    await insertTweets(2_400);
    const interrupt = (text: string): void => {
      if (!text.includes(' 0%')) throw new Error('interrupted');
    };
    await expect(indexCorpus(sql, { onProgress: interrupt })).rejects.toThrow('interrupted');
    expect(await unindexed()).toBe(1_400);
    expect(await search('"tide 1"')).toEqual(['1']);
    expect(await search('"tide 2400"')).toEqual([]);

    const messages: string[] = [];
    await indexCorpus(sql, { onProgress: (text) => messages.push(text) });
    expect(messages[0]).toBe('Indexing tweets for search: 0% of 1,400');
    expect(await search('"tide 2400"')).toEqual(['2400']);
    expect(await unindexed()).toBe(0);
  });

  it('by two processes at once indexes each row, and both end', async () => {
    await insertTweets(2_400);
    const other = connect(database.target);
    try {
      await Promise.all([indexCorpus(sql), indexCorpus(other)]);
    } finally {
      await other.end();
    }
    expect(await unindexed()).toBe(0);
  });

  it('logs nothing and writes nothing if everything is indexed', async () => {
    await loadCorpus(sql, [tweet({ text: 'tide' })]);
    const messages: string[] = [];
    await indexCorpus(sql, { onProgress: (text) => messages.push(text) });
    expect(messages).toEqual([]);
  });
});

describe('the version of the index', () => {
  const OPEN: Record<Tables, () => Promise<Network>> = {
    async corpus() {
      await indexCorpus(sql);
      return createCorpusNetwork(sql);
    },
    invented: () => openInventedNetwork(sql),
  };

  it.each(['corpus', 'invented'] as const)(
    'indexes all rows of the %s tables anew if it is a later one',
    async (tables) => {
      const open = OPEN[tables];
      const users: CorpusRow[] = [{ kind: 'user', user: { id: '7', handle: 'gull', name: 'Gull' } }];
      await loadCorpus(sql, [...users, tweet({})], { tables });
      await open();
      await sql`update search_index set version = ${INDEX_VERSION - 1}`;
      for (const name of ['users', 'tweets']) await sql`update ${sql(`${tables}_${name}`)} set search = 'earlier'`;
      const page = (await open()).page({ kind: 'search', subject: 'tide', product: 'Latest' }, null, {
        signal: new AbortController().signal,
      });
      expect(idsOf(await page)).toEqual(['1']);
      const left = await sql`select from ${sql(`${tables}_users`)} where search = 'earlier'::tsvector`;
      expect(left).toHaveLength(0);
    },
  );

  it('finds every row while they are indexed again, and resumes where it was interrupted', async () => {
    await insertTweets(2_400);
    await indexCorpus(sql);
    await sql`update search_index set version = ${INDEX_VERSION - 1}`;
    await sql`update corpus_tweets set search = search || 'earlier'::tsvector`;
    const [first, last] = ['"tide 1"', '"tide 2400"'];
    const earlier = async (): Promise<number> =>
      (await sql`select count(*)::int as rows from corpus_tweets where search @@ 'earlier'`)[0]?.rows;
    const interrupt = (text: string): void => {
      if (!text.includes(' 0%')) throw new Error('interrupted');
    };
    await expect(indexCorpus(sql, { onProgress: interrupt })).rejects.toThrow('interrupted');
    expect([await earlier(), await search(first), await search(last)]).toEqual([1_400, ['1'], ['2400']]);

    const messages: string[] = [];
    await indexCorpus(sql, { onProgress: (text) => messages.push(text) });
    expect(messages[0]).toBe('Indexing tweets for search: 0% of 1,400');
    expect([await earlier(), await search(first), await search(last)]).toEqual([0, ['1'], ['2400']]);
    await indexCorpus(sql, { onProgress: (text) => messages.push(`again: ${text}`) });
    expect(messages.filter((text) => text.startsWith('again'))).toEqual([]);
  });

  it.each([null, '0'])('leaves what a later version has indexed up to %s as it is', async (reached) => {
    await loadCorpus(sql, [tweet({})]);
    await sql`update search_index set version = ${INDEX_VERSION + 1}, reached = ${reached}`;
    await sql`update corpus_tweets set search = 'later'`;
    await indexCorpus(sql);
    expect(await sql`select from corpus_tweets where search = 'later'::tsvector`).toHaveLength(1);
  });
});

const tweet = (fields: Partial<Tweet>): CorpusRow => ({
  kind: 'tweet',
  tweet: { id: '1', text: 'a tide', createdAt: '2020-01-01T00:00:00.000Z', authorId: '7', ...fields },
});

describe('an import of existing rows', () => {
  it('indexes the merged row: what the import omits is still found, and what it changes is found anew', async () => {
    await loadCorpus(sql, [tweet({ hashtags: ['Été'], lang: 'fr', likesCount: 5 })]);
    expect(await search('tide #été lang:fr -min_faves:10')).toEqual(['1']);
    const summary = await loadCorpus(sql, [tweet({ text: 'an “ebb”', likesCount: 5000 })]);
    expect(summary.tweets).toMatchObject({ added: 0, changed: 1 });
    expect(await search('ebb #été lang:fr min_faves:1000')).toEqual(['1']);
    expect(await search('tide')).toEqual([]);
    const [rank] = await sql`select rank::float8 as rank from corpus_tweets`;
    await loadCorpus(sql, [tweet({ text: 'an “ebb”', retweetsCount: 1 })]);
    const [later] = await sql`select rank::float8 as rank from corpus_tweets`;
    expect(later?.rank).toBeGreaterThan(rank?.rank);
  });
});
