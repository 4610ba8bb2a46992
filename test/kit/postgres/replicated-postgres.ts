import { execFile } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, vi } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { chooseRunAs, chownTree } from '../../../adapters/postgres/embedded/run-as.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect } from '../../../adapters/postgres/sql.js';
import type { FreshDatabase } from './database.js';
import { debianPrograms } from './debian-postgres.js';
import { type Line, openLine } from './line.js';
import { stopAtOnce } from './stop-postgres.js';

const STANDBY = 'standby';
const HOST = '127.0.0.1';
const WAIT_MS = 30_000;

export interface ReplicatedPostgres {
  /** The database of the current primary, through the proxy. */
  readonly database: FreshDatabase;
  /** From all clients to the primary. */
  readonly line: Line;
  readonly url: string;
  /** The addresses on which the two servers listen, as `host:port`. */
  readonly hosts: { readonly primary: string; readonly standby: string };
  /** From the standby to the primary. */
  readonly replication: Line;
  /** Waits until the standby has everything written so far. */
  caughtUp(): Promise<void>;
  /** Kills the standby, as in a crash. */
  killStandby(): Promise<void>;
  /** Kills the primary, as in a crash. */
  killPrimary(): Promise<void>;
  /** Kills the primary; the standby takes its place, and the line leads to it. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A suite that needs Debian's Postgres. Without it, the suite is left out and its name says why; on CI it fails
 * instead.
 */
export async function describeWithReplica(name: string, suite: (programs: string) => void): Promise<void> {
  const programs = await debianPrograms();
  const leftOut = programs === undefined && process.env.CI !== 'true';
  const why = leftOut ? ' [left out: no Postgres of Debian]' : '';
  describe.skipIf(leftOut)(name + why, () => suite(programs ?? '/usr/lib/postgresql/none/bin'));
}

/**
 * A migrated, empty database on a primary with a streaming replica. If it is synchronous, a commit waits for the
 * replica.
 */
export async function startReplicated(
  programs: string,
  { synchronous }: { synchronous: boolean },
): Promise<ReplicatedPostgres> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-replica-')));
  const as = chooseRunAs(undefined);
  await chmod(folder, 0o755);
  await chownTree(folder, as);
  const run = (program: string, ...args: string[]): Promise<unknown> =>
    promisify(execFile)(join(programs, program), args, { ...as, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC' } });
  const start = (name: string, port: number): Promise<unknown> => {
    const settings = `-c port=${port} -c listen_addresses=${HOST} -c unix_socket_directories= -c fsync=off -c max_connections=200`;
    return run('pg_ctl', 'start', '-w', '-D', join(folder, name), '-l', join(folder, `${name}.log`), '-o', settings);
  };
  const [first, second] = [await freePort(HOST), await freePort(HOST)];
  await run(
    'initdb',
    '-D',
    join(folder, 'primary'),
    '--username=perch',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  );
  await start('primary', first);
  const line = await openLine({ host: HOST, port: first });
  const replication = await openLine({ host: HOST, port: first });
  const target = { url: `postgres://perch@${HOST}:${line.port}/postgres` };
  const sql = connect(target, { max: 4 });
  await migrate(sql);

  const from = `host=${HOST} port=${replication.port} user=perch application_name=${STANDBY}`;
  await run(
    'pg_basebackup',
    '-D',
    join(folder, 'standby'),
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
    '--no-sync',
    '-d',
    from,
  );
  await start('standby', second);
  if (synchronous) {
    await sql`alter system set synchronous_standby_names = 'standby'`;
    await sql`select pg_reload_conf()`;
  }
  await vi.waitFor(
    async () => {
      const rows =
        await sql`select state, sync_state as sync from pg_stat_replication where application_name = ${STANDBY}`;
      expect(rows).toEqual([{ state: 'streaming', sync: synchronous ? 'sync' : 'async' }]);
    },
    { timeout: WAIT_MS, interval: 50 },
  );
  const stopServer = (name: string): Promise<void> => stopAtOnce(join(folder, name));

  return {
    database: { sql, target, drop: async () => sql.end({ timeout: 1 }) },
    line,
    url: target.url,
    hosts: { primary: `${HOST}:${first}`, standby: `${HOST}:${second}` },
    replication,
    async caughtUp() {
      const [{ lsn = '' } = {}] = await sql<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`;
      await vi.waitFor(
        async () =>
          expect(await sql`select from pg_stat_replication where replay_lsn >= ${lsn}::pg_lsn`).toHaveLength(1),
        { timeout: WAIT_MS, interval: 20 },
      );
    },
    killPrimary: () => stopServer('primary'),
    killStandby: () => stopServer('standby'),
    async failOver() {
      await stopServer('primary');
      replication.cut();
      await run('pg_ctl', 'promote', '-w', '-D', join(folder, 'standby'));
      line.lead({ host: HOST, port: second });
      line.cut();
    },
    async stop() {
      await stopServer('standby');
      await stopServer('primary');
      await replication.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
