import postgres from 'postgres';
import type { EmbeddedConnection } from './launcher.js';

export type Target = { readonly url: string } | EmbeddedConnection;

/** A pool as everything here uses it. */
export type Sql = postgres.Sql<{ bigint: number | string }>;

const BIGINT_OID = 20;

/**
 * Opens a pool. Lazy: the first query connects. A `bigint` is read as a number where that is exact, else left as text, never
 * rounded (ids of the network: select them as text). Close it with `sql.end()`.
 */
export function connect(target: Target, options: { max?: number; name?: string } = {}): Sql {
  const settings = {
    max: options.max ?? 8,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: options.name ?? 'perch', TimeZone: 'UTC' },
    types: {
      bigint: { to: BIGINT_OID, from: [BIGINT_OID], serialize: String, parse: safeNumber },
    },
  };
  if ('url' in target) return postgres(target.url, settings);
  return postgres({ ...settings, ...target });
}

function safeNumber(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}
