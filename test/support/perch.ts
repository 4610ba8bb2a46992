import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { z } from 'zod';
import { createCorpusNetwork } from '../../adapters/networks/corpus/network.js';
import { createAccounts } from '../../adapters/postgres/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { QUESTION_CONNECTIONS, Questions } from '../../adapters/postgres/questions.js';
import { connect } from '../../adapters/postgres/sql.js';
import { type ComposeOptions, compose } from '../../app/compose.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { type Config, readConfig } from '../../src/config/config.js';
import { toCredits, toThousandths } from '../../src/core/credits.js';
import type { Network } from '../../src/ports/network.js';
import type { Ledger } from '../../src/ports/truth.js';
import { type FreshDatabase, freshDatabase } from './database.js';

/** What serves GraphQL where a test does not say: `.ci/run` has the suite once over each. */
const MOUNT = z.enum(['yoga', 'mercurius']).default('yoga').parse(process.env.TEST_GRAPHQL_MOUNT);

export interface TestAccount {
  readonly accountId: string;
  readonly walletId: string;
  readonly key: string;
}

export interface TestPerch {
  readonly url: string;
  readonly config: Config;
  readonly database: FreshDatabase;
  readonly ledger: Ledger;
  /** An account with credits and a key of its own; 10,000 requests a second unless told. */
  account(options?: {
    credits?: number;
    qps?: number;
    paidUsd?: number;
    cap?: number;
    /** Instead of a new one: the demo key that GraphiQL offers. */
    key?: string;
  }): Promise<TestAccount>;
  /** One more key of the account. */
  secondKey(account: TestAccount): Promise<string>;
  /** The wallet's balance in credits, from the database. */
  balance(account: TestAccount): Promise<number>;
  /** Another node of the same service: the same database and secrets, and what it holds is its own. */
  another(): Promise<{ readonly url: string; close(): Promise<void> }>;
  close(): Promise<void>;
}

/** A whole Perch over a fresh database on a free port. Fill the database first with `prepare`. */
export async function startPerch(
  options: Partial<ComposeOptions> & {
    env?: Record<string, string>;
    prepare?: (database: FreshDatabase) => Promise<void>;
    /** Stands between the service and the corpus, as `withFaults` does. */
    wrapCorpus?: (corpus: Network) => Network;
  } = {},
): Promise<TestPerch> {
  const { env = {}, prepare, wrapCorpus, ...rest } = options;
  const database = await freshDatabase();
  await prepare?.(database);
  const config = readConfig({ env: { PORT: '0', PERCH_DEMO: 'off', ...env }, cwd: process.cwd(), terminal: false });
  const corpusSql = connect(database.target, { max: 4 });
  const secrets = { pepper: randomBytes(32), cursor: randomBytes(32) };
  const accounts = createAccounts(database.sql);
  const questionsSql = connect(database.target, { max: QUESTION_CONNECTIONS, name: 'perch questions' });
  const questions = new Questions(questionsSql);
  const ledger = createLedger(database.sql, { questions });
  const stores = { sql: database.sql, corpusSql, accounts, ledger, questions, secrets, close: async () => undefined };
  const log = options.log ?? pino({ level: process.env.PERCH_TEST_LOG ?? 'fatal' });
  const wrapped = wrapCorpus && { network: wrapCorpus(createCorpusNetwork(corpusSql)) };
  const perch = await compose(config, stores, { graphql: MOUNT, ...rest, ...wrapped, log });
  const url = await perch.listen();
  const addKey = (accountId: string, key: string, capThousandths: number | null) =>
    accounts.addKey({
      accountId,
      hash: hashKey(key, secrets.pepper),
      prefix: keyPrefix(key),
      name: 'test',
      cap: capThousandths === null ? null : { amount: capThousandths, period: 'total' },
    });
  return {
    url,
    config,
    database,
    ledger,
    async account({ credits = 1000, qps = 10_000, paidUsd = 0, cap, key = mintKey(randomBytes) } = {}) {
      const account = await accounts.create({
        name: 'test',
        email: null,
        paidUsd,
        qpsOverride: qps === 0 ? null : qps,
      });
      const { accountId } = account;
      await addKey(accountId, key, cap === undefined ? null : toThousandths(cap));
      if (credits > 0)
        await ledger.grant({ requestId: v7(), accountId, amount: toThousandths(credits), reason: 'test' });
      return { ...account, key };
    },
    async secondKey({ accountId }) {
      const key = mintKey(randomBytes);
      await addKey(accountId, key, null);
      return key;
    },
    async balance({ walletId }) {
      const [row] = await database.sql<
        { balance: number }[]
      >`select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
      return toCredits(Number(row?.balance));
    },
    async another() {
      const node = await compose(config, stores, { graphql: MOUNT, ...rest, ...wrapped, log });
      return { url: await node.listen(), close: () => node.close() };
    },
    async close() {
      await perch.close();
      await corpusSql.end({ timeout: 1 });
      await questionsSql.end({ timeout: 1 });
      await database.drop();
    },
  };
}
