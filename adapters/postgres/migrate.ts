import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Postgrator from 'postgrator';
import type postgres from 'postgres';
import { reportWait } from '../../src/lib/monotonic.js';
import { openMonthsAhead, openThisMonth } from './ledger/maintenance.js';
import type { Sql, Transaction } from './sql.js';
import { withoutTimeLimits } from './time-limits.js';

const FOLDER = fileURLToPath(new URL('migrations', import.meta.url));
const MIGRATION_LOCK = 0x6d696772;
const OLDEST = 15;
/** The error code for something that the role may not do. */
export const INSUFFICIENT_PRIVILEGE = '42501';
const STANDBY =
  'The database is a standby, which accepts no writes. Point DATABASE_URL at the primary, or name all hosts: postgres://…@one:5432,two:5432/perch?target_session_attrs=primary';

/**
 * Brings the schema up to date, forward only and all or nothing, in one transaction, and opens the months ahead. Nodes
 * that start together take turns under one lock, and the later ones find nothing to do. The lock ends with the
 * transaction, so a pooler in between can't keep it. When the server is older than Postgres 15 or a standby, throws an
 * Error that says what to do.
 */
export async function migrate(
  sql: Sql,
  onProgress: (text: string) => void = () => {},
  setting = 'DATABASE_URL',
): Promise<void> {
  const migrated = sql.begin(async (transaction) => {
    const [server] = await transaction<{ major: number; isStandby: boolean }[]>`
      select current_setting('server_version_num')::int / 10000 as major, pg_is_in_recovery() as "isStandby"`;
    checkVersion(server?.major ?? 0, setting);
    if (server?.isStandby) throw new Error(STANDBY);
    await takeTurn(transaction, onProgress);
    await reportOlderLedger(transaction, onProgress);
    await run(transaction, onProgress);
    await openThisMonth(transaction);
  });
  await migrated
    .then(() => openMonthsAhead(sql))
    .catch(async (error: unknown) => {
      if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
      const [may] = await sql`
      select format('ALTER DATABASE %I OWNER TO %I', current_database(), current_user) as statement`;
      throw new Error(
        `${(error as Error).message}. The role must own the database: let a superuser run \`${may?.statement}\`, on Citus once the workers are added.`,
        { cause: error },
      );
    });
}

/**
 * Takes the lock of schema changes, without time limits: everything else that changes the schema waits, including nodes
 * that start. Also sets what Citus needs to change several tables in one transaction, and append-only ones; these
 * settings mean nothing elsewhere.
 */
async function takeTurn(transaction: Transaction, onProgress: (text: string) => void): Promise<void> {
  await withoutTimeLimits(transaction);
  await transaction`
    select set_config('citus.multi_shard_modify_mode', 'sequential', true), set_config('citus.enable_unsafe_triggers', 'on', true)`;
  await reportWait(transaction`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, () =>
    onProgress('Waiting for another process, which is changing the schema of the database'),
  );
}

/** Runs changes of the schema on other connections, while no other process changes it. */
export const alone = <T>(sql: Sql, onProgress: (text: string) => void, run: () => Promise<T>): Promise<T> =>
  sql.begin(async (transaction) => {
    await takeTurn(transaction, onProgress);
    return run();
  }) as Promise<T>;

export function checkVersion(major: number, setting = 'DATABASE_URL'): void {
  if (major >= OLDEST) return;
  throw new Error(`The database is Postgres ${major}; Perch needs ${OLDEST} or newer. Point ${setting} at one.`);
}

export interface Schema {
  /** Null: the database has no schema of Perch. */
  readonly version: number | null;
  readonly isStandby: boolean;
}

/** The schema that a database has now. */
export async function schemaOf(sql: Sql): Promise<Schema> {
  const [found] = await sql<{ isThere: boolean; isStandby: boolean }[]>`
    select to_regclass('public.schema_version') is not null and to_regclass('corpus_tweets') is not null as "isThere",
      pg_is_in_recovery() as "isStandby"`;
  const isStandby = found?.isStandby === true;
  if (!found?.isThere) return { version: null, isStandby };
  const [row] = await sql<{ version: number }[]>`select max(version)::int as version from public.schema_version`;
  return { version: row?.version ?? null, isStandby };
}

/** The schema version that this version of Perch needs. */
export const newestSchema = (): number => Math.max(...readdirSync(FOLDER).map((file) => Number.parseInt(file, 10)));

/** In 0.3.0 `ledger_entries` is a table; the migration from there rewrites every entry, so the operator is told. */
async function reportOlderLedger(sql: Transaction, onProgress: (text: string) => void): Promise<void> {
  const [table] = await sql<{ rows: number }[]>`
    select reltuples::bigint as rows from pg_class where oid = to_regclass('ledger_entries') and relkind = 'r'`;
  if (table === undefined || table.rows <= 0) return;
  const entries = table.rows.toLocaleString('en');
  onProgress(`Converting the ledger of 0.3.0, about ${entries} entries: allow half a minute per million`);
}

async function run(
  session: postgres.ISql<{ bigint: number | string }>,
  onProgress: (text: string) => void,
): Promise<void> {
  const folder = FOLDER.replaceAll('\\', '/');
  const postgrator = new Postgrator({
    driver: 'pg',
    migrationPattern: `${folder.replace(/[?*()[\]]/g, '[$&]')}/*.do.*.sql`,
    schemaTable: 'public.schema_version',
    newline: 'LF',
    async execQuery(query) {
      let rows: unknown[] = [];
      for (const statement of statementsIn(query)) rows = await session.unsafe(statement);
      return { rows };
    },
  });
  postgrator.on('migration-started', (migration) => onProgress(`Migrating the database: ${migration.name}`));
  await postgrator.migrate();
}

/**
 * The statements of a step, to be run one by one, as Citus requires for distributed tables. Each ends at a line's end.
 */
export function statementsIn(step: string): string[] {
  const statements = [''];
  let isQuoted = false;
  for (const line of step.split('\n')) {
    statements.push(`${statements.pop()}${line}\n`);
    if (line.split('$$').length % 2 === 0) isQuoted = !isQuoted;
    if (!isQuoted && /^(?!\s*--).*;$/.test(line)) statements.push('');
  }
  return statements.filter((statement) => statement.trim() !== '');
}
