import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedServer, openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../adapters/postgres/sql.js';
import { Cli, PERCH, REPOSITORY, runNode } from './support/support.js';

const PLAIN = join(REPOSITORY, 'test/kit/fixtures/import/plain');

interface Summary {
  readonly users: { read: number; added: number; changed: number };
  readonly tweets: { read: number; added: number; changed: number };
  readonly faults: { count: number };
}

/** One profile. Each test has its own, because tests run in any order. */
const userLine = (id: string): string =>
  JSON.stringify({
    id,
    handle: `h${id}`,
    name: 'N',
    followers: 1,
    following: 1,
    tweets: 1,
    created_at: '2020-01-01T00:00:00Z',
  });

let cli: Cli;
let server: EmbeddedServer;
beforeAll(async () => {
  cli = await Cli.open();
  server = await openEmbeddedPostgres({ home: cli.home });
});
afterAll(async () => {
  await server.stop();
  await cli.close();
});

test('fills the corpus, and changes nothing when repeated', async () => {
  const first = await cli.json<Summary>('import', PLAIN);
  expect(first.users.added).toBeGreaterThan(0);
  expect(first.tweets.added).toBeGreaterThan(0);
  const inWords = await cli.run('import', PLAIN);
  expect(inWords.stdout).toMatch(/^ +read +added +changed\nusers +\d+ +0 +0\n/);
  expect(inWords.stderr).toContain('Importing: 100%');
  const again = await cli.json<Summary>('import', PLAIN);
  for (const kind of ['users', 'tweets'] as const) {
    expect(again[kind]).toEqual({ read: first[kind].read, added: 0, changed: 0 });
  }
});

test('skips a bad line and names its file and number; with --strict exits with 1 and imports nothing', async () => {
  const folder = join(cli.home, 'mixed');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'users.ndjson');
  await writeFile(file, `{"id":\n${userLine('900')}\n`);

  const strict = await cli.run('import', '--strict', file);
  expect([strict.code, strict.stdout]).toEqual([1, '']);
  expect(strict.stderr).toContain(`${file}:1: `);
  expect(strict.stderr).toContain('nothing was imported');

  const ran = await cli.run('import', file, '--json');
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(`${file}:1: `);
  expect(JSON.parse(ran.stdout)).toMatchObject({ users: { read: 1, added: 1 }, faults: { count: 1 } });
});

test('exits with 1 for a file without a valid line, and with 0 for an empty one', async () => {
  const folder = join(cli.home, 'invalid');
  await mkdir(folder, { recursive: true });
  const [invalid, empty] = [join(folder, 'users.ndjson'), join(folder, 'empty.ndjson')];
  await writeFile(invalid, '{"id":\nnonsense\n');
  await writeFile(empty, '');
  const ran = await cli.run('import', invalid, '--json');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('perch: nothing was imported: all 2 lines are invalid\n');
  expect(JSON.parse(ran.stdout)).toMatchObject({ users: { read: 0 }, faults: { count: 2 } });
  expect(await cli.run('import', empty)).toMatchObject({ code: 0 });
});

test('decodes texts with --escaped', async () => {
  const file = join(cli.home, 'escaped.ndjson');
  await writeFile(file, `${userLine('902').replace('"N"', '"R&amp;D"')}\n`);
  expect(await cli.json<Summary>('import', '--escaped', file)).toMatchObject({ users: { added: 1 } });
  const sql = connect(server.connection, { max: 1 });
  expect(await sql`select name from corpus_users where id = 902`).toMatchObject([{ name: 'R&D' }]);
  await sql.end();
});

test('resolves paths in the folder where it is typed, even through npm', async () => {
  const folder = join(cli.home, 'typed');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'users.ndjson'), `${userLine('901')}\n`);
  const here = await cli.start(['import', 'users.ndjson', '--json'], { cwd: folder }).end;
  expect(here).toMatchObject({ code: 0 });
  const npm = { PERCH_HOME: cli.home, INIT_CWD: folder, npm_lifecycle_event: 'perch' };
  const throughNpm = await runNode([PERCH, 'import', 'users.ndjson', '--json'], { cwd: REPOSITORY, env: npm });
  expect(throughNpm).toMatchObject({ code: 0 });
});

test('refuses a missing file before it creates a database', async () => {
  const fresh = await Cli.open();
  const ran = await fresh.run('import', join(fresh.home, 'nothing'));
  expect([ran.code, await readdir(fresh.home).catch(() => [])]).toEqual([2, []]);
  await fresh.close();
});

test('exits with 2 for a missing or unrecognised file and names the supported kinds', async () => {
  const nothing = join(cli.home, 'nothing.ndjson');
  const absent = await cli.run('import', nothing);
  expect([absent.code, absent.stdout]).toEqual([2, '']);
  expect(absent.stderr).toContain(`perch: ${nothing}: no such file or folder.\n`);
  expect(await cli.run('import', join(REPOSITORY, 'LICENSE'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not an importable file; supported files are .ndjson'),
  });
});
