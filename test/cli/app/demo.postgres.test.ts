import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareDemo } from '../../../adapters/cli/serve/demo.js';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { IMPORT_LOCK } from '../../../adapters/networks/corpus/import/sql.js';
import { demoWatch } from '../../../app/demo.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { openStores, type Stores } from '../../../app/stores.js';
import { COMET_THREAD_ID } from '../../../demo/entry-points.js';
import { type Config, readConfig } from '../../../src/config/config.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { until } from '../../kit/time/until.js';
import { openHome, removeHome } from '../../postgres/embedded/home.js';
import { captureOutput } from '../support/captured.js';

const said = captureOutput();

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

/** Runs with the stores of a demo on the database. */
async function withDemo(use: (stores: Stores, config: Config) => Promise<void>): Promise<void> {
  const home = await openHome();
  const lifecycle = new Lifecycle();
  try {
    const config = readConfig({ env: { PERCH_HOME: home }, cwd: '/', terminal: false });
    await use(await openStores(lifecycle, config, { database: database.target }), config);
  } finally {
    await lifecycle.close();
    await removeHome(home);
  }
}

const killed = (): never => {
  throw new Error('killed');
};

it('gets a test key that an interrupted first start left out, and none that was revoked', () =>
  withDemo(async (stores, config) => {
    const interrupted: Stores = { ...stores, accounts: { ...stores.accounts, openTestAccount: killed } };
    await expect(prepareDemo(interrupted, config)).rejects.toThrow('killed');
    const demo = await prepareDemo(stores, config);
    expect(demo).toMatchObject({ isNew: false, testKey: expect.stringMatching(/^perch_test_\w{32}$/) });
    expect(await prepareDemo(stores, config)).toEqual(demo);

    await stores.sql`update keys set revoked_at = now() where name = 'demo test'`;
    expect(await prepareDemo(stores, config)).toEqual({ ...demo, testKey: null });
    expect(await stores.sql`select from keys`).toHaveLength(2);
  }));

it('says that it waits for an import, and for another process that creates the demo', { timeout: 120_000 }, () =>
  withDemo(async (stores, config) => {
    await stores.sql`delete from corpus_tweets`;
    const finish = await holdLocks(stores.sql, async (tx) => {
      await tx`select pg_advisory_xact_lock(${IMPORT_LOCK})`;
      await tx`insert into corpus_users (id, handle, name) values (7, 'quayside', 'Quayside')`;
    });
    const starts = Promise.all([prepareDemo(stores, config), prepareDemo(stores, config)]);
    const saysBoth = (): boolean =>
      /^Waiting for an import/m.test(said.err) && /^Waiting for another process, which is creating/m.test(said.err);
    // One of them makes the invented network first.
    await until('both say what they wait for', saysBoth, 90_000).finally(finish);
    expect(await starts).toEqual([null, null]);
  }),
);

it.each([
  ['credits', ({ ledger }: Stores) => ({ ledger: { ...ledger, grant: killed } })],
  ['key', ({ accounts }: Stores) => ({ accounts: { ...accounts, addKey: killed } })],
])('gives the account of a first start that was interrupted before its %s what it lacks', (_, without) =>
  withDemo(async (stores, config) => {
    await expect(prepareDemo({ ...stores, ...without(stores) }, config)).rejects.toThrow('killed');
    const demo = await prepareDemo(stores, config);
    const live = await stores.sql<{ id: string }[]>`select account_id as id from accounts where test_of is null`;
    expect(live).toEqual([{ id: demo?.accountId }]);
    expect(await stores.accounts.get(demo?.accountId ?? '')).toMatchObject({ balance: 1_000_000 });
    expect(await stores.accounts.keys(demo?.accountId ?? '')).toMatchObject([{ name: 'demo' }]);
  }),
);
