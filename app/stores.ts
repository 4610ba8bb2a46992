import { createAccounts } from '../adapters/postgres/accounts/accounts.js';
import { isOfPepper } from '../adapters/postgres/accounts/keys.js';
import { openEmbeddedPostgres } from '../adapters/postgres/embedded/launcher.js';
import { hasDuckDb } from '../adapters/postgres/ledger/duckdb.js';
import { createLedger } from '../adapters/postgres/ledger/ledger.js';
import { SETTLING_CONNECTIONS } from '../adapters/postgres/ledger/post.js';
import { QUERY_CONNECTIONS, QueryLimiter } from '../adapters/postgres/ledger/query-limiter.js';
import { migrate } from '../adapters/postgres/migrate.js';
import { connect, type Sql, type Target } from '../adapters/postgres/sql.js';
import type { Config } from '../src/config/config.js';
import { withoutLogin } from '../src/config/read-settings.js';
import { Memories } from '../src/lib/memories.js';
import type { Accounts } from '../src/ports/accounts.js';
import type { Ledger } from '../src/ports/ledger.js';
import type { Lifecycle } from './lifecycle.js';
import { openSecrets, pepperFingerprint, type Secrets } from './secrets.js';

/**
 * The pools of one process, with the most connections of each; one more connection listens. Waiting in one pool blocks
 * nothing in another. Settling never runs more statements than its pool has connections: the driver would queue one
 * behind a statement that waits for a lock.
 */
const POOLS = {
  /** Accounts, sign-in, sales, pages: everything that a read does not wait for. */
  sql: { max: 6, name: 'perch', limits: { lockMs: 2_000, statementMs: 30_000, idleMs: 30_000 } },
  /** Keys and balances: a row or two by an index. */
  lookups: { max: 3, name: 'perch look-ups', limits: { lockMs: 1_000, statementMs: 5_000, idleMs: 5_000 } },
  /** Debits. */
  settling: {
    max: SETTLING_CONNECTIONS,
    name: 'perch settling',
    limits: { lockMs: 300, statementMs: 5_000, idleMs: 5_000 },
  },
  /** Free queries about the past. */
  queries: { max: QUERY_CONNECTIONS, name: 'perch history' },
  corpusSql: { max: 8, name: 'perch corpus' },
} as const;

/** Most connections of one process: those of its pools, and the one that listens. */
export const MOST_CONNECTIONS = Object.values(POOLS).reduce((sum, { max }) => sum + max, 1);

/** The stores of accounts, keys and the ledger, opened and migrated. */
export interface Stores {
  readonly sql: Sql;
  /**
   * A separate pool for reads of the corpus: an aborted one is cancelled in the database, and the cancel must not hit a
   * statement of another pool.
   */
  readonly corpusSql: Sql;
  readonly accounts: Accounts;
  readonly ledger: Ledger;
  /** Free queries about the past, in a separate pool. */
  readonly queries: QueryLimiter;
  readonly secrets: Secrets;
  /** The memories of this process: each part that keeps something counts it here. */
  readonly memories: Memories;
}

/** How long to wait for a pool's queries before they are cut off. */
const END_SECONDS = 5;
/** For the embedded server's last checkpoint, however long everything else took. */
const SHUT_DOWN_MS = 125_000;

export interface StoresOptions {
  /** In place of the configured database: tests. */
  readonly database?: Target;
  readonly onProgress?: (text: string) => void;
}

/** The configured stores, in the database of DATABASE_URL or in the embedded server, which is started or joined. */
export async function openStores(
  lifecycle: Lifecycle,
  config: Config,
  { database, onProgress = () => {} }: StoresOptions = {},
): Promise<Stores> {
  const secrets = await lifecycle.open('secrets', () => openSecrets(config.home, config.secret));
  const target = database ?? (await openDatabase(lifecycle, config, onProgress));
  const open = (pool: keyof typeof POOLS): Promise<Sql> =>
    lifecycle.open(
      POOLS[pool].name,
      () => connect(target, POOLS[pool]),
      (sql) => sql.end({ timeout: END_SECONDS }),
      { group: 'pools' },
    );
  const sql = await open('sql');
  await lifecycle.open('migrations', () => reached(config, migrate(sql, onProgress)));
  await lifecycle.open('pepper', () => checkPepper(sql, config, secrets));
  const lookups = await open('lookups');
  const settling = await open('settling');
  const corpusSql = await open('corpusSql');
  const queries = new QueryLimiter(await open('queries'));
  const accounts = createAccounts(sql, { lookups });
  const memories = new Memories();
  const { archiveFolder } = config;
  if (archiveFolder !== null && !(await hasDuckDb()))
    throw new Error('PERCH_ARCHIVES needs DuckDB: run `npm install @duckdb/node-api`, or unset it');
  const ledger = createLedger(sql, { lookups, settling, queries, archiveFolder, memories });
  return { sql, corpusSql, accounts, ledger, queries, secrets, memories };
}

/**
 * The address in DATABASE_URL, or that of the embedded server, which runs until the last process that uses it has
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
    () => openEmbeddedPostgres({ home, onProgress }),
    (running) => running.stop(),
    { closeMs: SHUT_DOWN_MS, outsideBudget: true },
  );
  return server.connection;
}

async function checkPepper(sql: Sql, config: Config, secrets: Secrets): Promise<void> {
  if (!(await reached(config, isOfPepper(sql, pepperFingerprint(secrets))))) throw strangeSecrets(config);
}

/** The database's answer; if it cannot be reached, the error names the setting to check. */
async function reached<T>({ databaseUrl }: Config, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw databaseUrl === null ? error : asOfAddress(error, databaseUrl);
  }
}

/** Nothing listens there, or the login is refused: codes of the network, the driver and Postgres. */
const NO_WAY_IN = /^(?:E[A-Z_]+|CONNECT_TIMEOUT|CONNECTION_\w+|28\w{3}|3D000)$/;

/** Adds the name of the setting to check, and the address without its login. */
function asOfAddress(error: unknown, databaseUrl: string): unknown {
  const { code = '', message } = error as { code?: string; message?: string };
  if (!NO_WAY_IN.test(code)) return error;
  const where = withoutLogin(databaseUrl);
  const isUnmet = /^(?:E|CONN)/.test(code) && databaseUrl.includes('target_session_attrs=');
  const why = isUnmet ? `none of its hosts is a primary that can be reached: ${message || code}` : message || code;
  return new Error(`Cannot connect to the database at DATABASE_URL (${where}): ${why}`, { cause: error });
}

/** Continuing would refuse every existing key, and create new ones that the other machines refuse. */
function strangeSecrets({ home, secret }: Config): Error {
  const what = "The keys in this database were created with different secrets than this machine's.";
  const shared = 'Set PERCH_SECRET to the same value on every machine';
  return new Error(
    secret === null
      ? `${what} ${shared}; or, where it is not set, copy the files pepper and cursor-secret from the first machine's PERCH_HOME to ${home}.`
      : `${what} ${shared}; or, if the first machine ran without it, unset it and copy the files pepper and cursor-secret from that machine's PERCH_HOME to ${home}.`,
  );
}
