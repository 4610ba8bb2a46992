/** Follows docs/deploying.md#backups-and-point-in-time-recovery: restores exactly what was confirmed until a moment. */
import { execFile, spawn } from 'node:child_process';
import { appendFile, chmod, mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { chooseRunAs, chownTree } from '../../../adapters/postgres/embedded/run-as.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { blockWith, readPage } from '../../docs/readme/markdown.js';
import { type DebianPostgres, debianPrograms, startDebianPostgres } from '../../kit/postgres/debian-postgres.js';
import { stopAtOnce } from '../../kit/postgres/stop-postgres.js';
import { adapted } from './proxies.js';

const PROGRAMS = await debianPrograms();
const leftOut = PROGRAMS === undefined && process.env.CI !== 'true';
const MINUTES = 60_000;
const DEPLOYING = readPage('docs/deploying.md');

describe.skipIf(leftOut)(`point-in-time recovery${leftOut ? ' [left out: no Postgres of Debian]' : ''}`, () => {
  let folder: string;
  let debian: DebianPostgres;
  let sql: Sql;
  let port: number;
  const as = chooseRunAs(undefined);
  const url = (at: number, name = 'postgres'): string => `postgres://perch@127.0.0.1:${at}/${name}`;
  const file = (name: string): string => join(folder, name);

  /** Runs a block of the page as the user of Postgres, with the paths of this test. */
  const script = (text: string): string =>
    text
      .replaceAll('/var/backups/perch', file('backups'))
      .replaceAll('/var/lib/postgresql/restored', file('restored'))
      .replaceAll('/usr/lib/postgresql/17/bin', PROGRAMS ?? '');
  const environment = () => ({
    PATH: `${PROGRAMS}:${process.env.PATH}`,
    BACKUP_URL: url(port),
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'perch',
    LC_ALL: 'C',
    TZ: 'UTC',
  });
  const run = (text: string) =>
    promisify(execFile)('sh', ['-euc', script(text)], { ...as, cwd: folder, env: environment() });

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-recovery-')));
    await chmod(folder, 0o755);
    await mkdir(file('backups'));
    await chownTree(folder, as);
    port = await freePort('127.0.0.1');
    debian = await startDebianPostgres(PROGRAMS ?? '', { port });
    sql = connect({ url: url(port) }, { max: 4 });
    await migrate(sql);
  }, 2 * MINUTES);
  afterAll(async () => {
    await sql?.end({ timeout: 1 });
    await stopAtOnce(file('restored'));
    await debian?.stop();
    await rm(folder, { recursive: true, force: true });
  }, MINUTES);

  it('restores what was confirmed until the moment, and nothing after it', { timeout: 3 * MINUTES }, async () => {
    const write = (n: number) => sql`insert into moments values (${n})`;
    await sql`create table moments (n integer)`;
    const receiving = spawn(
      'sh',
      [
        '-euc',
        script(blockWith(DEPLOYING, 'pg_receivewal --synchronous')).replace('\npg_receivewal', '\nexec pg_receivewal'),
      ],
      {
        ...as,
        env: environment(),
        stdio: 'ignore',
      },
    );
    try {
      await write(1);
      await run(adapted(blockWith(readPage('docs/going-to-production.md'), 'pg_basebackup'), [['su postgres', 'sh']]));
      await write(2);
      await sleep(1_100);
      const [now] = await sql<[{ moment: string }]>`select date_trunc('seconds', now())::text as moment`;
      await sleep(1_100);
      // The mistake, and later charges.
      await sql`delete from moments where n = 1`;
      await write(3);
      const [{ lsn }] = await sql<[{ lsn: string }]>`select pg_current_wal_lsn()::text as lsn`;
      await expect
        .poll(async () => sql`select from pg_stat_replication where flush_lsn >= ${lsn}::pg_lsn`, { timeout: 20_000 })
        .toHaveLength(1);
      const [base = ''] = (await readdir(file('backups'))).filter((name) => name.startsWith('base-'));
      // As of a cluster of Debian's, whose configuration is elsewhere, with a standby that its commits waited for.
      for (const name of ['postgresql.conf', 'pg_hba.conf']) await rm(join(file('backups'), base, name));
      await appendFile(join(file('backups'), base, 'postgresql.auto.conf'), "synchronous_standby_names = 'another'\n");
      const restoredPort = await freePort('127.0.0.1');
      const restore = adapted(blockWith(DEPLOYING, 'recovery.signal'), [
        ['scram-sha-256', 'trust'],
        ['base-2026-10-01', base],
        ['2026-10-01 12:00:00+00', now.moment],
        // The files already belong to the user and group of this test.
        ['chown -R postgres: .\n', ''],
        ['su postgres -c "', ''],
        [
          '-p 5433 -c synchronous_standby_names=\'"',
          `-p ${restoredPort} -c synchronous_standby_names= -c unix_socket_directories=' -l ${file('restored.log')}`,
        ],
      ]);
      await run(restore);
      const restored = connect({ url: url(restoredPort) }, { max: 2 });
      await expect
        .poll(async () => restored`select pg_is_in_recovery() as standby`, { timeout: 20_000 })
        .toEqual([{ standby: false }]);
      expect(await restored`select n from moments order by n`).toEqual([{ n: 1 }, { n: 2 }]);
      expect((await createLedger(restored).check()).faults).toEqual([]);
      await restored`insert into moments values (4)`;
      await restored.end({ timeout: 1 });
    } finally {
      receiving.kill('SIGINT');
    }
  });
});
