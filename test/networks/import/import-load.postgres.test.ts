import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportProgress, importPaths } from '../../../adapters/networks/corpus/import/import-paths.js';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { IMPORT_LOCK } from '../../../adapters/networks/corpus/import/sql.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';
import { contentHash, fixture, lines, type Scratch, scratchFolder, unpackArchive } from './import-support.js';

let database: FreshDatabase;
let sql: Sql;
let scratch: Scratch;
beforeEach(async () => {
  [database, scratch] = await Promise.all([freshDatabase({ max: 4 }), scratchFolder()]);
  sql = database.sql;
});
afterEach(() => Promise.all([database.drop(), scratch.remove()]));

const tweet = (id: number, more: object = {}): CorpusRow => ({
  kind: 'tweet',
  tweet: { id: `${id}`, text: `tide ${id}`, createdAt: '2020-01-01T00:00:00.000Z', authorId: '7', ...more },
});
const user = (id: number, more: object = {}): CorpusRow => ({
  kind: 'user',
  user: { id: `${id}`, handle: `gull${id}`, name: `Gull ${id}`, ...more },
});
const follows = (...edges: [number, number][]): CorpusRow[] =>
  edges.map(([follower, followed]) => ({ kind: 'follow', followerId: `${follower}`, followedId: `${followed}` }));

const edgesInOrder = async (): Promise<string[]> =>
  (await sql`select follower_id::text || '>' || followed_id as edge from corpus_follows order by ordinal`).map(
    (row) => row.edge,
  );

describe('importing files', () => {
  it('keeps every value as it was', async () => {
    const summary = await importPaths(sql, [fixture('plain')], { areEscaped: true });
    expect(summary).toEqual({
      users: { read: 4, added: 3, changed: 0 },
      tweets: { read: 4, added: 4, changed: 0 },
      follows: { read: 4, added: 4, changed: 0 },
      faults: { count: 0, first: [] },
      omitted: [],
    });
    const users =
      await sql`select id::text, name, bio, followers, verified, created_at, pinned_tweet_ids::text[] from corpus_users order by id`;
    expect([...users]).toEqual([
      {
        id: '101',
        name: 'Lighthouse & Sons',
        bio: 'Keepers since 1811',
        followers: 3_000_000_000,
        verified: true,
        created_at: new Date('2011-04-05T06:07:08Z'),
        pinned_tweet_ids: ['9001'],
      },
      {
        id: '102',
        name: 'Ferry "Line"',
        bio: null,
        followers: 0,
        verified: false,
        created_at: new Date('2012-04-05T06:07:08Z'),
        pinned_tweet_ids: null,
      },
      {
        id: '103',
        name: 'Tide\ttable \\ desk',
        bio: 'High water daily',
        followers: null,
        verified: null,
        created_at: null,
        pinned_tweet_ids: null,
      },
    ]);
    const tweets = await sql`select text, created_at, views, media, hashtags from corpus_tweets order by id`;
    expect(tweets[0]).toMatchObject({
      created_at: new Date('2020-01-02T03:04:05.678Z'),
      views: 5_000_000_000,
      media: [
        { type: 'photo', url: 'https://img.example/fog.jpg', width: 1200, height: 800 },
        { type: 'video', url: 'https://img.example/fog.mp4', preview_url: 'https://img.example/fog-still.jpg' },
      ],
    });
    expect(tweets[1]).toMatchObject({
      text: '@lighthouse_hq we heard it\nfrom\tthe \\ harbour',
      media: null,
      hashtags: [],
    });
    expect(tweets[3]).toMatchObject({ hashtags: ['quote "marks"', 'back\\slash', 'comma, brace}'] });
    expect(await edgesInOrder()).toEqual(['103>102', '103>101', '102>101', '101>103']);
  });

  it('imports all formats at once, and again without changing a byte', async () => {
    const paths = [fixture('v2'), await unpackArchive(scratch), fixture('plain')];
    const first = await importPaths(sql, paths);
    expect(first.faults.count).toBe(0);
    const hash = await contentHash(sql);
    const second = await importPaths(sql, paths);
    expect(await contentHash(sql)).toBe(hash);
    for (const tally of [second.users, second.tweets, second.follows])
      expect(tally).toMatchObject({ added: 0, changed: 0 });
    expect(first.users.added).toBe(3 + 1 + 5);
    expect(first.tweets.added).toBe(4 + 3 + 6);
  });

  it('reports bytes and rows up to the whole', async () => {
    const seen: ImportProgress[] = [];
    await importPaths(sql, [fixture('plain')], { onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ file: fixture('plain/follows.ndjson'), rows: 12 });
    expect(seen.at(-1)?.bytesRead).toBe(seen.at(-1)?.bytesTotal);
    const bytes = seen.map((progress) => progress.bytesRead);
    expect(bytes).toEqual([...bytes].sort((a, b) => a - b));
  });

  it('leaves bad lines out, counts them all and keeps the first', async () => {
    const bad = Array.from({ length: 30 }, () => ({ id: 'x' }));
    const path = await scratch.write('users.ndjson', lines(...bad, { id: '1', handle: 'a', name: 'A' }));
    const reported: number[] = [];
    const summary = await importPaths(sql, [path], { onFault: (fault) => reported.push(fault.line) });
    expect(summary).toMatchObject({ users: { read: 1, added: 1 }, faults: { count: 30 } });
    expect(summary.faults.first.map(({ line }) => line)).toEqual(reported.slice(0, 20));
  });

  it('stops at the first fault if strict, names it in the error, and leaves nothing behind', async () => {
    await loadCorpus(sql, [user(1)]);
    const before = await contentHash(sql);
    const good = await scratch.write(
      'users.ndjson',
      lines({ id: '1', handle: 'other', name: 'B' }, { id: '2', handle: 'a', name: 'A' }),
    );
    const path = await scratch.write('tweets.ndjson', lines({ id: '5', text: 'x' }));
    await expect(importPaths(sql, [good, path], { strict: true })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(/tweets\.ndjson:1: created_at is missing/),
    });
    expect(await contentHash(sql)).toBe(before);
  });
});

