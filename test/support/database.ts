import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connect, type Sql, type Target } from '../../adapters/postgres/sql.js';
import { databaseOf } from './global-setup.js';

export interface FreshDatabase {
  readonly sql: Sql;
  /** For a pool of one's own: `connect(database.target)`. */
  readonly target: Target;
  /** Ends the pool and removes the database. */
  drop(): Promise<void>;
}

/** A migrated, empty database of one's own, as a copy of the template (some 50 ms). Call `drop` in `afterAll`. */
export async function freshDatabase(options: { max?: number } = {}): Promise<FreshDatabase> {
  const { server, template } = inject('postgres');
  const name = `${template}_${randomBytes(5).toString('hex')}`;
  await administer(server, (admin) => admin`create database ${admin(name)} template ${admin(template)}`);
  const target = databaseOf(server, name);
  const sql = connect(target, options);
  return {
    sql,
    target,
    async drop() {
      await sql.end({ timeout: 1 });
      await administer(server, (admin) => admin`drop database if exists ${admin(name)} with (force)`);
    },
  };
}

async function administer(server: Target, statement: (admin: Sql) => Promise<unknown>): Promise<void> {
  const admin = connect(server, { max: 1 });
  try {
    await statement(admin);
  } finally {
    await admin.end();
  }
}
