import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { SETTLING_CONNECTIONS } from '../adapters/postgres/ledger/post.js';
import { QUERY_CONNECTIONS, QueryLimiter } from '../adapters/postgres/ledger/query-limiter.js';
import { migrate, newestSchema, type Schema, schemaOf } from '../adapters/postgres/migrate.js';
import { Replica } from '../adapters/postgres/replica.js';
import { ShardServers, serverAt } from '../adapters/postgres/shards/shard-servers.js';
import type { Shards } from '../adapters/postgres/shards/shards.js';
import { type ConnectOptions, connect, type Limits, type Sql, type Target } from '../adapters/postgres/sql.js';
import type { Config } from '../src/config/config.js';
import { withoutLogin } from '../src/config/read-settings.js';
import type { SettingName } from '../src/config/settings.js';
import { hostsOf, primaryOf, startingAt } from '../src/lib/database-address.js';
import type { Lifecycle } from './lifecycle.js';

const USUAL = { lockMs: 2_000, statementMs: 30_000, idleMs: 30_000 };

const CORPUS_READS = { max: 8, name: 'perch corpus' };

/**
 * The pools of one process, with the most connections of each; one more connection listens. Waiting in one pool blocks
 * nothing in another. Settling never runs more statements than its pool has connections, because the driver would queue
 * the others behind a statement that waits for a lock.
 */
const POOLS = {
  /** Accounts, sign-in, sales, pages: everything that a read does not wait for. */
  sql: { max: 6, name: 'perch', limits: USUAL },
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
  corpusSql: CORPUS_READS,
} as const;

/** Most connections of one process with one database address: those of its pools, and the one that listens. */
export const MOST_CONNECTIONS = Object.values(POOLS).reduce((sum, { max }) => sum + max, 1);

/** Pools that are opened if the corpus has its own server. */
const CORPUS_POOLS = {
  /** Reads from a replica if there is one. The lifetime makes connections that found none look again. */
  corpusReplica: { ...CORPUS_READS, lifetimeS: 300 },
  /** Imports and the index, on the primary of the corpus. */
  corpusWrites: { max: 4, name: 'perch corpus writes', limits: USUAL },
  /** The network that test keys read, which stays at DATABASE_URL. */
  inventedSql: { max: 2, name: 'perch invented' },
} as const;

/** Pools that are opened if history has a replica. */
const HISTORY_POOLS = {
  replica: { max: QUERY_CONNECTIONS, name: 'perch history', lifetimeS: 60 },
  /** Checks the replica's state. */
  replicaLooks: { max: 1, name: 'perch history look', lifetimeS: 4 },
  /** Queries that the replica cannot answer, on the primary: few at a time, because heavy ones delay charges. */
  fallback: { max: 2, name: 'perch history of the primary' },
} as const;

const ALL_POOLS = { ...POOLS, ...CORPUS_POOLS, ...HISTORY_POOLS };

/** How long to wait for a pool's queries before they are cut off. */
const END_SECONDS = 5;

/** Opens a pool, of the main database unless `target` is given. `options` replace those of the pool. */
export type OpenPool = (
  pool: keyof typeof ALL_POOLS,
  target?: Target,
  options?: Pick<ConnectOptions, 'max' | 'limits'>,
) => Promise<Sql>;

export const poolsOf =
  (lifecycle: Lifecycle, main: Target): OpenPool =>
  (pool, target = main, options = {}) =>
    lifecycle.open(
      ALL_POOLS[pool].name,
      () => connect(target, { ...ALL_POOLS[pool], ...options }),
      (sql) => sql.end({ timeout: END_SECONDS }),
      { group: 'pools' },
    );

/**
 * Pools for the debits of a distributed database: one for each server of shards, each large enough for all shards,
 * because any server may come to hold all of them.
 */
export const openShardServers = (
  lifecycle: Lifecycle,
  main: Target,
  { coordinator, looks, shards }: { coordinator: Sql; looks: Sql; shards: Shards },
): Promise<ShardServers> =>
  lifecycle.open(
    'servers of shards',
    () => {
      const options = { ...POOLS.settling, max: settlingConnections(shards) };
      return new ShardServers({ coordinator, looks, open: (host) => connect(serverAt(main, host), options) });
    },
    (servers) => servers.end({ timeout: END_SECONDS }),
    { group: 'pools' },
  );

/** The most connections of a process for debits; each shard has its own queue of debits, so it gets its own. */
export const settlingConnections = (shards: Shards | null): number => POOLS.settling.max * (shards?.count ?? 1);

export interface CorpusPools {
  /**
   * A separate pool for reads of the corpus. An aborted read is cancelled in the database, and the cancel must not hit
   * any other kind of statement.
   */
  readonly corpusSql: Sql;
  /** For imports, and for maintaining the search index. */
  readonly corpusWrites: Sql;
  /** For the network that test keys read. It is read where it is written, so reads never lag behind. */
  readonly inventedSql: Sql;
}

/** What is required of the databases other than the main one when they are opened. */
export type OthersNeeded = 'unneeded' | 'checked' | 'created';

export interface OtherOptions {
  readonly config: Pick<Config, 'corpusUrl' | 'historyUrl' | 'deadlineMs'>;
  /** The main database, used for everything that has no address of its own. */
  readonly sql: Sql;
  readonly openPool: OpenPool;
  readonly others: OthersNeeded;
  readonly onProgress: (text: string) => void;
}

/** How much longer the server lets a read of the corpus run than its call, which cancels it. */
const CANCEL_MS = 2_000;

