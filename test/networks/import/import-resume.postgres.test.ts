/** An import that stops for any reason resumes where it stopped when it is given again. */
import { appendFile, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ImportOptions, importPaths } from '../../../adapters/networks/corpus/import/import-paths.js';
import { loadInTurns } from '../../../adapters/networks/corpus/import/load.js';
import { IMPORT_LOCK } from '../../../adapters/networks/corpus/import/sql.js';
import type { ImportSummary } from '../../../adapters/networks/corpus/import/summary.js';
import { describeUnfinished } from '../../../adapters/networks/corpus/import/unfinished.js';
import { createCorpusNetwork } from '../../../adapters/networks/corpus/network.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { contentHash, lines, type Scratch, scratchFolder } from './import-support.js';

/** Rows of a turn of one batch, and of a file that takes several. */
const TURN = 2000;
const MANY = 12_000;
const BAD = 5000;

let database: FreshDatabase;
let sql: Sql;
let scratch: Scratch;
beforeEach(async () => {
  [database, scratch] = await Promise.all([freshDatabase({ max: 4 }), scratchFolder()]);
  sql = database.sql;
});
afterEach(() => Promise.all([database.drop(), scratch.remove()]));

const userLine = (id: number, name = `Gull ${id}`): string => lines({ id: `${id}`, handle: `gull${id}`, name });

/** Users with a bad line in the second turn, tweets, and edges; returns the folder. */
async function manyRows(): Promise<string> {
  const users = Array.from({ length: MANY }, (_, index) => (index === BAD ? '{}\n' : userLine(index + 1)));
  const tweets = [1, 2, 3].map((id) => ({
    id: `${id}`,
    text: `tide ${id}`,
    created_at: '2020-01-01T00:00:00Z',
    author_id: '7',
  }));
  const follows = [
    [1, 2],
    [1, 3],
    [2, 3],
  ].map(([a, b]) => ({ follower_id: `${a}`, followed_id: `${b}` }));
  await scratch.write('rows/users.ndjson', users.join(''));
  await scratch.write('rows/tweets.ndjson', lines(...tweets));
  await scratch.write('rows/follows.ndjson', lines(...follows));
  return join(scratch.folder, 'rows');
}

/** Runs an import; returns its reports, and its summary or failure. */
async function run(path: string, on: Sql = sql, options: ImportOptions = {}) {
  const reports = { resumedAfter: 0, isChanged: false, faults: 0 };
  const summary: ImportSummary | Error = await importPaths(on, [path], {
    batches: 1,
    ...options,
    onBegin({ reached, isChanged }) {
      Object.assign(reports, { resumedAfter: reached?.summary.users.read ?? 0, isChanged });
    },
    onFault: () => (reports.faults += 1),
  }).catch((error: Error) => error);
  return { ...reports, summary };
}

const WHOLE = {
  users: { read: MANY - 1, added: MANY - 1, changed: 0 },
  tweets: { read: 3, added: 3, changed: 0 },
  follows: { read: 3, added: 3, changed: 0 },
  faults: { count: 1 },
};

/** The error of an import that fails once a turn is stored, because of the given function. */
async function interrupted(path: string, interrupt: () => Promise<unknown>): Promise<unknown> {
  const own = connect(database.target, { max: 3 });
  // The interruption must come before the import ends, so it does not wait for a connection.
  await sql`select`;
  let done: Promise<unknown> | undefined;
  const { summary } = await run(path, own, { onKept: () => (done ??= interrupt()) });
  await done;
  await own.end({ timeout: 1 }).catch(() => {});
  expect(summary).toBeInstanceOf(Error);
  return summary;
}

const cutConnections = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute();

