import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseRunAs, chownTree } from '../../../adapters/postgres/embedded/run-as.js';
import type { Target } from '../../../adapters/postgres/sql.js';
import { stopAtOnce } from './stop-postgres.js';

const VERSIONS = '/usr/lib/postgresql';
const OLDEST = 15;

/** The folder of Debian's newest Postgres programs, or undefined on a machine without a supported version. */
export async function debianPrograms(): Promise<string | undefined> {
  const versions = await readdir(VERSIONS).catch(() => []);
  const newest = Math.max(...versions.map(Number).filter((version) => version >= OLDEST));
  return Number.isFinite(newest) ? join(VERSIONS, String(newest), 'bin') : undefined;
}

export interface DebianPostgres {
  readonly server: Target;
  /** Runs one of the programs as the server's user. */
  run(program: string, ...args: string[]): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Starts a server from those programs in a temporary folder. With a port it also listens there, and writes to the disk
 * as it does by default.
 */
export async function startDebianPostgres(
  programs: string,
  { port, username = 'perch' }: { port?: number; username?: string } = {},
): Promise<DebianPostgres> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-debian-')));
  const as = chooseRunAs(undefined);
  await chmod(folder, 0o755);
  await chownTree(folder, as);
  const run = (program: string, ...args: string[]): Promise<unknown> =>
    promisify(execFile)(join(programs, program), args, { ...as, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC' } });
  const data = join(folder, 'data');
  await run(
    'initdb',
    '-D',
    data,
    `--username=${username}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  );
  const listens =
    port === undefined ? '-c listen_addresses= -c fsync=off' : `-c listen_addresses=127.0.0.1 -c port=${port}`;
  const settings = `${listens} -c unix_socket_directories=${folder}`;
  await run('pg_ctl', 'start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', settings);
  return {
    run,
    server: { host: folder, port: port ?? 5432, database: 'postgres', username },
    async stop() {
      await stopAtOnce(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