describe('loading rows', () => {
  it('overwrites with newer values, and erases nothing for absent ones, within a load and between loads', async () => {
    await loadCorpus(sql, [user(1, { bio: 'old', followersCount: 5 }), user(1, { bio: 'newer' })]);
    const summary = await loadCorpus(sql, [user(1, { name: 'Renamed', verified: false }), tweet(3, { likesCount: 0 })]);
    expect(summary.users).toEqual({ read: 1, added: 0, changed: 1 });
    const rows = await sql`select name, bio, followers, verified from corpus_users`;
    expect([...rows]).toEqual([{ name: 'Renamed', bio: 'newer', followers: 5, verified: false }]);
  });

  it('loads a source larger than a batch whole, and reports its progress', async () => {
    function* many(): Generator<CorpusRow> {
      for (let id = 1; id <= 25_000; id += 1) yield tweet(id % 20_000 === 0 ? 20_000 : id % 20_000, { likesCount: id });
    }
    const seen: number[] = [];
    const summary = await loadCorpus(sql, many(), { onRows: (rows) => seen.push(rows) });
    expect(summary.tweets).toEqual({ read: 25_000, added: 20_000, changed: 5_000 });
    expect(seen).toEqual([...Array.from({ length: 13 }, (_, batch) => batch * 2000), 25_000]);
    const [row] = await sql`select count(*)::int as tweets, max(likes) as likes from corpus_tweets`;
    expect(row).toEqual({ tweets: 20_000, likes: 25_000 });
  });

  it.each([
    { name: 'once, in the last batch', times: 1 },
    { name: 'in every batch', times: 10 },
  ])(
    'merges objects that come again $name, whatever has been copied straight into the empty tables',
    async ({ times }) => {
      function* again(): Generator<CorpusRow> {
        for (let batch = 0; batch < 10; batch += 1) {
          for (let id = 1; id < 2000; id += 1) yield tweet(batch * 2000 + id);
          const repeats = batch >= 10 - times;
          yield tweet(repeats ? 1 : batch * 2000 + 2000, repeats ? { likesCount: 100 + batch, text: 'again' } : {});
        }
      }
      const summary = await loadCorpus(sql, again());
      expect(summary.tweets).toEqual({ read: 20_000, added: 20_000 - times, changed: times === 10 ? 9 : times });
      const [row] = await sql`select text, likes, search::text as search from corpus_tweets where id = 1`;
      expect(row).toMatchObject({ text: 'again', likes: 109 });
      expect(row?.search).toMatch(/'again':1/);
      expect((await loadCorpus(sql, again())).tweets).toMatchObject({ added: 0 });
    },
  );

  it('leaves nothing behind when a source fails', async () => {
    function* broken(): Generator<CorpusRow> {
      for (let id = 1; id <= 12_000; id += 1) yield user(id);
      throw new Error('the disk is gone');
    }
    await expect(loadCorpus(sql, broken())).rejects.toThrow('the disk is gone');
    expect(await contentHash(sql)).toBe('empty empty empty');
  });

  it('stops with the reason when the database refuses a row, and keeps the pool usable', async () => {
    await expect(loadCorpus(sql, [user(1), tweet(1, { createdAt: 'yesterday-ish' })])).rejects.toThrow(
      /timestamp.*yesterday/,
    );
    await expect(loadCorpus(sql, [user(1), tweet(1, { text: 'a\0b' })])).rejects.toThrow();
    expect((await loadCorpus(sql, [user(1)])).users.added).toBe(1);
  });

  it('may wait and work for longer than its pool allows a request', async () => {
    const limited = connect(database.target, { max: 2, limits: { lockMs: 500, statementMs: 1000, idleMs: 500 } });
    const slow = async function* (): AsyncGenerator<CorpusRow> {
      yield tweet(1);
      await wait(1500);
      yield tweet(2);
    };
    const release = await holdLocks(sql, (other) => other`select pg_advisory_xact_lock(${IMPORT_LOCK})`);
    try {
      const [summary] = await Promise.all([loadCorpus(limited, slow()), wait(1500).then(release)]);
      expect(summary.tweets).toEqual({ read: 2, added: 2, changed: 0 });
    } finally {
      await limited.end();
    }
  });

  it('loads nothing if it is for empty tables and had to wait for a load that filled one', async () => {
    const options = { onlyIfEmpty: true };
    const loads = [loadCorpus(sql, [user(1), tweet(1)], options), loadCorpus(sql, [user(2), tweet(2)], options)];
    const added = (await Promise.all(loads)).map(({ users, tweets }) => users.added + tweets.added);
    expect(added.toSorted()).toEqual([0, 2]);
    expect((await loadCorpus(sql, follows([1, 2]), options)).follows.added).toBe(0);
  });

  it('lets simultaneous imports take turns, and all of each arrives', async () => {
    const [first, second] = await Promise.all([
      loadCorpus(sql, [user(1), tweet(1), ...follows([1, 2], [1, 3])]),
      loadCorpus(sql, [user(1), tweet(1), ...follows([1, 2], [1, 3])]),
    ]);
    for (const kind of ['users', 'tweets'] as const) expect(first[kind].added + second[kind].added).toBe(1);
    expect(first.follows.added + second.follows.added).toBe(2);
  });
});

