import postgres from 'postgres';
import { arrayTypes, exactNumber } from './arrays.js';
import type { EmbeddedConnection } from './embedded/launcher.js';

export type Target = { readonly url: string } | EmbeddedConnection;

/** A pool as all code here uses it. */
export type Sql = postgres.Sql<{ bigint: number | string }>;

/** The same within `sql.begin`. */
export type Transaction = postgres.TransactionSql<{ bigint: number | string }>;

const BIGINT_OID = 20;

/**
 * Time limits that the server applies to everything a connection does, in milliseconds. A statement they end has done
 * nothing.
 */
export interface Limits {
  /** Waiting for any one lock (55P03). */
  readonly lockMs: number;
  /** One statement (57014). */
  readonly statementMs: number;
  /** A transaction between two statements: a node that hangs must not keep its locks (25P03). */
  readonly idleMs: number;
}

/**
 * Opens a pool. Lazy: the first query connects. A `bigint` is read as a number where that is exact, otherwise left as
 * text, never rounded (ids of the network: select them as text). Close it with `sql.end()`.
 */
export function connect(target: Target, options: { max?: number; name?: string; limits?: Limits } = {}): Sql {
  const { limits } = options;
  const settings = {
    max: options.max ?? 8,
    // A `begin` that fills a connection's pipeline is sent without the connection being reserved for it: what others send
    // next runs in a transaction that nobody commits (porsager/postgres#1189). So no pipeline may be filled.
    max_pipeline: Number.MAX_SAFE_INTEGER,
    connect_timeout: 10,
    // Seconds before a lost connection is retried. The driver's own default rises to 20, long after a database is back.
    backoff: () => 0.25,
    onnotice: () => {},
    connection: {
      application_name: options.name ?? 'perch',
      TimeZone: 'UTC',
      ...(limits && {
        lock_timeout: limits.lockMs,
        statement_timeout: limits.statementMs,
        idle_in_transaction_session_timeout: limits.idleMs,
      }),
    },
    fetch_types: false,
    types: {
      ...arrayTypes(),
      bigint: { to: BIGINT_OID, from: [BIGINT_OID], serialize: String, parse: exactNumber },
    },
  };
  const sql = 'url' in target ? postgres(target.url, settings) : postgres({ ...settings, ...target });
  return sql as unknown as Sql;
}
