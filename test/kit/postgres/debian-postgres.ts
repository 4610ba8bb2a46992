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

/** The folder of the programs of Debian's newest Postgres, or undefined on a machine that has none of a served version. */
export async function debianPrograms(): Promise<string | undefined> {
  const versions = await readdir(VERSIONS).catch(() => []);
  const newest = Math.max(...versions.map(Number).filter((version) => version >= OLDEST));
  return Number.isFinite(newest) ? join(VERSIONS, String(newest), 'bin') : undefined;
}

/** Starts a server of one's own from those programs, in a temporary folder. */
export async function startDebianPostgres(programs: string): Promise<{ server: Target; stop: () => Promise<void> }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-debian-')));
  const as = chooseRunAs(undefined);
  await chmod(folder, 0o755);
  await chownTree(folder, as);
  const run = (program: string, ...args: string[]): Promise<unknown> =>
    promisify(execFile)(join(programs, program), args, { ...as, cwd: folder, env: { LC_ALL: 'C', TZ: 'UTC' } });
  const data = join(folder, 'data');
  await run('initdb', '-D', data, '--username=perch', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync');
  const settings = `-c listen_addresses= -c unix_socket_directories=${folder} -c fsync=off`;
  await run('pg_ctl', 'start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', settings);
  return {
    server: { host: folder, port: 5432, database: 'postgres', username: 'perch' },
    async stop() {
      await stopAtOnce(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