describe('the order of edges is that of the file (C20)', () => {
  it('survives the same file again, in whole or in part, and another file', async () => {
    await loadCorpus(sql, follows([1, 9], [1, 3], [2, 9], [1, 3]));
    expect(await edgesInOrder()).toEqual(['1>9', '1>3', '2>9']);
    await loadCorpus(sql, follows([5, 1], [4, 1]));
    const hash = await contentHash(sql);
    for (const again of [follows([1, 9], [1, 3], [2, 9]), follows([1, 9], [2, 9]), follows([4, 1])]) {
      expect((await loadCorpus(sql, again)).follows).toMatchObject({ added: 0, changed: 0 });
    }
    expect(await contentHash(sql)).toBe(hash);
    expect(await edgesInOrder()).toEqual(['1>9', '1>3', '2>9', '5>1', '4>1']);
  });

  it('gains edges at its end from a file with edges added there, and moves none', async () => {
    await loadCorpus(sql, follows([1, 9], [1, 3]));
    expect((await loadCorpus(sql, follows([1, 9], [1, 3], [1, 4]))).follows).toMatchObject({ added: 1, changed: 0 });
    expect(await edgesInOrder()).toEqual(['1>9', '1>3', '1>4']);
  });

  it('follows a later file with the newest edge first', async () => {
    await loadCorpus(sql, follows([1, 9], [1, 3], [2, 3]));
    const newer = follows([1, 8], [1, 9], [1, 3], [2, 3]);
    expect((await loadCorpus(sql, newer)).follows).toMatchObject({ added: 1, changed: 3 });
    expect(await edgesInOrder()).toEqual(['1>8', '1>9', '1>3', '2>3']);
    expect((await loadCorpus(sql, newer)).follows).toMatchObject({ added: 0, changed: 0 });
  });
});
