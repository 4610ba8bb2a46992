import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { contentHash } from './import-support.js';

let database: FreshDatabase;
let sql: Sql;
beforeEach(async () => {
  database = await freshDatabase({ max: 4 });
  sql = database.sql;
});
afterEach(() => database.drop());

function* tweets(first: number, last: number): Generator<CorpusRow> {
  for (let id = first; id <= last; id += 1) {
    const tweet = { id: `${id}`, text: `tide ${id}`, createdAt: '2020-01-01T00:00:00.000Z', authorId: '7' };
    yield { kind: 'tweet', tweet };
  }
}

/** Every index of the corpus, by its definition. */
const indexes = async (): Promise<string[]> =>
  (
    await sql`select indexdef || case when i.indisvalid then '' else ' (invalid)' end as index
      from pg_indexes join pg_index i on i.indexrelid = indexname::regclass
      where tablename like 'corpus%' order by 1`
  ).map((row) => row.index);

/** The identities of the indexes in the database; a rebuilt index has a new one. */
const identities = async (): Promise<string[]> =>
  (
    await sql`select indexrelid::text as identity from pg_index
      where indrelid in ('corpus_users'::regclass, 'corpus_tweets'::regclass, 'corpus_follows'::regclass) order by 1`
  ).map((row) => row.identity);

describe('indexes of a large load', () => {
  it('into empty tables are rebuilt at its end, all of them and as they were', async () => {
    const [before, identitiesBefore] = [await indexes(), await identities()];
    await loadCorpus(sql, tweets(1, 10_001));
    expect(await indexes()).toEqual(before);
    expect(await identities()).not.toEqual(identitiesBefore);
    const found = await sql`select id::int from corpus_tweets where search @@ 'tide & 10001'::tsquery`;
    expect([...found]).toEqual([{ id: 10_001 }]);
  });

  it('are back where they were if the load fails', async () => {
    const [before, identitiesBefore] = [await indexes(), await identities()];
    function* broken(): Generator<CorpusRow> {
      yield* tweets(1, 20_001);
      throw new Error('the disk is gone');
    }
    await expect(loadCorpus(sql, broken())).rejects.toThrow('the disk is gone');
    expect(await indexes()).toEqual(before);
    expect(await identities()).toEqual(identitiesBefore);
    expect(await contentHash(sql)).toBe('empty empty empty');
  });

  it('into a filled table stay, and everything can be read during it', async () => {
    await loadCorpus(sql, tweets(1, 1));
    const seen: number[] = [];
    async function* watched(): AsyncGenerator<CorpusRow> {
      yield* tweets(2, 20_001);
      await sql.begin(async (reader) => {
        await reader`set local lock_timeout = '5s'`;
        const rows = await reader`select id::int from corpus_tweets`;
        seen.push(...rows.map((row) => row.id));
      });
      yield* tweets(20_002, 20_002);
    }
    expect((await loadCorpus(sql, watched())).tweets.added).toBe(20_001);
    expect(seen).toEqual([1]);
  });
});
