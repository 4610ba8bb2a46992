import type { Sql } from './sql.js';

/** What decides how many whole pages go into the write-ahead log, and how much they take there. */
interface Checkpoints {
  readonly compression: string;
  /** Whether the server was built with lz4, the fast compression. */
  readonly hasLz4: boolean;
  readonly maxWalMb: number;
  readonly timeoutSeconds: number;
  /** Checkpoints since the statistics began: those forced by the size of the log, and those that were due by time. */
  readonly forced: number;
  readonly timed: number;
}

/** The counts are in `pg_stat_checkpointer` since Postgres 17, and in `pg_stat_bgwriter` before. */
const checkpointCounts = (sql: Sql, isOld: boolean) =>
  isOld
    ? sql`(select checkpoints_req from pg_stat_bgwriter) as forced, (select checkpoints_timed from pg_stat_bgwriter) as timed`
    : sql`(select num_requested from pg_stat_checkpointer) as forced, (select num_timed from pg_stat_checkpointer) as timed`;

/** The server's settings for checkpoints, and what to change with many active wallets: docs/scaling.md. */
export async function describeCheckpoints(sql: Sql): Promise<string> {
  const [server] = await sql<[{ isOld: boolean }]>`
    select current_setting('server_version_num')::int < 170000 as "isOld"`;
  const [found] = await sql<[Checkpoints]>`
    select current_setting('wal_compression') as compression,
      exists (select from pg_settings where name = 'wal_compression' and 'lz4' = any(enumvals)) as "hasLz4",
      (select setting::int from pg_settings where name = 'max_wal_size') as "maxWalMb",
      (select setting::int from pg_settings where name = 'checkpoint_timeout') as "timeoutSeconds",
      ${checkpointCounts(sql, server.isOld)}`;
  return checkpointsText(found);
}

const PATIENT_SECONDS = 900;
const ROOMY_MB = 8_192;

export function checkpointsText({ compression, hasLz4, maxWalMb, timeoutSeconds, forced, timed }: Checkpoints): string {
  const isForced = forced > timed;
  const wanted = [
    // `on` is pglz. Measured over a million wallets, it takes five times the processor time, and pages of ids hardly
    // shrink.
    ...(compression === 'on' || compression === 'pglz' ? [`wal_compression=${hasLz4 ? 'lz4' : 'off'}`] : []),
    ...(isForced || maxWalMb < ROOMY_MB ? [`max_wal_size=${Math.max(ROOMY_MB, isForced ? 2 * maxWalMb : 0)}MB`] : []),
    ...(timeoutSeconds < PATIENT_SECONDS ? [`checkpoint_timeout=${PATIENT_SECONDS}s`] : []),
  ];
  const now = `wal_compression=${compression} max_wal_size=${maxWalMb}MB checkpoint_timeout=${timeoutSeconds}s`;
  const how = isForced ? `; the size of the log forced ${forced} of ${forced + timed} checkpoints` : '';
  return `${now}${how}${wanted.length === 0 ? '' : `; with more than 10,000 active wallets set ${wanted.join(' ')}`}`;
}
