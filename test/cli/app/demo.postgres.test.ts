import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { demoWatch } from '../../../app/demo.js';
import { COMET_THREAD_ID } from '../../../demo/entry-points.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { manualClock } from '../../kit/time/manual-clock.js';

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
  // Enough to be taken for the invented network.
  const tweet = { id: COMET_THREAD_ID, authorId: '4194304', text: 'A comet', createdAt: '2025-09-01T00:00:00.000Z' };
  await loadCorpus(database.sql, [{ kind: 'tweet', tweet }]);
});
afterEach(() => database.drop());

it('is a demo again after a look that failed, and never again after an import', async () => {
  const { sql } = database;
  const clock = manualClock();
  const isDemo = demoWatch(sql, clock, true);
  const aMinuteLater = (): Promise<boolean> => {
    clock.advance(60_000);
    return isDemo();
  };
  expect(await aMinuteLater()).toBe(true);
  await sql`alter table corpus_users rename to away`;
  expect(await aMinuteLater()).toBe(false);
  await sql`alter table away rename to corpus_users`;
  expect(await aMinuteLater()).toBe(true);
  await loadCorpus(sql, [{ kind: 'user', user: { id: '7', handle: 'quayside', name: 'Quayside' } }]);
  expect(await aMinuteLater()).toBe(false);
  await sql`delete from corpus_users`;
  expect(await aMinuteLater()).toBe(false);
});
