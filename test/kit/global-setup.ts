import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, realpath, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { migrate } from '../../adapters/postgres/migrate.js';
import { connect, type Target } from '../../adapters/postgres/sql.js';
import type { Project } from '../projects.js';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * This run's server, and the migrated database that fresh ones are copied from. Their names begin with the
     * template's.
     */
    postgres: { server: Target; template: string };
    /** The folder for a home with a filled demo network. The first test that needs one fills it. */
    demoHome: string;
  }
}

/** The projects that need no Postgres. */
const WITHOUT_POSTGRES: readonly string[] = ['checks', 'unit'] satisfies Project['name'][];

/** Starts one real Postgres for the run: the server of TEST_DATABASE_URL, or an embedded one in a temporary folder. */
export default async function setup(root: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (root.vitest.projects.every(({ name }) => WITHOUT_POSTGRES.includes(name))) return undefined;
  const { server, close } = await openServer();
  const template = `perch_test_${randomBytes(4).toString('hex')}`;
  const demoHome = join(await realpath(tmpdir()), `${template}-demo`);
  const admin = connect(server, { max: 1 });
  try {
    await admin`create database ${admin(template)}`;
    const sql = connect(databaseOf(server, template), { max: 1 });
    await migrate(sql).finally(() => sql.end());
    root.provide('postgres', { server, template });
    root.provide('demoHome', demoHome);
  } catch (error) {
    await admin.end();
    await close();
    throw error;
  }
  return async () => {
    const names = await admin<{ name: string }[]>`
      select datname as name from pg_database where starts_with(datname, ${template})`;
    for (const { name } of names) await admin`drop database if exists ${admin(name)} with (force)`;
    await admin.end();
    await close();
    await rm(demoHome, { recursive: true, force: true });
  };
}

/** Another database on the same server. */
export function databaseOf(server: Target, database: string): Target {
  if (!('url' in server)) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

const IN_MEMORY = '/dev/shm';
/** For the write-ahead log and as many databases as are open at a time. */
const ROOM_BYTES = 3 * 1024 ** 3;

/**
 * A folder in memory if there is room. A database is a thousand files, and for each new one ext4 looks at all files
 * deleted in the last minutes: after some dozen databases, creating another takes half a second of processor time.
 */
async function roomyFolder(): Promise<string> {
  const room = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room < ROOM_BYTES ? tmpdir() : IN_MEMORY;
}

async function openServer(): Promise<{ server: Target; close: () => Promise<void> }> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { server: { url }, close: async () => {} };
  const home = await realpath(await mkdtemp(join(await roomyFolder(), 'perch-test-')));
  // When tests run as root, the server runs as the user `nobody`, who must be able to enter the folder.
  await chmod(home, 0o711);
  // Thousands of databases are dropped, each with a checkpoint, for which a test on a slow disk would wait up to a
  // minute.
  const embedded = await openEmbeddedPostgres({ home, settings: ['fsync=off', 'full_page_writes=off'] });
  return {
    server: embedded.connection,
    close: async () => {
      await embedded.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
