import type { Sql, Transaction } from '../sql.js';
import { accountHash } from './account-hash.js';
import { FIRST, FUNCTIONS, PLACES, type TablePlace } from './table-servers.js';

/** The place of each table that Citus knows; all other tables are on the coordinator. */
export async function placedTables(
  sql: Sql | Transaction,
): Promise<ReadonlyMap<string, Exclude<TablePlace, 'coordinator'>>> {
  const rows = await sql<{ name: string; isHashed: boolean }[]>`
    select logicalrelid::text as name, partmethod = 'h' as "isHashed" from pg_dist_partition
    where partmethod = 'h' or (partmethod = 'n' and repmodel = 't')`;
  return new Map(rows.map(({ name, isHashed }) => [name, isHashed ? 'account' : 'everywhere']));
}

/** Functions that only the coordinator can run so far. */
export async function missingFunctions(sql: Sql): Promise<string[]> {
  const given = Object.entries(FUNCTIONS);
  const rows = await sql<{ name: string }[]>`
    select name from unnest(
      ${given.map(([name]) => name)}::text[], ${given.map(([, account]) => (account === null ? '0' : '1'))}::text[]
    ) as f(name, delegated) where not exists (
      select from pg_dist_object where classid = 'pg_proc'::regclass and objid = name::regproc
        and (delegated = '0' or distribution_argument_index is not null))`;
  return rows.map(({ name }) => name);
}

export interface Worker {
  /** Host and port. */
  readonly name: string;
  /** Whether the coordinator can reach it. */
  readonly answers: boolean;
  /** How many shards are on it, and the total size of their tables; 0 bytes if it does not answer. */
  readonly shards: number;
  readonly bytes: number;
}

/** The servers that shards are on. */
export async function readWorkers(sql: Sql): Promise<Worker[]> {
  return sql<Worker[]>`
    select nodename || ':' || nodeport as name, isactive and citus_check_connection_to_node(nodename, nodeport) as answers, (
        select count(*) from pg_dist_placement p join pg_dist_shard s using (shardid)
        where p.groupid = n.groupid and s.logicalrelid = to_regclass(${FIRST})
      ) as shards, (
        select coalesce(sum(shard_size), 0)::bigint from citus_shards s
        where s.nodename = n.nodename and s.nodeport = n.nodeport and s.citus_table_type = 'distributed'
      ) as bytes
    from pg_dist_node n where noderole = 'primary' and groupid <> 0 and shouldhaveshards order by 1`;
}

/** The shards over which accounts are distributed. */
export interface Shards {
  readonly count: number;
  /** The number of an account's shard, from 0. Only debits of one shard are posted together. */
  readonly of: (accountId: string) => number;
}

/** Whether the server has Citus. If it is not a coordinator, throws an Error that says what to do. */
export async function checkCoordinator(sql: Sql): Promise<boolean> {
  const [found] = await sql`select from pg_extension where extname = 'citus'`;
  if (found === undefined) return false;
  const [node] = await sql<{ isCoordinator: boolean }[]>`select citus_is_coordinator() as "isCoordinator"`;
  if (!node?.isCoordinator) throw new Error('This is a worker of Citus: point DATABASE_URL at its coordinator.');
  return true;
}

export const isDistributed = async (sql: Sql | Transaction): Promise<boolean> => {
  const [found] = await sql`select from pg_extension where extname = 'citus'`;
  return found !== undefined && (await placedTables(sql)).has(FIRST);
};

/** Distributing makes this index non-unique, so a copy of a coordinator's tables shows it wherever it was restored. */
async function wasDistributed(sql: Sql): Promise<boolean> {
  const [index] = await sql<{ isUnique: boolean }[]>`
    select indisunique as "isUnique" from pg_index where indexrelid = to_regclass('wallets_by_number')`;
  return index?.isUnique === false;
}

/** Tables and functions that are not yet where they should be. */
export async function leftOut(sql: Sql): Promise<string[]> {
  const placed = await placedTables(sql);
  const tables = [...PLACES].filter(([table, place]) => place !== 'coordinator' && placed.get(table) !== place);
  return [...tables.map(([table]) => table), ...(await missingFunctions(sql))];
}

/**
 * The shards of a distributed database; null for any other. For one that is only partly distributed, or once was,
 * throws an Error that says what to do.
 */
export async function readShards(sql: Sql): Promise<Shards | null> {
  if (!(await isDistributed(sql))) {
    if (await wasDistributed(sql))
      throw new Error(
        'These are the tables of a coordinator of Citus, without the accounts: point DATABASE_URL at the coordinator, or restore it with its workers.',
      );
    return null;
  }
  const left = await leftOut(sql);
  if (left.length > 0)
    throw new Error(
      `The database is not wholly distributed (${left.join(', ')}): stop all nodes, then run \`perch database distribute\`.`,
    );
  const rows = await sql<{ last: number }[]>`
    select shardmaxvalue::int as last from pg_dist_shard where logicalrelid = ${FIRST}::regclass order by 1`;
  const lasts = rows.map(({ last }) => last);
  return {
    count: lasts.length,
    of(accountId) {
      const hash = accountHash(accountId);
      return lasts.findIndex((last) => hash <= last);
    },
  };
}

/** Groups work on accounts by their shards, since each shard does its work separately. */
export function byShard<Item>(
  items: readonly Item[],
  shards: Shards | null,
  accountOf: (item: Item) => string,
): Item[][] {
  if (shards === null) return [[...items]];
  const of = new Map<number, Item[]>();
  for (const item of items) {
    const shard = shards.of(accountOf(item));
    const others = of.get(shard);
    if (others === undefined) of.set(shard, [item]);
    else others.push(item);
  }
  return [...of.values()];
}
