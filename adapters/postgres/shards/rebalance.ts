import { setTimeout as sleep } from 'node:timers/promises';
import { INSUFFICIENT_PRIVILEGE } from '../migrate.js';
import type { Sql } from '../sql.js';
import { isDistributed } from './shards.js';
import { FIRST } from './table-servers.js';

interface Move {
  readonly shard: number;
  readonly from: string;
  readonly fromPort: number;
  readonly to: string;
  readonly toPort: number;
}

/**
 * Moves shards to workers that have few, one after the other, while charges continue. Like `citus_rebalance_start`, but
 * the accounts of a shard wait less: at the end of a move, Citus blocks writes to the shard and checks whether the
 * other worker has all changes. If not, it checks again after a second, or as soon as its session gets a notification,
 * so it is sent many. Needs a pool of two connections. Returns how many were moved; where it can't be done, throws an
 * Error that says what to do.
 */
export async function rebalance(sql: Sql, onProgress: (text: string) => void): Promise<number> {
  if (!(await isDistributed(sql))) throw new Error('The database is not distributed: run `perch database distribute`.');
  const mover = await sql.reserve();
  try {
    await mover`select set_config('statement_timeout', '0', false)`;
    await mover`listen perch_moves`;
    const [newcomer] = await mover`
      select from pg_dist_node n where noderole = 'primary' and isactive and shouldhaveshards and not exists (
        select from pg_dist_placement p join pg_dist_shard s using (shardid)
        where p.groupid = n.groupid and s.logicalrelid = 'accounts'::regclass)`;
    if (newcomer !== undefined) await whileWoken(sql, () => copyCommonTables(mover));
    const moves = await mover<Move[]>`
      select shardid as shard, sourcename as "from", sourceport as "fromPort", targetname as "to", targetport as "toPort"
      from get_rebalance_table_shards_plan() where table_name = ${FIRST}::text::regclass`;
    for (const [nth, { shard, from, fromPort, to, toPort }] of moves.entries()) {
      onProgress(`Moving shard ${shard} from ${from}:${fromPort} to ${to}:${toPort}: ${nth + 1} of ${moves.length}`);
      await whileWoken(
        sql,
        () => mover`select citus_move_shard_placement(${shard}, ${from}, ${fromPort}::int, ${to}, ${toPort}::int)`,
      );
    }
    return moves.length;
  } finally {
    mover.release();
  }
}

/** Copies the tables that each server has to a new worker. Only a superuser may, unless the right was granted. */
async function copyCommonTables(sql: Sql): Promise<void> {
  try {
    await sql`select replicate_reference_tables()`;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw cause;
    const [role] = await sql<{ name: string }[]>`select quote_ident(current_user) as name`;
    throw new Error(
      `A new worker lacks the tables that each server has a copy of, and this role may not copy them: let a superuser run \`grant execute on function replicate_reference_tables to ${role?.name}\` on the coordinator, then run this again.`,
      { cause },
    );
  }
}

const WAKE_MS = 25;

/** Sends the listening session notifications while it is at work. If that fails, the work only takes longer. */
async function whileWoken<T>(sql: Sql, work: () => PromiseLike<T>): Promise<T> {
  const over = new AbortController();
  const waking = (async () => {
    while (!over.signal.aborted) {
      await sql`notify perch_moves`.catch(() => {});
      await sleep(WAKE_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
    await waking;
  }
}
