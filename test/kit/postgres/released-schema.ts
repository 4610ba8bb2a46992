import { readdirSync, readFileSync } from 'node:fs';
import type { Sql } from '../../../adapters/postgres/sql.js';

const MIGRATIONS = new URL('../../../adapters/postgres/migrations/', import.meta.url);
/** The last migration of 0.3.0. */
const RELEASED = 4;

/** Empties a migrated database and gives it the schema of 0.3.0, from which `migrate` can continue. */
export async function goBackToReleasedSchema(sql: Sql): Promise<void> {
  const versions = await sql`select * from schema_version where version <= ${RELEASED}`;
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  const files = readdirSync(MIGRATIONS).filter((name) => Number.parseInt(name, 10) <= RELEASED);
  for (const file of files.sort()) await sql.unsafe(readFileSync(new URL(file, MIGRATIONS), 'utf8'));
  await sql`create table schema_version (version bigint primary key, name text, md5 text, run_at timestamptz)`;
  await sql`insert into schema_version ${sql(versions.map((row) => ({ ...row })) as never)}`;
}
