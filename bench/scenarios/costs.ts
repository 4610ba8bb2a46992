import type { EmbeddedServer } from '../../adapters/postgres/embedded/launcher.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { postmasterOf } from '../processes/perch.js';
import type { RedisServer } from '../processes/redis.js';
import { familyCpuSeconds } from '../processes/usage.js';
import type { Furnished } from '../workbench.js';

/** What a piece of work used, everywhere where a request leaves a trace. */
export interface Costs {
  /** Seconds of processor time. */
  readonly perchCpu: number;
  readonly postgresCpu: number;
  readonly redisCpu: number;
  readonly walBytes: number;
  readonly entries: number;
  readonly commits: number;
  /** Bytes by which the ledger's table and its indexes grew. */
  readonly ledgerBytes: number;
  readonly redisBytesIn: number;
  readonly redisBytesOut: number;
  readonly redisCalls: Readonly<Record<string, number>>;
}

export interface CostMeter {
  /** Runs the work and returns what it used of one service, and of its Redis if it has one. */
  readonly of: <T>(
    at: { readonly pid: number; readonly redis: RedisServer | null },
    work: () => Promise<T>,
  ) => Promise<{ result: T; costs: Costs }>;
  readonly close: () => Promise<void>;
}

/** Counts the entries and commits of one account, or of all. */
export async function openCostMeter(
  home: Furnished,
  server: EmbeddedServer,
  whose: 'own' | 'all' = 'own',
): Promise<CostMeter> {
  const sql = connect(server.connection, { max: 1, name: 'bench costs' });
  const postmaster = await postmasterOf(home);
  const look = async (pid: number, redis: RedisServer | null) => ({
    redis: await redis?.counts(),
    perch: await familyCpuSeconds(pid),
    postgres: await familyCpuSeconds(postmaster),
    ...(await standOf(sql)),
  });
  return {
    async of({ pid, redis }, work) {
      const a = await look(pid, redis);
      const result = await work();
      const b = await look(pid, redis);
      const posted = await postedSince(sql, whose === 'own' ? home.accountId : null, a.xid);
      const since = (name: 'cpuSeconds' | 'bytesIn' | 'bytesOut'): number =>
        (b.redis?.[name] ?? 0) - (a.redis?.[name] ?? 0);
      const costs = {
        perchCpu: b.perch - a.perch,
        postgresCpu: b.postgres - a.postgres,
        redisCpu: since('cpuSeconds'),
        walBytes: b.wal - a.wal,
        ledgerBytes: b.ledger - a.ledger,
        ...posted,
        redisBytesIn: since('bytesIn'),
        redisBytesOut: since('bytesOut'),
        redisCalls: callsBetween(a.redis?.calls ?? {}, b.redis?.calls ?? {}),
      };
      return { result, costs };
    },
    close: () => sql.end({ timeout: 1 }),
  };
}

/** The position of the write-ahead log and the size of the ledger, in bytes, and the next transaction id. */
async function standOf(sql: Sql): Promise<{ wal: number; ledger: number; xid: number }> {
  const [row] = await sql<{ wal: number; ledger: number; xid: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal,
      (select sum(pg_total_relation_size(relid)) from pg_partition_tree('debits'))::bigint as ledger, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid`;
  return row ?? { wal: 0, ledger: 0, xid: 0 };
}

/** Counts commits: rows that were written together have the same transaction id. */
async function postedSince(
  sql: Sql,
  accountId: string | null,
  xid: number,
): Promise<{ entries: number; commits: number }> {
  const [row] = await sql<{ entries: number; commits: number }[]>`
    select count(*)::int as entries, count(distinct xmin::text)::int as commits from debits
    where (${accountId}::uuid is null or account_id = ${accountId}) and xmin::text::bigint >= ${xid}`;
  return row ?? { entries: 0, commits: 0 };
}

const callsBetween = (a: Costs['redisCalls'], b: Costs['redisCalls']): Costs['redisCalls'] =>
  Object.fromEntries(
    Object.entries(b)
      .map(([name, calls]) => [name, calls - (a[name] ?? 0)] as const)
      .filter(([name, calls]) => calls > 0 && name !== 'info'),
  );
