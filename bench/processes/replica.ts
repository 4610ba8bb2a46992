import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openFolders, openSocketFolder } from '../../adapters/postgres/embedded/folders.js';
import type { EmbeddedConnection } from '../../adapters/postgres/embedded/launcher.js';
import { findNative, usableNative } from '../../adapters/postgres/embedded/native.js';
import { spawnPostmaster } from '../../adapters/postgres/embedded/postmaster.js';
import { connect } from '../../adapters/postgres/sql.js';

const run = promisify(execFile);
const WAIT_MS = 30_000;

/** Copies the data of a stopped server into another folder for a replica. */
export async function copyData(primaryHome: string, home: string): Promise<void> {
  const [from, to] = [await openFolders(primaryHome), await openFolders(home)];
  await run('cp', ['-a', from.data, to.data]);
  await rm(join(to.data, 'postmaster.pid'), { force: true });
  await writeFile(join(to.data, 'standby.signal'), '');
}

/** Starts a streaming replica on such a copy. */
export async function startReplica(
  home: string,
  primary: EmbeddedConnection,
): Promise<{ connection: EmbeddedConnection; pid: number; stop(): Promise<void> }> {
  const folders = await openFolders(home);
  const native = await usableNative(await findNative(process.platform, process.arch), folders.root, folders.as);
  const host = await openSocketFolder(folders.root, folders.as);
  const source = `host=${primary.host} port=${primary.port} user=${primary.username} application_name=standby`;
  const server = await spawnPostmaster(native, folders, host, [`primary_conninfo=${source}`, 'fsync=off']);
  const pid = server.pid ?? 0;
  const connection = { ...primary, host };
  const sql = connect(connection, { max: 1 });
  const isThere = () =>
    sql`select`.then(
      () => true,
      () => false,
    );
  for (const until = performance.now() + WAIT_MS; !(await isThere()); await wait(100)) {
    if (server.ended() || performance.now() > until) throw new Error(`the replica did not start: see ${folders.log}`);
  }
  await sql.end();
  return {
    connection,
    pid,
    async stop() {
      process.kill(pid, 'SIGINT');
      await server.end;
    },
  };
}

/** Keeps a process and all that it starts on one core, as if it had a separate machine. */
export const keepOnCore = (core: number, pid: number): Promise<unknown> =>
  run('taskset', ['--all-tasks', '--pid', '--cpu-list', String(core), String(pid)]);
