import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountHash } from '../../../adapters/postgres/shards/account-hash.js';
import { distribute } from '../../../adapters/postgres/shards/distribute.js';
import { rebalance } from '../../../adapters/postgres/shards/rebalance.js';
import { readShards } from '../../../adapters/postgres/shards/shards.js';
import { FIRST, FUNCTIONS, PLACES, tablesAt } from '../../../adapters/postgres/shards/table-servers.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

describe('places of tables', () => {
  it('include every table of the schema, and no other', async () => {
    const tables = await database.sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;
    expect([...PLACES.keys()].sort()).toEqual(tables.map(({ name }) => name).sort());
    expect(PLACES.size).toBe((['account', 'everywhere', 'coordinator'] as const).flatMap(tablesAt).length);
  });

  it('distribute only tables with the account in their primary key', async () => {
    const keyed = await database.sql<{ name: string }[]>`
      select conrelid::regclass::text as name from pg_constraint join pg_attribute
        on attrelid = conrelid and attnum = any(conkey) and attname = 'account_id'
      where contype = 'p' and conrelid = any(${[...tablesAt('account')]}::text[]::regclass[])`;
    expect(keyed.map(({ name }) => name).sort()).toEqual([...tablesAt('account')].sort());
    expect(tablesAt('account')[0]).toBe(FIRST);
  });

  it('name existing functions', async () => {
    const named = await database.sql<{ name: string; parameters: string[] | null }[]>`
      select proname as name, proargnames as parameters from pg_proc where oid = any(${Object.keys(FUNCTIONS)}::text[]::regproc[])`;
    expect(named).toHaveLength(Object.keys(FUNCTIONS).length);
    for (const { name, parameters } of named) expect([null, parameters?.[0]], name).toContain(FUNCTIONS[name]);
  });

  it('number the rows of distributed tables with bigint only, as Citus requires', async () => {
    const narrow = await database.sql`
      select from pg_attribute where attidentity <> '' and atttypid <> 'bigint'::regtype
        and attrelid = any(${[...tablesAt('account')]}::text[]::regclass[])`;
    expect(narrow).toHaveLength(0);
  });
});

describe('a database without Citus', () => {
  it('has no shards', async () => {
    expect(await readShards(database.sql)).toBeNull();
  });

  it('is refused if it has the tables of a distributed database', async () => {
    await database.sql`drop index wallets_by_number`;
    await database.sql`create index wallets_by_number on wallets (wallet_number)`;
    await expect(readShards(database.sql)).rejects.toThrow('These are the tables of a coordinator of Citus');
    await database.sql`drop index wallets_by_number`;
    await database.sql`create unique index wallets_by_number on wallets (wallet_number)`;
  });

  it('is not distributed, and stays as it is', async () => {
    await expect(distribute(database.sql, { onProgress: () => {} })).rejects.toThrow(
      'This Postgres has no Citus: create the extension on a coordinator and its workers, or leave the database as it is.',
    );
  });

  it('has no shards to move', async () => {
    await expect(rebalance(database.sql, () => {})).rejects.toThrow('The database is not distributed: run');
  });
});

it('hashes an account as Postgres does', async () => {
  const ids = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  ids.push(...Array.from({ length: 500 }, () => randomUUID()));
  const rows = await database.sql<{ id: string; hash: number }[]>`
    select id::text, uuid_hash(id) as hash from unnest(${ids}::uuid[]) as id`;
  expect(rows.map(({ id }) => accountHash(id))).toEqual(rows.map(({ hash }) => hash));
});
