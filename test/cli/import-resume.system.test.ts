/** An import whose process is killed, or whose disk is full, resumes where it stopped when the command is given again. */
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../adapters/postgres/sql.js';
import { describeOnSmallDisk } from '../kit/postgres/small-disk.js';
import { Cli } from './support/support.js';

const SLOW_MS = 180_000;
const MANY = 45_000;

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

/** An import of which a part is stored, in a database that this test keeps open. */
async function begun(cli: Cli, file: string) {
  const server = await openEmbeddedPostgres({ home: cli.home });
  const sql = connect(server.connection, { max: 1 });
  const stop = async (): Promise<void> => {
    await sql.end({ timeout: 1 });
    await server.stop();
  };
  close.push(() => cli.close(), stop);
  const started = cli.start(['import', file]);
  const stored = async () => (await sql`select place::int from unfinished_imports`.catch(() => []))[0]?.place ?? 0;
  await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(0), { timeout: 60_000, interval: 20 });
  return started;
}

test('resumes after SIGKILL', { timeout: SLOW_MS }, async () => {
  const cli = await Cli.open();
  const file = await usersFile(cli.home);
  const { process, end } = await begun(cli, file);
  process.kill('SIGKILL');
  expect((await end).code).toBeNull();
  expect((await cli.run('doctor')).stdout).toMatch(/the import of .*users\.ndjson is not complete \([24]0,000 rows/);
  await expectRest(cli, file);
});

describeOnSmallDisk('a full disk', 300, (folder) => {
  test('stops the import with what to do, and lets it resume with room again', { timeout: SLOW_MS }, async () => {
    const cli = await Cli.open(0o711, folder());
    const file = await usersFile(folder());
    const { end } = await begun(cli, file);
    const ballast = join(folder(), 'ballast');
    const { bavail, bsize } = statfsSync(folder());
    // The import uses some of the space at the same time.
    expect(() => writeFileSync(ballast, Buffer.alloc(bavail * bsize + 1))).toThrow('ENOSPC');
    const { code, stderr } = await end;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Stored so far: [24]0,000 rows\. Run the same command again/),
    ]);
    rmSync(ballast);
    await expectRest(cli, file);
  });
});
