import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { chooseRunAs } from '../../../adapters/postgres/embedded/run-as.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { openHome, removeHome } from './home.js';
import { openInProcess, serverOf } from './launcher-support.js';

let home: string;
beforeEach(async () => {
  home = await openHome();
});
afterEach(() => removeHome(home));

test('starts the server for the first process, attaches the next, and stops it with the last', async () => {
  const progress: string[] = [];
  const first = await openEmbeddedPostgres({ home, onProgress: (text) => progress.push(text) });
  const second = await openEmbeddedPostgres({ home });
  expect([first.started, second.started]).toEqual([true, false]);
  expect(second.connection).toEqual(first.connection);
  // On a busy machine, it also says that it waits.
  expect(progress.filter((text) => !text.startsWith('Waiting'))).toHaveLength(1);
  const server = await serverOf(home);

  await first.stop();
  const sql = connect(second.connection);
  const [row] = await sql`
    select current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp,
      current_setting('server_encoding') as encoding`;
  expect(row).toEqual({ fsync: 'on', tcp: '', encoding: 'UTF8' });
  await sql.end();
  await Promise.all([second.stop(), second.stop()]);
  expect(await server.runs()).toBe(false);
});

test('starts one server for two processes that open an empty folder at once', async () => {
  const opened = await Promise.all([openInProcess(home), openInProcess(home)]);
  expect(opened.map((one) => one.report.one)).toEqual([1, 1]);
  expect(opened.map((one) => one.report.started).sort()).toEqual([false, true]);
  const server = await serverOf(home);
  await Promise.all(opened.map((one) => one.leave()));
  expect(await server.runs()).toBe(false);
});

test('keeps what a killed server acknowledged, and starts it again', async () => {
  const first = await openEmbeddedPostgres({ home });
  const sql = connect(first.connection);
  await sql`create table kept (id int)`;
  await sql`insert into kept select generate_series(1, 1000)`;
  process.kill((await serverOf(home)).pid, 'SIGKILL');
  await sql.end({ timeout: 0 });
  await first.stop();

  const again = await openEmbeddedPostgres({ home });
  expect(again.started).toBe(true);
  const after = connect(again.connection);
  expect(await after`select count(*) as rows from kept`).toEqual([{ rows: 1000 }]);
  await after.end();
  await again.stop();
});

test('leaves the server of a process that dies to the next process, which stops it', async () => {
  const opened = await openInProcess(home);
  const server = await serverOf(home);
  opened.process.kill('SIGKILL');
  await once(opened.process, 'exit');
  expect(await server.runs()).toBe(true);

  const next = await openEmbeddedPostgres({ home });
  expect(next.started).toBe(false);
  await next.stop();
  expect(await server.runs()).toBe(false);
});

test('ignores a stale pid file whose number now belongs to another process', async () => {
  const first = await openEmbeddedPostgres({ home });
  const server = await serverOf(home);
  process.kill(server.pid, 'SIGKILL');
  await first.stop();
  // A foreign process of the server's own user: Postgres would take it for a server and refuse to start.
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
    ...chooseRunAs(undefined),
    cwd: '/',
  });
  await once(stranger, 'spawn');
  const file = join(server.data, 'postmaster.pid');
  const left = await readFile(file, 'utf8');
  await writeFile(file, left.replace(/^\d+/, String(stranger.pid)));

  const again = await openEmbeddedPostgres({ home });
  expect(again.started).toBe(true);
  await again.stop();
  expect(stranger.exitCode).toBeNull();
  stranger.kill('SIGKILL');
});

test('says why a server cannot start, where its log is, and what to do', async () => {
  await (await openEmbeddedPostgres({ home })).stop();
  await writeFile(join(home, 'postgres', 'data', 'PG_VERSION'), '9.6\n');
  await expect(openEmbeddedPostgres({ home })).rejects.toThrow(/incompatible[\s\S]*server\.log[\s\S]*DATABASE_URL/);
});
