import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connect, type Sql, type Target } from '../../../adapters/postgres/sql.js';
import { databaseOf } from '../global-setup.js';
import { withinSeconds } from '../time/within-seconds.js';
import { freshCitus, IS_ON_CITUS } from './citus-database.js';

export interface FreshDatabase {
  readonly sql: Sql;
  /** For a pool of the test's own: `connect(database.target)`. */
  readonly target: Target;
  /** Ends the pool and removes the database. */
  drop(): Promise<void>;
}

interface PoolOptions {
  readonly max?: number;
}

/** A migrated, empty database, copied from the template (some 50 ms). Call `drop` in `afterAll`. */
export const freshDatabase = (options: PoolOptions = {}): Promise<FreshDatabase> =>
  IS_ON_CITUS ? freshCitus(options) : copyOf(inject('postgres').template, options);

/** A copy of a database that is filled once in a run, by the first test that asks for this name. */
export async function filledDatabase(
  name: string,
  fill: (database: FreshDatabase) => Promise<void>,
  options: PoolOptions = {},
): Promise<FreshDatabase> {
  if (IS_ON_CITUS) {
    const database = await freshCitus(options);
    await fill(database);
    return database;
  }
  const { server, template } = inject('postgres');
  const filled = `${template}_${name}`;
  await administer(server, (admin) =>
    admin.begin(async (turn) => {
      await turn`select pg_advisory_xact_lock(hashtext(${filled}))`;
      const [made] = await turn`select from pg_database where datname = ${filled}`;
      if (made !== undefined) return;
      const unfinished = `${filled}_unfinished`;
      const database = await copyOf(template, {}, unfinished);
      try {
        await fill(database);
        await database.sql.end();
        await administer(server, (other) => other`alter database ${other(unfinished)} rename to ${other(filled)}`);
      } catch (error) {
        await database.drop();
        throw error;
      }
    }),
  );
  return copyOf(filled, options);
}

async function copyOf(
  template: string,
  options: PoolOptions,
  name = `${template}_${randomBytes(5).toString('hex')}`,
): Promise<FreshDatabase> {
  const { server } = inject('postgres');
  await administer(
    server,
    (admin) => admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`,
  );
  const target = databaseOf(server, name);
  const sql = connect(target, options);
  return {
    sql,
    target,
    async drop() {
      await sql.end({ timeout: 1 });
      const gone = administer(server, (admin) => admin`drop database if exists ${admin(name)} with (force)`);
      await withinSeconds(30, gone, () => activity(server));
    },
  };
}

/** What the server is doing, one line for each connection: for the error when a test waits too long. */
export async function activity(server: Target): Promise<string> {
  const admin = connect(server, { max: 1 });
  const rows = await admin`
    select datname, pid, application_name, backend_type, state, wait_event, now() - query_start as since,
      pg_blocking_pids(pid) as blocked_by, left(query, 200) as query
    from pg_stat_activity where state <> 'idle' or state is null`;
  await admin.end();
  return rows.map((row) => JSON.stringify(row)).join('\n');
}

async function administer(server: Target, statement: (admin: Sql) => Promise<unknown>): Promise<void> {
  const admin = connect(server, { max: 1 });
  try {
    await statement(admin);
  } finally {
    await admin.end();
  }
}
