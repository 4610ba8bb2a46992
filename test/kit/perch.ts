import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { z } from 'zod';
import { createCorpusNetwork } from '../../adapters/networks/corpus/network.js';
import { type ComposeOptions, compose, type Perch } from '../../app/compose.js';
import { Lifecycle } from '../../app/lifecycle.js';
import { openStores, type Stores } from '../../app/stores.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { Keys } from '../../src/account/keys.js';
import { type Config, readConfig } from '../../src/config/config.js';
import { OPERATOR } from '../../src/domain/audit.js';
import { toCredits, toThousandths } from '../../src/domain/credits.js';
import type { Ledger } from '../../src/ports/ledger.js';
import type { Network } from '../../src/ports/network.js';
import { type FreshDatabase, freshDatabase } from './postgres/database.js';

/** What serves GraphQL where a test does not say: `.ci/run` has the suite once over each. */
const MOUNT = z.enum(['yoga', 'mercurius']).default('yoga').parse(process.env.TEST_GRAPHQL_MOUNT);

/** A busy machine stalls the process of a test, which serves as well: requests would be refused for that. */
const DEFAULTS = { graphql: MOUNT, capacity: { maxLoopDelayMs: 0 } } as const;

export interface TestAccount {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface PerchOptions extends Partial<ComposeOptions> {
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of an empty database: `demoDatabase`, for one. */
  readonly openDatabase?: (options: { max?: number }) => Promise<FreshDatabase>;
  /** Fills the database before anything is opened. */
  readonly prepare?: (database: FreshDatabase) => Promise<void>;
  /** Stands between the service and the corpus, as `withFaults` does. */
  readonly wrapCorpus?: (corpus: Network) => Network;
  /** Connections of the test's own pool. */
  readonly max?: number;
}

export interface TestPerch {
  readonly url: string;
  readonly config: Config;
  /** Outside the service's own pools: locks taken here look like another process's. */
  readonly database: FreshDatabase;
  /** The first node's own. */
  readonly stores: Stores;
  readonly ledger: Ledger;
  readonly customers: Perch['customers'];
  /** An account with credits and a key of its own; 10,000 requests a second unless told. */
  account(options?: {
    credits?: number;
    qps?: number;
    paidUsd?: number;
    cap?: number;
    email?: string | null;
    /** Instead of a new one: the demo key that GraphiQL offers. */
    key?: string;
  }): Promise<TestAccount>;
  /** One more key of the account. */
  secondKey(account: TestAccount): Promise<string>;
  /** A test key of the account, on its test account. */
  testKey(account: Pick<TestAccount, 'accountId'>): Promise<TestAccount>;
  /** The wallet's balance in credits, from the database. */
  balance(account: TestAccount): Promise<number>;
  /** Another node of the same service: the same database and secrets, and what it opens and holds is its own. */
  another(): Promise<{ readonly url: string; close(): Promise<void> }>;
  close(): Promise<void>;
}

/** A whole Perch over a fresh database on a free port, opened and closed by the service's own composition. */
export async function startPerch(options: PerchOptions = {}): Promise<TestPerch> {
  const { env = {}, openDatabase = freshDatabase, prepare, max, ...rest } = options;
  const database = await openDatabase(max === undefined ? {} : { max });
  await prepare?.(database);
  const settings = { PORT: '0', PERCH_DEMO: 'off', PERCH_SECRET: randomBytes(32).toString('hex'), ...env };
  const config = readConfig({ env: settings, cwd: process.cwd(), terminal: false });
  const open = () => openNode(database, config, rest);
  const { stores, customers, url, close } = await open().catch(async (error: unknown) => {
    await database.drop();
    throw error;
  });
  const { accounts, ledger, secrets } = stores;
  const addKey = async (accountId: string, key: string, capThousandths: number | null): Promise<string> => {
    const { keyId } = await accounts.addKey({
      accountId,
      hash: hashKey(key, secrets.pepper),
      prefix: keyPrefix(key),
      name: 'test',
      cap: capThousandths === null ? null : { amount: capThousandths, period: 'total' },
    });
    return keyId;
  };
  return {
    url,
    config,
    database,
    stores,
    ledger,
    customers,
    async account({ credits = 1000, qps = 10_000, paidUsd = 0, cap, email = null, key = mintKey(randomBytes) } = {}) {
      const qpsOverride = qps === 0 ? null : qps;
      const account = await accounts.create({ name: 'test', email, paidUsd, qpsOverride });
      const { accountId } = account;
      const keyId = await addKey(accountId, key, cap === undefined ? null : toThousandths(cap));
      if (credits > 0)
        await ledger.grant({ requestId: v7(), accountId, amount: toThousandths(credits), reason: 'test' });
      return { ...account, keyId, key };
    },
    async secondKey({ accountId }) {
      const key = mintKey(randomBytes);
      await addKey(accountId, key, null);
      return key;
    },
    async testKey({ accountId }) {
      const keys = new Keys({ accounts, pepper: secrets.pepper, clock: { now: Date.now }, randomBytes });
      const { key, record } = await keys.createTest(accountId, { name: 'test', cap: null }, OPERATOR);
      const testAccountId = (await accounts.testAccount(accountId)) ?? '';
      const walletId = (await accounts.get(testAccountId))?.walletId ?? '';
      return { accountId: testAccountId, walletId, keyId: record.keyId, key };
    },
    async balance({ walletId }) {
      const [row] = await database.sql<
        { balance: number }[]
      >`select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
      return toCredits(Number(row?.balance));
    },
    another: open,
    async close() {
      await close();
      await database.drop();
    },
  };
}

/** One process's worth of the service. */
async function openNode(
  { target }: FreshDatabase,
  config: Config,
  { wrapCorpus, ...options }: Omit<PerchOptions, 'env' | 'openDatabase' | 'prepare' | 'max'>,
): Promise<Perch & { readonly stores: Stores; close(): Promise<void> }> {
  const { log = pino({ level: process.env.PERCH_TEST_LOG ?? 'fatal' }) } = options;
  const lifecycle = new Lifecycle();
  return lifecycle.start(async () => {
    const stores = await openStores(lifecycle, config, { database: target });
    const wrapped = wrapCorpus && { network: wrapCorpus(createCorpusNetwork(stores.corpusSql)) };
    const perch = await compose(lifecycle, config, stores, { ...DEFAULTS, ...options, ...wrapped, log });
    return { ...perch, stores, close: () => lifecycle.close() };
  });
}
