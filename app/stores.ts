import { createAccounts } from '../adapters/postgres/accounts/accounts.js';
import type { BeforeKey } from '../adapters/postgres/accounts/key-changes.js';
import { isOfPepper, takesPepper } from '../adapters/postgres/accounts/keys.js';
import { openEmbeddedPostgres } from '../adapters/postgres/embedded/launcher.js';
import { hasDuckDb } from '../adapters/postgres/ledger/duckdb.js';
import { createLedger } from '../adapters/postgres/ledger/ledger.js';
import type { QueryLimiter } from '../adapters/postgres/ledger/query-limiter.js';
import { migrate } from '../adapters/postgres/migrate.js';
import type { Replica } from '../adapters/postgres/replica.js';
import { checkCoordinator, readShards, type Shards } from '../adapters/postgres/shards/shards.js';
import type { Sql, Target } from '../adapters/postgres/sql.js';
import type { Config } from '../src/config/config.js';
import { Memories } from '../src/lib/memories.js';
import type { Accounts } from '../src/ports/accounts.js';
import type { Ledger } from '../src/ports/ledger.js';
import {
  type CorpusPools,
  type OthersNeeded,
  openCorpus,
  openHistory,
  openShardServers,
  poolsOf,
  reached,
  settlingConnections,
} from './databases.js';
import type { Lifecycle } from './lifecycle.js';
import { inHome, isFolder, openSecrets, pepperFingerprint, type Secrets } from './secrets.js';

/** The stores of accounts, keys and the ledger, opened and migrated. */
export interface Stores extends CorpusPools {
  readonly sql: Sql;
  readonly accounts: Accounts;
  readonly ledger: Ledger;
  /** Free queries about the past, in a separate pool. */
  readonly queries: QueryLimiter;
  /** The replica that history is read from first; null if there is none. */
  readonly replica: Replica | null;
  readonly secrets: Secrets;
  readonly beforeKey: BeforeKey;
  /** The memories of this process, where each part counts what it keeps. */
  readonly memories: Memories;
}

/** Time for the embedded server's last checkpoint, in addition to everything else. */
const SHUT_DOWN_MS = 125_000;

export interface StoresOptions {
  /** Replaces the configured database, in tests. */
  readonly database?: Target;
  /**
   * Whether the other databases must be usable (`checked`, the default) or are not needed. An import creates the
   * corpus's schema (`created`).
   */
  readonly others?: OthersNeeded;
  readonly onProgress?: (text: string) => void;
}

/**
 * The configured stores, in the database of DATABASE_URL or in the embedded server, which is started or joined. The
 * corpus and history may have addresses of their own.
 */
export async function openStores(
  lifecycle: Lifecycle,
  config: Config,
  { database, others = 'checked', onProgress = () => {} }: StoresOptions = {},
): Promise<Stores> {
  const secrets = await lifecycle.open('secrets', () => openSecrets(config.home, config.secret));
  const target = database ?? (await openDatabase(lifecycle, config, onProgress));
  const openPool = poolsOf(lifecycle, target);
  const sql = await openPool('sql');
  const { databaseUrl } = config;
  const shards = await lifecycle.open('migrations', () =>
    reached('DATABASE_URL', databaseUrl, openSchema(sql, others, onProgress)),
  );
  const fingerprint = pepperFingerprint(secrets);
  const isOurs = await lifecycle.open('pepper', () =>
    reached('DATABASE_URL', databaseUrl, isOfPepper(sql, fingerprint)),
  );
  if (!isOurs) throw strangeSecrets(config);
  const beforeKey: BeforeKey = async (tx) => {
    if (!(await takesPepper(tx, fingerprint))) throw strangeSecrets(config);
  };
  const lookups = await openPool('lookups');
  const settling = await openPool('settling', undefined, { max: settlingConnections(shards) });
  const servers = shards && (await openShardServers(lifecycle, target, { coordinator: settling, looks: sql, shards }));
  const corpus = await openCorpus(lifecycle, { config, sql, openPool, others, onProgress });
  const { queries, replica } = await openHistory(lifecycle, { config, sql, openPool, others, onProgress });
  const accounts = createAccounts(sql, { lookups, isDistributed: shards !== null, beforeKey });
  const memories = new Memories();
  const { archiveFolder } = config;
  if (archiveFolder !== null && !(await hasDuckDb()))
    throw new Error('PERCH_ARCHIVES needs DuckDB: run `npm install @duckdb/node-api`, or unset it');
  // A folder on another machine may only be away.
  if (archiveFolder !== null && !(await isFolder(archiveFolder)))
    onProgress(`PERCH_ARCHIVES: there is no folder ${archiveFolder}. Receipts of archived months are not found there`);
  const ledger = createLedger(sql, { lookups, settling, queries, archiveFolder, shards, servers });
  return { sql, ...corpus, accounts, ledger, queries, replica, secrets, beforeKey, memories };
}

/**
 * The address in DATABASE_URL, or the embedded server's. That server runs until the last process that uses it has
 * closed it.
 */
async function openDatabase(
  lifecycle: Lifecycle,
  { databaseUrl, home }: Config,
  onProgress: (text: string) => void,
): Promise<Target> {
  if (databaseUrl !== null) return { url: databaseUrl };
  const server = await lifecycle.open(
    'embedded database',
    () => inHome(home, () => openEmbeddedPostgres({ home, onProgress })),
    (running) => running.stop(),
    { closeMs: SHUT_DOWN_MS, outsideBudget: true },
  );
  return server.connection;
}

/** Commands post no debits, so they may use a database that is only partly distributed; its shards are not read. */
async function openSchema(sql: Sql, others: OthersNeeded, onProgress: (text: string) => void): Promise<Shards | null> {
  await checkCoordinator(sql);
  await migrate(sql, onProgress);
  return others === 'unneeded' ? null : readShards(sql);
}

/** With other secrets this machine would refuse every existing key, and create keys that the other machines refuse. */
function strangeSecrets({ home, secret }: Config): Error {
  const what = "The keys in this database were created with different secrets than this machine's.";
  const shared = 'Set PERCH_SECRET to the same value on every machine';
  return new Error(
    secret === null
      ? `${what} ${shared}; or, where it is not set, copy the files pepper and cursor-secret from the first machine's PERCH_HOME to ${home}.`
      : `${what} ${shared}; or, if the first machine ran without it, unset it and copy the files pepper and cursor-secret from that machine's PERCH_HOME to ${home}.`,
  );
}
