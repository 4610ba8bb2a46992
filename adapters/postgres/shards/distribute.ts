import { counted } from '../../../src/domain/figures.js';
import { alone, migrate } from '../migrate.js';
import type { Sql, Transaction } from '../sql.js';
import { withoutTimeLimits } from '../time-limits.js';
import { checkCoordinator, missingFunctions, placedTables, readWorkers } from './shards.js';
import { FIRST, FUNCTIONS, tablesAt } from './table-servers.js';

/** Tables that refer to each other are distributed together: either all of them are, or none. */
const TOGETHER = ['wallets', 'spend_caps', 'keys'];
const ACCOUNTS = 'accounts';

export interface DistributeOptions {
  /** How many shards, where there are none yet; by default two for each worker. */
  readonly shards?: number | undefined;
  readonly onProgress: (text: string) => void;
}

/** Shards for each initial worker. More than one, so that later workers can take some over; but each costs a queue. */
const SHARDS_OF_A_WORKER = 2;

/**
 * Distributes the tables of accounts over the workers of a coordinator of Citus. Each step is a transaction, and steps
 * that are done are left out, so it can be run again after an interruption. Needs a pool of two connections. Returns
 * what it did; where it can't be done, throws an Error that says what to do.
 */
export async function distribute(sql: Sql, { shards, onProgress }: DistributeOptions): Promise<string[]> {
  const workers = await checkCluster(sql);
  await checkCount(sql, shards);
  await checkAlone(sql);
  await migrate(sql, onProgress);
  // Nodes that start meanwhile wait until it is finished.
  return alone(sql, onProgress, async () => {
    await checkAlone(sql);
    await checkRole(sql);
    const done: string[] = [];
    for await (const { text, run } of steps(sql, shards ?? SHARDS_OF_A_WORKER * workers)) {
      onProgress(text);
      await sql.begin(async (tx) => {
        // Append-only tables stay so on each shard: their triggers are safe, since they touch no other table.
        await withoutTimeLimits(tx);
        await tx`select set_config('citus.enable_unsafe_triggers', 'on', true),
          set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
        await run(tx);
      });
      done.push(text);
    }
    return done;
  });
}

interface Step {
  /** What it does, for the operator who waits. */
  readonly text: string;
  readonly run: (tx: Transaction) => Promise<unknown>;
}

/** The steps that are left to do. Each is found only after the one before it is done. */
async function* steps(sql: Sql, shards: number): AsyncGenerator<Step> {
  const placed = await placedTables(sql);
  if (!placed.has(FIRST))
    yield {
      text: `Distributing accounts, wallets, caps and keys over ${counted(shards, 'shard')}`,
      run: (tx) => distributeCore(tx, shards),
    };
  for (const table of tablesAt('everywhere'))
    if (!placed.has(table) && table !== ACCOUNTS)
      yield { text: `Copying ${table} to each server${await rowsOf(sql, table)}`, run: (tx) => copyTable(tx, table) };
  for (const table of tablesAt('account'))
    if (!placed.has(table) && !TOGETHER.includes(table))
      yield { text: `Distributing ${table}${await rowsOf(sql, table)}`, run: (tx) => distributeTable(tx, table) };
  const missing = await missingFunctions(sql);
  if (missing.length > 0)
    yield {
      text: `Giving the workers ${counted(missing.length, 'function')}`,
      async run(tx) {
        for (const name of missing) await distributeFunction(tx, name);
      },
    };
  for (const table of [...tablesAt('account'), ...tablesAt('everywhere')])
    if (await hasLocalRows(sql, table))
      yield {
        text: `Removing the rows of ${table} that the coordinator still kept`,
        run: (tx) => emptyLocally(tx, table),
      };
}

async function distributeCore(tx: Transaction, shards: number): Promise<void> {
  const tables = [ACCOUNTS, ...TOGETHER];
  await removeTriggers(tx, tables);
  const references = await removeReferences(tx, tables);
  await loosenIndexes(tx, TOGETHER);
  await copyTable(tx, ACCOUNTS);
  await tx`select create_distributed_table(${FIRST}, 'account_id', shard_count => ${shards}::int)`;
  for (const table of TOGETHER.slice(1)) await distributeTable(tx, table);
  // Only references between these tables can be kept.
  for (const { add, isInside } of references) if (isInside) await tx.unsafe(add);
}

const copyTable = (tx: Transaction, table: string) => tx`select create_reference_table(${table})`;

export const distributeTable = (tx: Transaction, table: string) =>
  tx`select create_distributed_table(${table}, 'account_id', colocate_with => ${FIRST})`;

async function distributeFunction(tx: Transaction, name: string): Promise<void> {
  const account = FUNCTIONS[name] ?? null;
  if (account === null) await tx`select create_distributed_function(${name}::text::regproc::regprocedure)`;
  else
    await tx`select create_distributed_function(${name}::text::regproc::regprocedure, ${account}, colocate_with => ${FIRST})`;
}

/** Removes triggers that cannot work on a worker: nothing listens there, and they can write no other table. */
async function removeTriggers(tx: Transaction, tables: readonly string[]): Promise<void> {
  const triggers = await tx<{ drop: string }[]>`
    select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger
    where not tgisinternal and tgname <> 'append_only' and tgrelid = any(${[...tables]}::text[]::regclass[])`;
  for (const { drop } of triggers) await tx.unsafe(drop);
}

/** Removes foreign keys from and to the tables. Returns the statements that add them again. */
async function removeReferences(
  tx: Transaction,
  tables: readonly string[],
): Promise<readonly { add: string; isInside: boolean }[]> {
  const references = await tx<{ drop: string; add: string; isInside: boolean }[]>`
    with asked as (select ${[...tables]}::text[]::regclass[] as tables)
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add,
      conrelid = any(tables) and confrelid = any(tables) as "isInside"
    from pg_constraint, asked
    where contype = 'f' and conparentid = 0 and (conrelid = any(tables) or confrelid = any(tables))`;
  for (const { drop } of references) await tx.unsafe(drop);
  return references;
}

/** Replaces unique indexes without `account_id`: on Citus, an index can be unique only within each account. */
async function loosenIndexes(tx: Transaction, tables: readonly string[]): Promise<void> {
  const indexes = await tx<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), 'CREATE UNIQUE', 'CREATE') as definition
    from pg_index where indrelid = any(${[...tables]}::text[]::regclass[]) and indisunique and not exists (
      select from pg_attribute where attrelid = indrelid and attnum = any(indkey::int2[]) and attname = 'account_id')`;
  for (const { name, definition } of indexes) await tx.unsafe(`drop index ${name}; ${definition}`);
}

/** About how many rows a table has, as of its last analysis, in words. */
async function rowsOf(sql: Sql, table: string): Promise<string> {
  const [row] = await sql<{ rows: number }[]>`
    select greatest(coalesce(sum(reltuples), 0), 0)::bigint as rows from pg_class
    where oid = ${table}::regclass or oid in (select relid from pg_partition_tree(${table}::regclass) where isleaf)`;
  return row === undefined || row.rows === 0 ? '' : `: some ${counted(row.rows, 'row')}`;
}

/** Citus copies rows to the workers, and leaves the old ones on the coordinator, where no query sees them. */
async function hasLocalRows(sql: Sql, table: string): Promise<boolean> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(pg_relation_size(relid)), 0)::bigint as bytes
    from (select relid from pg_partition_tree(${table}::regclass) union select ${table}::regclass) t`;
  return (row?.bytes ?? 0) > 0;
}

/**
 * Removes those rows. For that, append-only tables are briefly not append-only on the coordinator, but are on workers.
 */
async function emptyLocally(tx: Transaction, table: string): Promise<void> {
  const tables = await tx<{ name: string }[]>`
    select distinct tgrelid::regclass::text as name from pg_trigger where tgname = 'append_only' and tgrelid in (
      select relid from pg_partition_tree(${table}::regclass) union select ${table}::regclass)`;
  await tx`select set_config('citus.enable_ddl_propagation', 'off', true)`;
  for (const { name } of tables) await tx.unsafe(`alter table ${name} disable trigger append_only`);
  await tx`select truncate_local_data_after_distributing_table(${table})`;
  for (const { name } of tables) await tx.unsafe(`alter table ${name} enable trigger append_only`);
}

/** Returns how many workers there are. */
async function checkCluster(sql: Sql): Promise<number> {
  if (!(await checkCoordinator(sql)))
    throw new Error(
      'This Postgres has no Citus: create the extension on a coordinator and its workers, or leave the database as it is.',
    );
  const [coordinator] = await sql`select from pg_dist_node where groupid = 0`;
  if (coordinator === undefined)
    throw new Error(
      "The workers don't know the coordinator's address: run `select citus_set_coordinator_host('HOST', PORT)`.",
    );
  const workers = await readWorkers(sql);
  if (workers.length === 0)
    throw new Error("The coordinator has no workers: add each with `select citus_add_node('HOST', PORT)`.");
  const silent = workers.filter(({ answers }) => !answers).map(({ name }) => name);
  if (silent.length > 0) throw new Error(`${silent.join(', ')} can't be reached from the coordinator.`);
  return workers.length;
}

async function checkCount(sql: Sql, wanted: number | undefined): Promise<void> {
  const [there] = await sql<{ shards: number }[]>`
    select count(*) as shards from pg_dist_shard where logicalrelid = to_regclass(${FIRST})`;
  if (wanted !== undefined && there !== undefined && there.shards > 0 && there.shards !== wanted)
    throw new Error(`The database already has ${counted(there.shards, 'shard')}: leave out the number.`);
}

async function checkRole(sql: Sql): Promise<void> {
  const [other] = await sql<{ owner: string }[]>`
    select tableowner as owner from pg_tables
    where schemaname = 'public' and tablename = ${FIRST} and not pg_has_role(tableowner, 'usage')`;
  if (other !== undefined) throw new Error(`The tables belong to another role: run this as ${other.owner}.`);
}

/**
 * Refuses while Perch is running: nodes find out only at their start that the database is distributed, and those of older
 * versions never do.
 */
async function checkAlone(sql: Sql): Promise<void> {
  const [others] = await sql<{ connections: number }[]>`
    select count(*) as connections from pg_stat_activity
    where datname = current_database() and application_name like 'perch%' and application_name <> ${DISTRIBUTING}`;
  if (others !== undefined && others.connections > 0)
    throw new Error(
      `Perch is running on this database (${counted(others.connections, 'connection')}): stop all of its processes first.`,
    );
}

/** The application name of the connections that distribute. */
export const DISTRIBUTING = 'perch distributing';
