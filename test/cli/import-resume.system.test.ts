/** An import whose process is killed, or whose disk is full, resumes where it stopped when the command is given again. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { migrate } from '../../adapters/postgres/migrate.js';
import { connect } from '../../adapters/postgres/sql.js';
import { holdLocks, untilOneWaits } from '../kit/postgres/hold-locks.js';
import { describeOnSmallDisk } from '../kit/postgres/small-disk.js';
import { Cli } from './support/support.js';

const SLOW_MS = 180_000;
const MANY = 45_000;
/** The lock that an import waits for. */
const HELD = 7;

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of close.reverse()) await end();
  close = [];
});

async function usersFile(folder: string): Promise<string> {
  const file = join(folder, 'users.ndjson');
  const line = (id: number) => JSON.stringify({ id: `${id}`, handle: `gull${id}`, name: `Gull ${id}` });
  await writeFile(file, Array.from({ length: MANY }, (_, index) => `${line(index + 1)}\n`).join(''));
  return file;
}

/** Runs the command again. It says where it resumes, counts the whole import, and stores every row once. */
async function expectRest(cli: Cli, file: string): Promise<void> {
  const again = await cli.run('import', file, '--json');
  expect(again.stderr).toMatch(
    /Resuming after [24]0,000 rows of the import that began \d{4}-\d\d-\d\d \d\d:\d\d UTC\.\n/,
  );
  expect(JSON.parse(again.stdout)).toMatchObject({ users: { read: MANY, added: MANY, changed: 0 } });
  const finished = await cli.run('import', file);
  expect(finished.stdout).toContain('Nothing to do: everything is already there.');
}

/**
 * An import that has stored 20,000 rows and waits, in a database that this test keeps open, before it stores the next
 * 20,000.
 */
async function begun(cli: Cli, file: string) {
  const server = await openEmbeddedPostgres({ home: cli.home });
  const sql = connect(server.connection, { max: 2 });
  const stop = async (): Promise<void> => {
    await sql.end({ timeout: 1 });
    await server.stop();
  };
  close.push(() => cli.close(), stop);
  await migrate(sql);
  await sql.unsafe(`
    create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${HELD}); return new; end $$;
    create trigger wait before update on unfinished_imports for each row when (old.place > 0) execute function wait()`);
  const goOn = await holdLocks(sql, (tx) => tx`select pg_advisory_xact_lock(${HELD})`);
  const started = cli.start(['import', file]);
  await untilOneWaits(sql);
  return { ...started, goOn };
}

test('resumes after SIGKILL', { timeout: SLOW_MS }, async () => {
  const cli = await Cli.open();
  const file = await usersFile(cli.home);
  const { process, end, goOn } = await begun(cli, file);
  process.kill('SIGKILL');
  expect((await end).code).toBeNull();
  await goOn();
  expect((await cli.run('doctor')).stdout).toMatch(/the import of .*users\.ndjson is not complete \(20,000 rows/);
  await expectRest(cli, file);
});

describeOnSmallDisk('a full disk', 300, (folder) => {
  test('stops the import with what to do, and lets it resume with room again', { timeout: SLOW_MS }, async () => {
    const cli = await Cli.open(0o711, folder());
    const file = await usersFile(folder());
    const { end, goOn } = await begun(cli, file);
    const ballast = join(folder(), 'ballast');
    const { bavail, bsize } = statfsSync(folder());
    expect(() => writeFileSync(ballast, Buffer.alloc(bavail * bsize + 1))).toThrow('ENOSPC');
    await goOn();
    const { code, stderr } = await end;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Stored so far: [24]0,000 rows\. Run the same command again/),
    ]);
    rmSync(ballast);
    await expectRest(cli, file);
  });
});
