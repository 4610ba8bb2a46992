import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { alone, checkVersion, migrate, statementsIn } from '../../adapters/postgres/migrate.js';
import { connect } from '../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { holdLocks } from '../kit/postgres/hold-locks.js';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

test('leaves a database that is up to date alone', async () => {
  const messages: string[] = [];
  await migrate(database.sql, (text) => messages.push(text));
  expect(messages).toEqual([]);
});

test('migrates an empty database once if two nodes start together, while the other one waits', async () => {
  await database.sql`drop schema public cascade`;
  await database.sql`create schema public`;
  const messages: string[] = [];
  const other = connect(database.target);
  try {
    await Promise.all([database.sql, other].map((sql) => migrate(sql, (text) => messages.push(text))));
  } finally {
    await other.end();
  }
  expect(messages.filter((text) => text.endsWith('ledger'))).toHaveLength(1);
  const rows = await database.sql<{ version: number; times: number }[]>`
    select version, count(*) as times from schema_version group by 1`;
  expect(rows.every((row) => row.times === 1)).toBe(true);
});

test('says what it waits for while another process changes the schema', async () => {
  const messages: string[] = [];
  const other = connect(database.target);
  const quiet = (): void => {};
  try {
    const { migrating } = await alone(database.sql, quiet, async () => {
      const waiting = migrate(other, (text) => messages.push(text));
      await expect.poll(() => messages).toEqual([expect.stringMatching(/^Waiting for another/)]);
      // In an object, because it ends only after this.
      return { migrating: waiting };
    });
    await migrating;
  } finally {
    await other.end();
  }
});

test('opens the months ahead, at the next start if a query reads the ledger', async () => {
  const { sql } = database;
  const spans = async () => (await sql`select span from debit_spans`).map(({ span }) => span).sort();
  // The database is a copy of one that may have been made last month.
  await migrate(sql);
  const all = await spans();
  const months = await sql<{ month: string }[]>`
    select to_char(now() at time zone 'UTC' + n * interval '1 month', 'YYYY-MM') as month from generate_series(0, 3) n`;
  expect(all.slice(-4)).toEqual(months.map(({ month }) => month));
  await sql`drop table ${sql(`debits_${all.at(-1)?.replace('-', '_')}`)}`;
  const release = await holdLocks(sql, (tx) => tx`select count(*) from debits`);
  await migrate(sql);
  expect(await spans()).toEqual(all.slice(0, -1));
  await release();
  await migrate(sql);
  expect(await spans()).toEqual(all);
});

test('refuses a Postgres older than 15 with what to do', () => {
  expect(() => checkVersion(14)).toThrow(/Postgres 14.*15 or newer.*DATABASE_URL/);
  expect(() => checkVersion(15)).not.toThrow();
});

test('runs a step one statement at a time', () => {
  const folder = new URL('../../adapters/postgres/migrations/', import.meta.url);
  const steps = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  expect(steps.length).toBeGreaterThan(4);
  for (const step of steps) {
    const statements = statementsIn(step);
    expect(statements.join('')).toBe(step);
    const bare = statements.map((statement) => statement.replaceAll(/\$\$.*?\$\$|'[^']*'|--[^\n]*/gs, ''));
    expect(bare.filter((statement) => statement.split(';').length > 2)).toEqual([]);
  }
});
