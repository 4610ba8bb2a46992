import { createAccounts } from '../adapters/postgres/accounts.js';
import { isOfPepper } from '../adapters/postgres/installation.js';
import { openEmbeddedPostgres } from '../adapters/postgres/launcher.js';
import { createLedger } from '../adapters/postgres/ledger.js';
import { migrate } from '../adapters/postgres/migrate.js';
import { SETTLING_CONNECTIONS } from '../adapters/postgres/post.js';
import { QUESTION_CONNECTIONS, Questions } from '../adapters/postgres/questions.js';
import { connect, type Sql } from '../adapters/postgres/sql.js';
import type { Config } from '../src/config/config.js';
import { withoutLogin } from '../src/config/read-settings.js';
import type { Accounts, Ledger } from '../src/ports/truth.js';
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
  lookUps: { max: 3, name: 'perch look-ups', limits: { lockMs: 1_000, statementMs: 5_000, idleMs: 5_000 } },
  /** Debits. */
  settling: {
    max: SETTLING_CONNECTIONS,
    name: 'perch settling',
    limits: { lockMs: 300, statementMs: 5_000, idleMs: 5_000 },
  },
  /** Free questions about the past. */
  questions: { max: QUESTION_CONNECTIONS, name: 'perch questions' },
  corpusSql: { max: 8, name: 'perch corpus' },
} as const;

/** Where truth is kept, opened and migrated. */
export interface Stores {
  readonly sql: Sql;
  /** A pool of its own for reads of the corpus: an aborted one is cancelled in the database, and must not hit another's. */
  readonly corpusSql: Sql;
  readonly accounts: Accounts;
  readonly ledger: Ledger;
  /** Free questions about the past, in a pool of their own. */
  readonly questions: Questions;
  readonly secrets: Secrets;
  /** Closes the connections, and stops the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

/** The database of the configuration: DATABASE_URL, or the embedded server in PERCH_HOME, started or joined. */
export async function openStores(config: Config, onProgress: (text: string) => void = () => {}): Promise<Stores> {
  const secrets = await openSecrets(config.home, config.secret);
  const server = config.databaseUrl === null ? await openEmbeddedPostgres({ home: config.home, onProgress }) : null;
  const target = server ? server.connection : { url: config.databaseUrl ?? '' };
  const sql = connect(target, POOLS.sql);
  const lookUps = connect(target, POOLS.lookUps);
  const settling = connect(target, POOLS.settling);
  const corpusSql = connect(target, POOLS.corpusSql);
  const questionsSql = connect(target, POOLS.questions);
  const questions = new Questions(questionsSql);
  const pools = [sql, lookUps, settling, corpusSql, questionsSql];
  const close = async (): Promise<void> => {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })));
    await server?.stop();
  };
  try {
    await migrate(sql, onProgress);
    if (!(await isOfPepper(sql, fingerprintOf(secrets)))) throw strangeSecrets(config);
  } catch (error) {
    await close();
    throw config.databaseUrl === null ? error : asOfAddress(error, config.databaseUrl);
  }
  const accounts = createAccounts(sql, { lookUps });
  const ledger = createLedger(sql, { lookUps, settling, questions });
  return { sql, corpusSql, accounts, ledger, questions, secrets, close };
}

/** Nobody listens there, or whoever does lets us not in: codes of the network, the driver and Postgres. */
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
