import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { holdsOnlyDemo } from '../../../app/demo.js';
import type { Stores } from '../../../app/stores.js';
import { COMET_THREAD_ID } from '../../../demo/entry-points.js';
import { hashKey, isWellFormedKey, mintKey } from '../../../src/access/key.js';
import type { Config } from '../../../src/config/config.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { reportWait } from '../../../src/lib/monotonic.js';
import type { AccountRecord, KeyLookup } from '../../../src/ports/accounts.js';
import { withoutTimeLimits } from '../../postgres/time-limits.js';
import { equipAccount, openAccount, operatorKeys } from '../accounts.js';
import { demoKeyFile, demoTestKeyFile } from '../environment.js';
import { note } from '../print.js';
import { openProgress } from '../progress.js';

const DEMO_LOCK = 0x64656d6f;
const NAME = 'Demo';
/** The demo account's credits if PERCH_STARTING_CREDITS is 0: enough to explore with. */
const PLAY_CREDITS = 1_000_000;
/** The rate of the first paid tier, because a new user clicks more than once a second. */
const PLAY_QPS = 20;

export interface PreparedDemo {
  readonly accountId: string;
  readonly key: string;
  /** Whether the keys were made just now; they are shown only then. */
  readonly isNew: boolean;
  /** The account's test key; null if it was revoked or removed. */
  readonly testKey: string | null;
  /** Whether the database contains nothing but the demo. */
  readonly isWholeData: boolean;
}

type DemoAccount = Pick<PreparedDemo, 'accountId' | 'key' | 'isNew'>;

/**
 * Fills an empty database with a demo: the invented network, and an account with a key to try it. Does nothing if the
 * database holds other data or the configuration has no demo. Processes that start together take turns.
 */
export async function prepareDemo(stores: Stores, config: Config): Promise<PreparedDemo | null> {
  if (!config.demo) {
    if ((await keptKey(stores, config)) !== null) note(stillWorks(config));
    return null;
  }
  return stores.sql.begin(async (turn) => {
    // Loading takes time, and other processes wait for it.
    await withoutTimeLimits(turn);
    await reportWait(turn`select pg_advisory_xact_lock(${DEMO_LOCK})`, () =>
      note('Waiting for another process, which is creating the demo'),
    );
    await fillNetwork(stores);
    if (!(await isInvented(stores))) return null;
    const account = (await keptKey(stores, config)) ?? (await newKey(stores, config));
    if (account === null) return null;
    const testKey = await testKeyOf(account, stores, config);
    return { ...account, testKey, isWholeData: await holdsOnlyDemo(stores.corpusSql) };
  });
}

/** Warns because strangers may have seen the key on the demo's pages. */
const stillWorks = (config: Config): string =>
  `The demo key of an earlier start still works: ${demoKeyFile(config)}. Revoke it with \`perch key revoke\` unless you need it.`;

/** Recognises the invented network by one of its threads: imported data gets no public demo key. */
async function isInvented({ corpusSql: sql }: Stores): Promise<boolean> {
  const found = await sql`select 1 from corpus_tweets where id = ${COMET_THREAD_ID}`;
  return found.length > 0;
}

async function fillNetwork({ corpusSql: sql }: Stores): Promise<void> {
  const [found] = await sql`
    select exists (select from corpus_users) or exists (select from corpus_tweets)
      or exists (select from corpus_follows) as filled`;
  if (found?.filled !== false) return;
  // Loaded here because only the first start needs them.
  const [{ demoNetwork }, { DEMO_SEED }, { loadCorpus }] = await Promise.all([
    import('../../../demo/demo-network.js'),
    import('../../../demo/entry-points.js'),
    import('../../networks/corpus/import/load.js'),
  ]);
  note('First start: creating the demo network (fictional data)');
  const rows = [...demoNetwork({ seed: DEMO_SEED, now: Date.now() })];
  const progress = openProgress('Filling the demo network', rows.length);
  try {
    const { users, tweets, follows } = await loadCorpus(sql, rows, {
      // An import may have begun since the look above, and then this load has waited for its end.
      onlyIfEmpty: true,
      onWait: () => note('Waiting for an import into this database to finish'),
      onRows: (done) => progress.update(done),
    });
    progress.stop();
    if (users.added > 0)
      note(`The demo network has ${users.added} users, ${tweets.added} tweets and ${follows.added} follows`);
  } finally {
    progress.stop();
  }
}

interface KeptKey {
  readonly key: string;
  /** Undefined if the database has no such key. */
  readonly found: KeyLookup | undefined;
}

/** The key in the file; null if there is none. */
async function inFile({ accounts, secrets }: Stores, file: string): Promise<KeptKey | null> {
  const key = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (!isWellFormedKey(key)) return null;
  const [found] = await accounts.findKeys([hashKey(key, secrets.pepper)]);
  return { key, found };
}

/** The key of an earlier start if it still works; null if it was revoked. */
async function keptKey(stores: Stores, config: Config): Promise<DemoAccount | null> {
  const kept = await inFile(stores, demoKeyFile(config));
  if (kept?.found?.state !== 'live') return null;
  return { accountId: kept.found.caller.accountId, key: kept.key, isNew: false };
}

/** Creates keys only if the database has none. The files are on disk first, because an unsaved key would be lost. */
async function newKey(stores: Stores, config: Config): Promise<DemoAccount | null> {
  const [found] = await stores.sql`select exists (select from keys) as taken`;
  if (found?.taken !== false) return null;
  const key = mintKey(randomBytes);
  const kept = { mode: 0o600, flush: true };
  await writeFile(demoKeyFile(config), `${key}\n`, kept);
  await writeFile(demoTestKeyFile(config), `${mintKey(randomBytes, 'test')}\n`, kept);
  const given = {
    ...{ name: NAME, email: null, paidUsd: 0, qpsOverride: PLAY_QPS },
    ...{ credits: config.startingThousandths || PLAY_CREDITS, reason: 'demo credits', keyName: 'demo', key },
  };
  const left = await accountWithoutKey(stores);
  if (left === undefined) return { accountId: (await openAccount(stores, given)).accountId, key, isNew: true };
  // Nothing was spent without a key: credits that it has are those of that start.
  await equipAccount(stores, left.accountId, left.balance > 0 ? { ...given, credits: 0 } : given);
  return { accountId: left.accountId, key, isNew: true };
}

/** The account of a start that was interrupted before its key was made. */
async function accountWithoutKey({ sql, accounts }: Stores): Promise<AccountRecord | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select account_id as id from accounts where name = ${NAME} and qps_override = ${PLAY_QPS} and deleted_at is null`;
  return found && accounts.get(found.id);
}

/** The test key in the file, created if the database lacks it: it is new, or an earlier start was interrupted. */
async function testKeyOf({ accountId }: DemoAccount, stores: Stores, config: Config): Promise<string | null> {
  const kept = await inFile(stores, demoTestKeyFile(config));
  if (kept === null) return null;
  const { key, found } = kept;
  if (found === undefined)
    await operatorKeys(stores).createTest(accountId, { name: 'demo test', cap: null, key }, OPERATOR);
  return found === undefined || found.state === 'live' ? key : null;
}
