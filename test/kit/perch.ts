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

/** The GraphQL server used unless a test chooses one. `.ci/run` runs the suite once with each. */
const MOUNT = z.enum(['yoga', 'mercurius']).default('yoga').parse(process.env.TEST_GRAPHQL_MOUNT);

/**
 * The test's own process serves, and a busy machine stalls it, for which requests would be refused. So that limit is
 * off.
 */
const DEFAULTS = { graphql: MOUNT, capacity: { maxLoopDelayMs: 0 } } as const;

export interface TestAccount {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface PerchOptions extends Partial<ComposeOptions> {
  readonly env?: Readonly<Record<string, string>>;
  /** Opens another database than an empty one, such as `demoDatabase`. */
  readonly openDatabase?: (options: { max?: number }) => Promise<FreshDatabase>;
  /** Fills the database before the service opens. */
  readonly prepare?: (database: FreshDatabase) => Promise<void>;
  /** Wraps the corpus that the service reads, for instance with `withFaults`. */
  readonly wrapCorpus?: (corpus: Network) => Network;
  /** The most connections of the test's own pool. */
  readonly max?: number;
}

export interface TestPerch {
  readonly url: string;
  readonly config: Config;
  /** A pool apart from those of the service: locks taken here look like another process's. */
  readonly database: FreshDatabase;
  /** The stores of the first node. */
  readonly stores: Stores;
  readonly ledger: Ledger;
  readonly customers: Perch['customers'];
  /** Opens an account with credits and a key of its own; it may make 10,000 requests a second by default. */
  account(options?: {
    credits?: number;
    qps?: number;
    paidUsd?: number;
    cap?: number;
    email?: string | null;
    /** Uses this key instead of a new one, such as the demo key that GraphiQL offers. */
    key?: string;
  }): Promise<TestAccount>;
  /** Adds a key to the account. */
  secondKey(account: TestAccount): Promise<string>;
  /** Adds a test key, on the account's test account. */
  testKey(account: Pick<TestAccount, 'accountId'>): Promise<TestAccount>;
  /** The wallet's balance in credits, from the database. */
  balance(account: TestAccount): Promise<number>;
  /**
   * Starts another node of the same service: it shares database and secrets, and has its own connections and memory.
   */
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

/** Opens what one process of the service consists of. */
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