/** As with a full disk, from the next row on. */
const fillDisk = () =>
  sql
    .unsafe(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on corpus_users for each row execute function full_disk()`)
    .execute();

describe('an import that was interrupted', () => {
  it.each([
    { name: 'its connections were cut', interrupt: cutConnections, mend: async () => {} },
    { name: 'the disk was full', interrupt: fillDisk, mend: () => sql`drop trigger full_disk on corpus_users` },
  ])('resumes after its last turn, without repeating or losing a row: $name', async ({ interrupt, mend }) => {
    const path = await manyRows();
    await interrupted(path, interrupt);
    await mend();
    const [stored] = await sql`select count(*)::int as users, max(id)::int as last from corpus_users`;
    expect(stored).toEqual({ users: stored?.last, last: expect.any(Number) });
    expect(stored?.users).toBeGreaterThanOrEqual(TURN);
    expect(stored?.users).toBeLessThan(MANY - 1);
    const again = await run(path);
    expect(again).toMatchObject({ resumedAfter: stored?.users, isChanged: false, summary: WHOLE });
    expect(await sql`select from unfinished_imports`).toHaveLength(0);

    const whole = await freshDatabase({ max: 4 });
    try {
      expect((await run(path, whole.sql)).summary).toEqual(again.summary);
      expect(await contentHash(sql)).toBe(await contentHash(whole.sql));
    } finally {
      await whole.drop();
    }
  });

  it('reports a bad line once, in the run that reads it first, and counts it', async () => {
    const path = await manyRows();
    await interrupted(path, cutConnections);
    const [{ place = 0 } = {}] = await sql<{ place: number }[]>`select place from unfinished_imports`;
    const again = await run(path);
    expect(again.faults).toBe(Number(place) > BAD ? 0 : 1);
    expect(again.summary).toMatchObject({ faults: { count: 1 } });
  });

  it('begins again if one of its files has changed, and reports that', async () => {
    const path = await manyRows();
    await interrupted(path, cutConnections);
    await appendFile(
      join(path, 'tweets.ndjson'),
      lines({ id: '4', text: 'ebb', created_at: '2020-01-01T00:00:00Z', author_id: '7' }),
    );
    expect(await run(path)).toMatchObject({
      resumedAfter: 0,
      isChanged: true,
      summary: { users: { read: MANY - 1 }, tweets: { added: 4 } },
    });
  });

  it('notices a change in the middle of a file that keeps its size', async () => {
    const path = await manyRows();
    await interrupted(path, cutConnections);
    const users = Array.from({ length: MANY }, (_, index) =>
      index === BAD ? '{}\n' : userLine(index + 1, index === 900 ? 'Tern 901' : undefined),
    );
    await writeFile(join(path, 'users.ndjson'), users.join(''));
    await utimes(join(path, 'users.ndjson'), new Date(), new Date('2030-01-01'));
    expect(await run(path)).toMatchObject({ isChanged: true, summary: { users: { changed: 1 } } });
    expect(await sql`select name from corpus_users where id = 901`).toMatchObject([{ name: 'Tern 901' }]);
  });

  it('is another one under another name, and with --escaped', async () => {
    const path = await manyRows();
    await interrupted(path, cutConnections);
    expect(await run(path, sql, { areEscaped: true })).toMatchObject({ resumedAfter: 0, isChanged: false });
    await rename(path, `${path}-moved`);
    expect(await run(`${path}-moved`)).toMatchObject({ resumedAfter: 0, isChanged: false });
    expect(await describeUnfinished(sql)).toEqual([expect.stringContaining(`the import of ${path} is not complete`)]);
  });
});

describe('a complete import', () => {
  it('has nothing to do when it is given again', async () => {
    const path = await manyRows();
    expect((await run(path)).summary).toMatchObject(WHOLE);
    const hash = await contentHash(sql);
    const none = { added: 0, changed: 0 };
    const again = await run(path);
    expect(again).toMatchObject({ resumedAfter: 0, summary: { users: none, tweets: none, follows: none } });
    expect(await contentHash(sql)).toBe(hash);
    expect(await describeUnfinished(sql)).toEqual([]);
  });
});

describe('two imports at once', () => {
  it('take turns: the second waits, says so, and finds nothing to do', async () => {
    const path = await manyRows();
    let waits = 0;
    const second = { running: undefined as ReturnType<typeof run> | undefined };
    const own = connect(database.target, { max: 3 });
    await sql`select`;
    const first = await run(path, own, {
      onKept: () => (second.running ??= run(path, sql, { onWait: () => (waits += 1) })),
    });
    expect(first.summary).toMatchObject(WHOLE);
    expect((await second.running)?.summary).toMatchObject({ users: { added: 0 }, follows: { added: 0 } });
    expect(waits).toBe(1);
    await own.end();
  });

  it('write nothing more after another process has continued them', async () => {
    const path = await manyRows();
    const failure = await interrupted(path, () =>
      sql`update unfinished_imports set claim = gen_random_uuid()`.execute(),
    );
    expect(failure).toMatchObject({ message: expect.stringContaining('started again elsewhere') });
    const [row] = await sql`select count(*)::int as users from corpus_users`;
    expect(row?.users).toBeLessThan(MANY - 1);
  });
});

describe('between two turns', () => {
  const identity = { id: 'x', content: 'x', paths: ['x'] };
  const context = { signal: new AbortController().signal };
  const page = (kind: 'timeline' | 'search', subject: string) =>
    createCorpusNetwork(sql).page({ kind, subject }, null, context);
  const author = { id: '7', handle: 'ada', name: 'Ada', protected: true };
  const tweet = { id: '1', text: 'tide', createdAt: '2020-01-01T00:00:00.000Z', authorId: '7' };
  const user = (id: number) => ({ kind: 'user', user: { id: `${id}`, handle: `gull${id}`, name: 'Gull' } }) as const;

  it('lets readers see all of a page or nothing: no tweet before its protected author', async () => {
    function* rows() {
      for (let id = 10; id < TURN + 9; id += 1) yield user(id);
      yield { row: { kind: 'tweet', tweet }, line: 1, continues: true } as const;
      yield { row: { kind: 'user', user: author }, line: 1 } as const;
      for (let id = TURN + 9; id < 2 * TURN; id += 1) yield user(id);
    }
    let seen: Promise<unknown> | undefined;
    await loadInTurns(sql, rows(), identity, {
      batches: 1,
      onKept: (kept) => (seen ??= Promise.all([page('timeline', '7').catch((error) => error.detail.reason), kept])),
    });
    expect(await seen).toEqual(['private', TURN + 1]);
  });

  it('of a first import, refuses searches and serves all else; at its end they find everything', async () => {
    const indexes = async () => [
      ...(await sql`select indexdef from pg_indexes where tablename like 'corpus%' order by 1`),
    ];
    const before = await indexes();
    const network = createCorpusNetwork(sql);
    const search = () => network.page({ kind: 'search', subject: 'tide' }, null, context);
    // Asked before there is anything, so it must be asked again later.
    expect((await search()).tweets).toEqual([]);
    function* rows() {
      yield { kind: 'tweet', tweet } as const;
      for (let id = 10; id < 2 * TURN + 100; id += 1) yield user(id);
      yield { kind: 'tweet', tweet: { ...tweet, id: '2', authorId: '10' } } as const;
    }
    let seen: Promise<unknown> | undefined;
    await loadInTurns(sql, rows(), identity, {
      batches: 2,
      onKept: () =>
        (seen ??= Promise.all([
          search().catch((error) => error.detail.reason),
          page('timeline', '7').then(({ tweets }) => tweets?.length),
        ])),
    });
    expect(await seen).toEqual(['indexing', 1]);
    expect((await search()).tweets).toHaveLength(2);
    expect(await indexes()).toEqual(before);
  });

  it('makes indexing wait, as any import does', async () => {
    let isFree: Promise<unknown> | undefined;
    function* rows() {
      for (let id = 10; id < TURN + 100; id += 1) yield user(id);
    }
    await loadInTurns(sql, rows(), identity, {
      batches: 1,
      onKept: () => (isFree ??= sql`select pg_try_advisory_xact_lock(${IMPORT_LOCK}) as free`.execute()),
    });
    expect(await isFree).toMatchObject([{ free: false }]);
  });
});
