import postgres from 'postgres';
import { parse } from 'postgres-array';
import type { EmbeddedConnection } from './embedded/launcher.js';
import { SilenceWatch } from './silence.js';

export type Target = { readonly url: string } | EmbeddedConnection;

/** A pool as all code here uses it. */
export type Sql = postgres.Sql<{ bigint: number | string }>;

/** The same within `sql.begin`. */
export type Transaction = postgres.TransactionSql<{ bigint: number | string }>;

const BIGINT_OID = 20;

const watch = new SilenceWatch();
/**
 * Whether the driver is repaired. As its package ships it (sources run by `tsx`), it would never connect our sockets.
 */
const isRepaired = Symbol.for('perch.postgres-driver') in globalThis;

/**
 * Time limits that the server applies to everything a connection does, in milliseconds. A statement that they end has
 * done nothing.
 */
export interface Limits {
  /** The wait for any one lock (55P03). */
  readonly lockMs: number;
  /** One statement (57014). */
  readonly statementMs: number;
  /** A transaction between two statements: a node that hangs must not keep its locks (25P03). */
  readonly idleMs: number;
}

export interface ConnectOptions {
  readonly max?: number;
  readonly name?: string;
  readonly limits?: Limits;
  /** How long a connection is used, so that a later one may find a better host; by default half an hour or more. */
  readonly lifetimeS?: number;
}

/**
 * Opens a pool. Lazy: the first query connects. A `bigint` is read as a number where that is exact, otherwise left as
 * text, never rounded (ids of the network: select them as text). Close it with `sql.end()`.
 */
export function connect(target: Target, options: ConnectOptions = {}): Sql {
  const { limits } = options;
  const settings = {
    max: options.max ?? 8,
    // When a `begin` fills a connection's pipeline, the driver does not reserve the connection: the statements of others
    // run in a transaction that nothing commits (porsager/postgres#1189). So no pipeline may be filled.
    max_pipeline: Number.MAX_SAFE_INTEGER,
    connect_timeout: 10,
    // Seconds before a lost connection is retried. The driver's default rises to 20, too long once a database is back.
    backoff: () => 0.25,
    onnotice: () => {},
    ...(options.lifetimeS !== undefined && { max_lifetime: options.lifetimeS }),
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
  // An option that the driver's types leave out.
  const watched = isRepaired ? { ...settings, socket: () => watch.open() } : settings;
  const sql = 'url' in target ? postgres(target.url, watched) : postgres({ ...settings, ...target });
  return sql as unknown as Sql;
}

/** Element types whose arrays are sent or read here: the oids of the element and of the array. */
const ARRAYS = {
  boolean: [16, 1000],
  bytea: [17, 1001],
  bigint: [20, 1016],
  integer: [23, 1007],
  text: [25, 1009],
  double: [701, 1022],
  varchar: [1043, 1015],
  timestamptz: [1184, 1185],
  uuid: [2950, 2951],
} as const;

type Element = keyof typeof ARRAYS;

/**
 * Array types of the driver. By default it queries the server for them on each new connection, and a connection lost at
 * that moment causes an unhandled rejection, which ends the process. These are known in advance, so no query is needed.
 * Send an array with its type, `${values}::text[]`; the driver takes arrays of Dates, Buffers or booleans for single
 * values, so send text.
 */
function arrayTypes(): Record<`${Element}Array`, ReturnType<typeof arrayType>> {
  const types = Object.entries(ARRAYS).map(([name, [, oid]]) => [`${name}Array`, arrayType(oid, name as Element)]);
  return Object.fromEntries(types);
}

const arrayType = (oid: number, element: Element) => ({
  to: oid,
  from: [oid],
  serialize: (values: readonly unknown[] | string) => (typeof values === 'string' ? values : literal(values)),
  parse: (text: string) => parse(text, parsers[element] ?? String),
});

const parsers: Partial<Record<Element, (text: string) => unknown>> = {
  boolean: (text) => text === 't',
  bytea: (text) => Buffer.from(text.slice(2), 'hex'),
  bigint: exactNumber,
  integer: Number,
  double: Number,
  timestamptz: (text) => new Date(text),
};

/** A `bigint` as a number where that is exact, otherwise as the original text. */
function exactNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

const literal = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`;

function element(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return literal(value);
  return `"${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
