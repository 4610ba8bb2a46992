import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { INDEX_VERSION, indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import { loadInTurns } from '../../../adapters/networks/corpus/import/load.js';
import { divide } from '../../../adapters/networks/corpus/import/partitions.js';
import { createCorpusNetwork } from '../../../adapters/networks/corpus/network.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';
import { goBackToReleasedSchema } from '../../kit/postgres/released-schema.js';
import { type Corpus, corpusIn, idsOf } from '../corpus/corpus-fixture.js';

const EPOCH_MS = 1_288_834_974_657;
const MINUTE_MS = 60_000;
const BEGIN_MS = Date.UTC(2020, 0, 1);

let corpus: Corpus;
let sql: Sql;
beforeEach(async () => {
  corpus = corpusIn(await freshDatabase({ max: 6 }));
  sql = corpus.sql;
  await stopAutovacuum();
  await corpus.user({ id: 1 });
});
afterEach(() => corpus.drop());

/**
 * Keeps autovacuum off this database's tables, existing and new: if it analyzed one within an import, a partition would
 * be cut at another row.
 */
const stopAutovacuum = () =>
  sql.unsafe(`
    create function stop_autovacuum() returns event_trigger language plpgsql as $$ declare made regclass; begin
      for made in select oid::regclass from pg_class where relkind = 'r' and relnamespace = current_schema::regnamespace
        and 'autovacuum_enabled=false' <> all (coalesce(reloptions, '{}'))
      loop execute format('alter table %s set (autovacuum_enabled = false)', made); end loop;
    end $$;
    create event trigger stop_autovacuum on ddl_command_end when tag in ('CREATE TABLE')
      execute function stop_autovacuum();
    create table watched_by_nobody ();
    drop table watched_by_nobody`);

/** The id of the nth tweet, made from its time like ids of the network. */
const idOf = (nth: number): string => String(BigInt(BEGIN_MS + nth * MINUTE_MS - EPOCH_MS) << 22n);

const tweet = (nth: number): CorpusRow => ({
  kind: 'tweet',
  tweet: {
    id: idOf(nth),
    text: `tide ${nth % 100 === 0 ? 'spring' : 'neap'}`,
    createdAt: new Date(BEGIN_MS + nth * MINUTE_MS).toISOString(),
    authorId: '1',
    likesCount: (nth * 7919) % 5000,
  },
});

const rows = (count: number, nth: (index: number) => number = (index) => index): CorpusRow[] =>
  Array.from({ length: count }, (_, index) => tweet(nth(index)));

const load = (given: CorpusRow[], mostRows: number) =>
  loadInTurns(sql, given, { id: 'a', content: 'a', paths: ['a.ndjson'] }, { batches: 1, mostRows });

interface Partition {
  readonly name: string;
  readonly bounds: string;
  readonly rows: number;
  readonly indexes: number;
}

async function partitions(): Promise<Partition[]> {
  const found = await sql<Omit<Partition, 'rows'>[]>`
    select c.oid::regclass::text as name, pg_get_expr(relpartbound, c.oid) as bounds,
      (select count(*)::int from pg_index where indrelid = c.oid and indisvalid) as indexes
    from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'corpus_tweets'::regclass order by 1`;
  return Promise.all(
    found.map(async (part) => {
      const [row] = await sql<{ rows: number }[]>`select count(*)::int as rows from ${sql(part.name)}`;
      return { ...part, rows: row?.rows ?? 0 };
    }),
  );
}

const indexesOfOneTable = async (): Promise<number> =>
  (await sql`select from pg_index where indrelid = 'corpus_tweets'::regclass`).length;

describe('a corpus that fills a partition', () => {
  it('gets another one for newer tweets, with its own indexes, and the rows stay where they are', async () => {
    const indexes = await indexesOfOneTable();
    await load(rows(9000), 4000);
    const parts = await partitions();
    expect(parts.map(({ rows }) => rows)).toEqual([4000, 4000, 1000]);
    expect(parts.map((part) => part.indexes)).toEqual([indexes, indexes, indexes]);
    expect(parts.map(({ bounds }) => bounds)).toEqual([
      `FOR VALUES FROM (MINVALUE) TO ('${BigInt(idOf(3999)) + 1n}')`,
      `FOR VALUES FROM ('${BigInt(idOf(3999)) + 1n}') TO ('${BigInt(idOf(7999)) + 1n}')`,
      `FOR VALUES FROM ('${BigInt(idOf(7999)) + 1n}') TO (MAXVALUE)`,
    ]);
  });

  it('is cut in the middle if tweets come in another order, and finds each tweet', async () => {
    const count = 12_000;
    // 5,003 and the count have no factor in common, so every tweet comes once, spread over all times.
    await load(
      rows(count, (index) => (index * 5003) % count),
      2000,
    );
    const parts = await partitions();
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.rows).toBeLessThanOrEqual(2 * 2000 + 2000);
    expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(count);
    const { ids } = await corpus.walk({ kind: 'search', subject: 'spring', product: 'Latest' });
    expect(ids).toEqual(Array.from({ length: 120 }, (_, nth) => idOf(11_900 - 100 * nth)));
  });

  it('reads the newest partition first, and no other if that has enough', async () => {
    await load(rows(9000), 4000);
    const plan = await sql<{ 'QUERY PLAN': string }[]>`
      explain (analyze, costs off, timing off, summary off, buffers off) select id from corpus_tweets order by id desc limit 20`;
    const scans = plan.map((row) => row['QUERY PLAN']).filter((line) => /Append|Scan|Sort/.test(line));
    expect(scans).toEqual([
      expect.stringMatching(/-> {2}Append \(actual/),
      expect.stringMatching(/-> {2}Index Only Scan Backward using corpus_tweets_3_pkey .*actual rows=20/),
      expect.stringMatching(/-> {2}Index Only Scan Backward using corpus_tweets_2_pkey .*never executed/),
      expect.stringMatching(/-> {2}Index Only Scan Backward using corpus_tweets_1_pkey .*never executed/),
    ]);
  });

  it.each([
    ['timeline', { kind: 'timeline', subject: '1' }, 101],
    ['search by time', { kind: 'search', subject: 'tide', product: 'Latest' }, 51],
    ['search in the tweets of one author', { kind: 'search', subject: 'from:user1 tide', product: 'Latest' }, 51],
  ] as const)('plans only the newest partition for the first page of a %s', async (_, list, limit) => {
    await load(rows(9000), 4000);
    const statements: [text: string, values: never[]][] = [];
    const noting = new Proxy(sql, {
      get: (target, name) =>
        name === 'unsafe'
          ? (text: string, values: never[], options: object) => {
              statements.push([text, values]);
              return target.unsafe(text, values, options);
            }
          : Reflect.get(target, name),
    });
    const { next } = await createCorpusNetwork(noting).page(list, null, { signal: new AbortController().signal });
    expect(next).not.toBeNull();
    const listing = statements.filter(
      ([text, values]) => /\bLIMIT\b/.test(text) && values.some((value) => value === limit),
    );
    expect(listing).toHaveLength(1);
    const plan = await sql.unsafe(`explain ${listing[0]?.[0]}`, listing[0]?.[1]);
    const scanned = JSON.stringify(plan).match(/ on corpus_tweets\w*/g);
    expect(new Set(scanned)).toEqual(new Set([' on corpus_tweets_3']));
  });

  it('vacuums only the partitions that an import wrote to, while another database has a long transaction', async () => {
    const other = await freshDatabase();
    const release = await holdLocks(other.sql, (tx) => tx`select pg_current_xact_id()`);
    onTestFinished(async () => {
      await release();
      await other.drop();
    });
    await load(rows(9000), 4000);
    const vacuumed = () => sql<{ name: string; at: Date | null; mapped: number }[]>`
      select c.relname as name, last_vacuum as at, relallvisible as mapped
      from pg_stat_user_tables join pg_class c on oid = relid where c.relname like 'corpus\\_tweets\\__' order by 1`;
    const before = await vacuumed();
    expect(before.filter(({ at }) => at === null)).toEqual([]);
    // While autovacuum analyzes another table, a vacuum maps nothing.
    expect(before.some(({ mapped }) => mapped > 0)).toBe(true);
    await load(
      rows(2000, (index) => 9000 + index),
      4000,
    );
    const after = await vacuumed();
    expect(after.map(({ at }, nth) => at?.getTime() !== before[nth]?.at?.getTime())).toEqual([false, false, true]);
  });

  it('continues after a process was killed while it cut a partition', async () => {
    await load(rows(4000), 10_000);
    await sql`alter table corpus_tweets add constraint up_to_the_cut check (id < 5) not valid`;
    const summary = await load(
      rows(2000, (index) => 4000 + index),
      10_000,
    );
    expect(summary.tweets.added).toBe(2000);
  });

  it('is indexed again after a process was killed while it cut a partition', async () => {
    await load(rows(4000), 10_000);
    await sql`alter table corpus_tweets add constraint up_to_the_cut check (id < 5) not valid`;
    await sql`update search_index set version = version - 1`;
    await indexCorpus(sql);
    const [{ versions } = { versions: [] }] =
      await sql`select array_agg(distinct version) as versions from search_index`;
    expect(versions).toEqual([INDEX_VERSION]);
  });

  it('waits for a long read, while other reads are served', async () => {
    await load(rows(4000), 10_000);
    const done = await sql.begin(async (reader) => {
      await reader`select from corpus_tweets limit 1`;
      const dividing = { ends: divide(sql, 'corpus_tweets', { mostRows: 2000 }) };
      for (let turn = 0; turn < 5; turn += 1) {
        await wait(100);
        expect((await corpus.page('timeline', 1)).tweets).toHaveLength(100);
      }
      expect(await partitions()).toEqual([]);
      return dividing;
    });
    await done.ends;
    expect(await partitions()).toHaveLength(2);
  });

  it('leaves the tables of a corpus that is not full as they are', async () => {
    await load(rows(3000), 4000);
    expect(await partitions()).toEqual([]);
  });
});

describe('a corpus of 0.3.0 that is larger than a partition', () => {
  it('becomes the first one unchanged: no row is written, and missing indexes are built there', async () => {
    await goBackToReleasedSchema(sql);
    await sql`insert into corpus_tweets (id, text, created_at, author_id)
      select n, 'tide ' || n, timestamptz '2009-01-01' + n * interval '1 minute', 1 from generate_series(1, 5000) n`;
    await migrate(sql);
    const file = async (table: string) => (await sql`select pg_relation_filenode(${table}::regclass) as file`)[0]?.file;
    const before = await file('corpus_tweets');
    await divide(sql, 'corpus_tweets', { mostRows: 1000 });
    expect(await file('corpus_tweets_1')).toBe(before);
    expect((await partitions()).map(({ rows }) => rows)).toEqual([5000, 0]);
    await indexCorpus(sql);
    await load(rows(500), 1000);
    const parts = await partitions();
    expect(parts.map(({ rows }) => rows)).toEqual([5000, 500]);
    expect(parts[0]?.indexes).toBe(parts[1]?.indexes);
    expect(await sql`select from missing_indexes`).toEqual([]);
    expect(idsOf(await corpus.search('spring'))).toEqual([4, 3, 2, 1, 0].map((nth) => idOf(100 * nth)));
    expect(idsOf(await corpus.search('"tide 77"'))).toEqual(['77']);
  });
});
