import type { Sql, Transaction } from '../../../adapters/postgres/sql.js';

/** Partitions per table, numbered from 0: `wallets_shard_2`. */
const SHARDS = 4;

/**
 * Settings that make Postgres plan as for large tables: where there is an index, it neither scans nor hashes a whole
 * table.
 */
const PLANNING = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

/**
 * Partitions tables that are still empty by a hash of their `account_id`, as a cluster would distribute them; `debits`
 * within each of its months. Postgres then demands of keys and statements what a cluster does: unique indexes without
 * the account are no longer unique, and a statement that does not name the account reads all partitions. For
 * connections opened afterwards.
 */
export async function partitionByAccount(sql: Sql, tables: readonly string[]): Promise<void> {
  await sql.begin(async (tx) => {
    const [{ name }] = await tx<[{ name: string }]>`select current_database() as name`;
    for (const setting of PLANNING) await tx.unsafe(`alter database ${name} set ${setting} = off`);
    const views = await tx<Definition[]>`
      select format('create view %I as %s', viewname, definition) as text from pg_views where schemaname = 'public'`;
    await tx`
      do $$ declare v text; begin
        for v in select viewname from pg_views where schemaname = 'public' loop execute format('drop view %I cascade', v); end loop;
      end $$`;
    const foreignKeys = await removeForeignKeys(tx, tables);
    for (const table of tables) await (table === 'debits' ? partitionMonths(tx) : partitionTable(tx, table));
    for (const { text } of [...foreignKeys, ...views]) await tx.unsafe(text);
    // Without this, the work would be counted only once the connection was idle for ten seconds, as if a call had done
    // it.
    await tx`select pg_stat_force_next_flush()`;
  });
}

interface Definition {
  readonly text: string;
}

/** Removes the foreign keys from and to the tables; returns their definitions. */
async function removeForeignKeys(tx: Transaction, tables: readonly string[]): Promise<readonly Definition[]> {
  const keys = await tx<(Definition & { drop: string })[]>`
    select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as text,
      format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
    from pg_constraint
    where contype = 'f' and (conrelid = any(${[...tables]}::text[]::regclass[]) or confrelid = any(${[...tables]}::text[]::regclass[]))`;
  for (const { drop } of keys) await tx.unsafe(drop);
  return keys;
}

async function partitionTable(tx: Transaction, table: string): Promise<void> {
  const definitions = await tx<Definition[]>`
    select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = ${table}::regclass and contype in ('p', 'u')
    union all
    select case when indisunique and not exists (
        select from pg_attribute where attrelid = indrelid and attnum = any(indkey::int2[]) and attname = 'account_id'
      ) then replace(pg_get_indexdef(indexrelid), 'CREATE UNIQUE', 'CREATE') else pg_get_indexdef(indexrelid) end
    from pg_index where indrelid = ${table}::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    ${triggersOf(tx, table)}`;
  await tx.unsafe(`
    create table partitioned (like ${table} including defaults including identity including generated including constraints)
      partition by hash (account_id);
    drop table ${table};
    alter table partitioned rename to ${table}`);
  await addShards(tx, table);
  for (const { text } of definitions) await tx.unsafe(text);
}

const triggersOf = (tx: Transaction, table: string) => tx<Definition[]>`
  select pg_get_triggerdef(oid) as text from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal`;

async function partitionMonths(tx: Transaction): Promise<void> {
  const months = await tx<{ name: string; bound: string }[]>`
    select relid::regclass::text as name, pg_get_expr(relpartbound, relid) as bound
    from pg_partition_tree('debits') join pg_class on oid = relid where level = 1`;
  for (const { name, bound } of months) {
    const triggers = await triggersOf(tx, name);
    await tx.unsafe(
      `drop table ${name}; create table ${name} partition of debits ${bound} partition by hash (account_id)`,
    );
    await addShards(tx, name);
    for (const { text } of triggers) await tx.unsafe(text);
  }
}

async function addShards(tx: Transaction, table: string): Promise<void> {
  for (let shard = 0; shard < SHARDS; shard += 1)
    await tx.unsafe(
      `create table ${table}_shard_${shard} partition of ${table} for values with (modulus ${SHARDS}, remainder ${shard})`,
    );
}

/** The number that an account's partition has in every table. */
export async function shardOf(sql: Sql, accountId: string): Promise<number | undefined> {
  const [row] = await sql<{ shard: number }[]>`
    select right(tableoid::regclass::text, 1)::int as shard from wallets where account_id = ${accountId}`;
  return row?.shard;
}

/** A partition that was read or written. */
export interface Touched {
  readonly table: string;
  readonly shard: number;
}

/**
 * The partitions that a call touches, as Postgres counts them. The call needs this pool of one connection for itself.
 */
export async function touchedBy(sql: Sql, call: () => Promise<unknown>): Promise<Touched[]> {
  const before = await readCounts(sql);
  await call();
  const after = await readCounts(sql);
  return [...after].flatMap(([name, count]) => {
    const [table = '', shard] = name.split('_shard_');
    return count === before.get(name) ? [] : [{ table, shard: Number(shard) }];
  });
}

async function readCounts(sql: Sql): Promise<Map<string, number>> {
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ name: string; count: number }[]>`
    select relname as name, seq_scan + idx_scan + n_tup_ins + n_tup_upd + n_tup_del as count
    from pg_stat_user_tables where relname like '%\\_shard\\__'`;
  return new Map(rows.map(({ name, count }) => [name, count]));
}
