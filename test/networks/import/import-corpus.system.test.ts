import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPaths } from '../../../adapters/networks/corpus/import/import-paths.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { contentHash, dataFolder, readPath } from './import-support.js';

const corpus = dataFolder(process.env.PERCH_CORPUS, '../shared/corpus');
const payloads = dataFolder(process.env.PERCH_PAYLOADS, '../shared/payloads');

describe.runIf(corpus !== undefined)('the real corpus, if present', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  it('is imported whole without a fault, and a second time without a change', { timeout: 600_000 }, async () => {
    const { sql } = database;
    // Its texts are escaped as in the network's answers.
    const options = { areEscaped: true };
    const first = await importPaths(sql, [corpus as string], options);
    expect(first).toEqual({
      users: { read: 26_069, added: 26_069, changed: 0 },
      tweets: { read: 50_315, added: 50_315, changed: 0 },
      follows: { read: 200_431, added: 200_431, changed: 0 },
      faults: { count: 0, first: [] },
      omitted: [],
    });
    const [counts] = await sql`select (select count(*)::int from corpus_users) as users,
      (select count(*)::int from corpus_tweets) as tweets, (select count(*)::int from corpus_follows) as follows`;
    expect(counts).toEqual({ users: 26_069, tweets: 50_315, follows: 200_431 });
    const [escaped] = await sql`select count(*)::int as tweets from corpus_tweets where text ~ '&(amp|lt|gt);'`;
    expect(escaped?.tweets).toBeLessThan(10); // T13; what was escaped twice keeps one
    const hash = await contentHash(sql);
    await importPaths(sql, [corpus as string], options);
    expect(await contentHash(sql)).toBe(hash);
  });
});

describe.runIf(payloads !== undefined)('recorded answers, if present', () => {
  it.each(['v2', 'v2-twarc'])('%s: every body is mapped to rows or a readable fault', async (folder) => {
    const { rows, faults } = await readPath(join(payloads as string, folder));
    expect(rows.length).toBeGreaterThan(20);
    for (const { line, message } of faults) {
      expect(line).toBeGreaterThan(0);
      expect(message).toMatch(
        /^(?:data\[\d+\]: (?:created_at is missing|neither)|an error response|not JSON|\w+ is missing)/,
      );
    }
  });

  it('an archive without its account.js is refused with a readable message', async () => {
    const { rows, faults } = await readPath(join(payloads as string, 'archive'));
    expect(rows).toEqual([]);
    expect(faults).toMatchObject([{ message: expect.stringContaining('account.js') }]);
  });
});
