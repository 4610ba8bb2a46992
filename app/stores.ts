import { createAccounts } from '../adapters/postgres/accounts.js';
import { isOfPepper } from '../adapters/postgres/installation.js';
import { openEmbeddedPostgres } from '../adapters/postgres/launcher.js';
import { createLedger } from '../adapters/postgres/ledger.js';
import { migrate } from '../adapters/postgres/migrate.js';
import { SETTLING_CONNECTIONS } from '../adapters/postgres/post.js';
import { QUERY_CONNECTIONS, QueryLimiter } from '../adapters/postgres/query-limiter.js';
import { connect, type Sql, type Target } from '../adapters/postgres/sql.js';
import type { Config } from '../src/config/config.js';
import { withoutLogin } from '../src/config/read-settings.js';
import type { Accounts } from '../src/ports/accounts.js';
import type { Ledger } from '../src/ports/ledger.js';
import type { Lifecycle } from './lifecycle.js';
import { fingerprintOf, openSecrets, type Secrets } from './secrets.js';

/**
 * The pools of one process, most connections each; beside them one that listens. Whoever waits in one holds up nobody in
 * another. Of what settles there is never more at work than its pool has connections: the driver would send it on behind
 * a statement that waits for a lock.
 */
const POOLS = {
  /** Accounts, sign-in, sales, pages: whatever is not on the way of a read. */
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
  queries: { max: QUERY_CONNECTIONS, name: 'perch questions' },
  corpusSql: { max: 8, name: 'perch corpus' },
} as const;

/** Most connections of one process: those of its pools, and the one that listens. */
export const MOST_CONNECTIONS = Object.values(POOLS).reduce((sum, { max }) => sum + max, 1);

/** Where accounts, keys and the ledger are kept, opened and migrated. */
export interface Stores {
  readonly sql: Sql;
  /** A pool of its own for reads of the corpus: an aborted one is cancelled in the database, and must not hit another's. */
  readonly corpusSql: Sql;
  readonly accounts: Accounts;
  readonly ledger: Ledger;
  /** Free queries about the past, in a pool of their own. */
  readonly queries: QueryLimiter;
  readonly secrets: Secrets;
}

/** A pool's queries are waited for so long; then they are cut off. */
const END_SECONDS = 5;
/** For the embedded server's last checkpoint, however long everything else took. */
const SHUT_DOWN_MS = 125_000;

export interface StoresOptions {
  /** Instead of the one that the configuration names: tests. */
  readonly database?: Target;
  readonly onProgress?: (text: string) => void;
}

/** The stores of the configuration, in the database of DATABASE_URL or in the embedded server, which is started or joined. */
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
  const ledger = createLedger(sql, { lookups, settling, queries });
  return { sql, corpusSql, accounts, ledger, queries, secrets };
}

/** The address of DATABASE_URL, or the embedded server's, which runs until the last process that uses it has closed it. */
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
  if (!(await reached(config, isOfPepper(sql, fingerprintOf(secrets))))) throw strangeSecrets(config);
}

/** What the database answers; where there is no way in, the error names the setting to look at. */
async function reached<T>({ databaseUrl }: Config, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw databaseUrl === null ? error : asOfAddress(error, databaseUrl);
  }
}

/** Nothing listens there, or the login is refused: codes of the network, the driver and Postgres. */
const NO_WAY_IN = /^(?:E[A-Z_]+|CONNECT_TIMEOUT|CONNECTION_\w+|28\w{3}|3D000)$/;

/** The name of the setting to look at, and the address without its login. */
function asOfAddress(error: unknown, databaseUrl: string): unknown {
  const { code = '', message } = error as { code?: string; message?: string };
  if (!NO_WAY_IN.test(code)) return error;
  const where = withoutLogin(databaseUrl);
  return new Error(`Cannot connect to the database at DATABASE_URL (${where}): ${message || code}`, { cause: error });
}

/** Going on would refuse every key there is, and make new ones that the other machines refuse. */
function strangeSecrets({ home, secret }: Config): Error {
  const what = "The keys in this database were created with different secrets than this machine's.";
  const shared = 'Set PERCH_SECRET to the same value on every machine';
  return new Error(
    secret === null
      ? `${what} ${shared}; or, where it is not set, copy the files pepper and cursor-secret from the first machine's PERCH_HOME to ${home}.`
      : `${what} ${shared}; or, if the first machine ran without it, unset it and copy the files pepper and cursor-secret from that machine's PERCH_HOME to ${home}.`,
  );
}