/** The server ends a read of the corpus itself if the process died, or its cancel did not arrive. */
function readLimits({ deadlineMs }: Pick<Config, 'deadlineMs'>): Limits {
  const ms = deadlineMs + CANCEL_MS;
  return { lockMs: ms, statementMs: ms, idleMs: ms };
}

/** The corpus at CORPUS_DATABASE_URL, migrated like the main database, or in the main database. */
export async function openCorpus(lifecycle: Lifecycle, options: OtherOptions): Promise<CorpusPools> {
  const { config, sql, openPool, others } = options;
  const { corpusUrl: url } = config;
  const read = { limits: readLimits(config) };
  if (url === null) {
    const corpusSql = await openPool('corpusSql', undefined, read);
    return { corpusSql, corpusWrites: sql, inventedSql: corpusSql };
  }
  const corpusSql = await openPool('corpusReplica', { url: startingAt(url, randomInt(hostsOf(url).length)) }, read);
  const corpusWrites = await openPool('corpusWrites', { url: primaryOf(url) });
  if (others !== 'unneeded')
    await lifecycle.open('schema of the corpus', () =>
      reached('CORPUS_DATABASE_URL', url, checkCorpus(url, { corpusSql, corpusWrites }, options)),
    );
  return { corpusSql, corpusWrites, inventedSql: await openPool('inventedSql', undefined, read) };
}

/** Asks the primary only if necessary, because reads work without it. */
async function checkCorpus(
  url: string,
  { corpusSql, corpusWrites }: Pick<CorpusPools, 'corpusSql' | 'corpusWrites'>,
  { others, onProgress }: OtherOptions,
): Promise<void> {
  const where = `CORPUS_DATABASE_URL (${withoutLogin(url)})`;
  const read = await schemaOf(corpusSql);
  if (read.isStandby && hostsOf(url).length === 1) {
    throw new Error(
      `${where} is a standby, which accepts no imports. Name all hosts: postgres://…@one:5432,two:5432/perch?target_session_attrs=prefer-standby`,
    );
  }
  if (isReady(read, where)) return;
  const written = await schemaOf(corpusWrites);
  if (written.version === null && others !== 'created') {
    throw new Error(
      `${where} has no schema of Perch. Run \`perch import PATH\`, which creates it, or correct the address`,
    );
  }
  if (!isReady(written, where)) await migrate(corpusWrites, onProgress, 'CORPUS_DATABASE_URL');
  for (const until = performance.now() + LONGEST_CATCH_UP_MS; !isReady(await schemaOf(corpusSql), where); ) {
    if (performance.now() > until)
      throw new Error(`A replica at ${where} lacks the newest schema. Start again once it has caught up`);
    await wait(LONGEST_CATCH_UP_MS / 50);
  }
}

/** How long to wait until a replica has its primary's schema. */
const LONGEST_CATCH_UP_MS = 10_000;

function isReady({ version }: Schema, where: string): boolean {
  if (version !== null && version > newestSchema()) {
    throw new Error(
      `${where} has schema ${version}, from a later version of Perch: upgrade this one, which has ${newestSchema()}`,
    );
  }
  return version === newestSchema();
}

/**
 * Free queries about the past: on the replica at HISTORY_DATABASE_URL while it works, otherwise on the main database.
 */
export async function openHistory(
  lifecycle: Lifecycle,
  { config, sql, openPool, others, onProgress }: OtherOptions,
): Promise<{ queries: QueryLimiter; replica: Replica | null }> {
  const { historyUrl: url } = config;
  if (url === null) return { queries: new QueryLimiter(await openPool('queries')), replica: null };
  const [pool, looks] = [await openPool('replica', { url }), await openPool('replicaLooks', { url })];
  const replica = new Replica({ pool, looks, primary: sql });
  if (others !== 'unneeded') await lifecycle.open('replica of history', () => checkReplica(replica, url, onProgress));
  return { queries: new QueryLimiter(await openPool('fallback'), {}, replica), replica };
}

/** An unreachable replica must not prevent a start; a server that is no replica of this database must. */
async function checkReplica(replica: Replica, url: string, onProgress: (text: string) => void): Promise<void> {
  const { why, isWrong } = await replica.look(LONGEST_FIRST_LOOK_MS);
  const where = `HISTORY_DATABASE_URL (${withoutLogin(url)})`;
  if (isWrong) {
    throw new Error(`${where}: ${why}. Point it at a streaming replica of the database at DATABASE_URL, or unset it`);
  }
  if (why !== null) onProgress(`${where}: ${why}. Until that changes, history is read at DATABASE_URL`);
}

/** How long to wait for the replica at the start. */
const LONGEST_FIRST_LOOK_MS = 10_000;

/** The database's answer; if it cannot be reached, the error names the setting to check. Null: the embedded server. */
export async function reached<T>(setting: SettingName, url: string | null, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw url === null ? error : asOfAddress(error, setting, url);
  }
}

/** Codes of the network, the driver and Postgres for: nothing listens there, or the login is refused. */
const NO_WAY_IN = /^(?:E[A-Z_]+|CONNECT_TIMEOUT|CONNECTION_\w+|28\w{3}|3D000)$/;

/** Adds the name of the setting to check, and the address without its login. */
function asOfAddress(error: unknown, setting: SettingName, url: string): unknown {
  const { code = '', message } = error as { code?: string; message?: string };
  if (!NO_WAY_IN.test(code)) return error;
  const isUnmet = /^(?:E|CONN)/.test(code) && url.includes('target_session_attrs=primary');
  const why = isUnmet ? `none of its hosts is a primary that can be reached: ${message || code}` : message || code;
  return new Error(`Cannot connect to the database at ${setting} (${withoutLogin(url)}): ${why}`, { cause: error });
}
